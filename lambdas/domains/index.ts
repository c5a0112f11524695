import { domains } from '../../contract/admin/domains.ts';
import { serve } from '../platform/admin-pipe.ts';
import { systemClock } from '../platform/clock.ts';
import { configured, configuredOrNot } from '../platform/configuration.ts';
import { newId } from '../platform/ids.ts';
import { region } from '../platform/region.ts';
import { nodeDns } from '../providers/node-dns.ts';
import { sesEmailProvider } from '../providers/ses.ts';
import { adminConnections } from '../store/directory/admin-connections.ts';
import { directoryTable } from '../store/directory/directory-table.ts';
import { domainsIn } from '../store/directory/domains.ts';
import { domainsMethods } from './methods.ts';

const directory = directoryTable();
const connections = adminConnections(domains.name, directory);

export const handler = serve(domains, domainsMethods({
  domains: domainsIn(directory),
  emailProvider: sesEmailProvider(),
  dns: nodeDns(configuredOrNot('dnsServers')?.split(' ')),
  mailDomain: configured('mailDomain'),
  region: region(),
  newId,
  clock: systemClock,
  log: connections.log,
}), connections);
