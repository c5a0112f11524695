import { setup } from '../../contract/admin/setup.ts';
import { serve } from '../platform/admin-pipe.ts';
import { configured, configuredOrNot } from '../platform/configuration.ts';
import { region } from '../platform/region.ts';
import { nodeDns } from '../providers/node-dns.ts';
import { sesEmailProvider } from '../providers/ses.ts';
import { sesSenderAddresses } from '../providers/ses-sender-addresses.ts';
import { accountsIn } from '../store/directory/accounts.ts';
import { adminConnections } from '../store/directory/admin-connections.ts';
import { directoryTable } from '../store/directory/directory-table.ts';
import { domainsIn } from '../store/directory/domains.ts';
import { setupIn } from '../store/directory/setup.ts';
import { usersIn } from '../store/directory/users.ts';
import { setupMethods } from './methods.ts';

const directory = directoryTable();
const connections = adminConnections(setup.name, directory);

export const handler = serve(setup, setupMethods({
  setup: setupIn(directory),
  domains: domainsIn(directory),
  users: usersIn(directory),
  accounts: accountsIn(directory),
  emailProvider: sesEmailProvider(),
  senderAddresses: sesSenderAddresses(),
  dns: nodeDns(configuredOrNot('dnsServers')?.split(' ')),
  mailDomain: configured('mailDomain'),
  region: region(),
  log: connections.log,
}), connections);
