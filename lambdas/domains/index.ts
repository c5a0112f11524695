import { domains } from '../../contract/admin/domains.ts';
import { serve } from '../platform/admin-pipe.ts';
import { systemClock } from '../platform/clock.ts';
import { configured, configuredOrNot } from '../platform/configuration.ts';
import { newId } from '../platform/ids.ts';
import { region } from '../platform/region.ts';
import { nodeDns } from '../providers/node-dns.ts';
import { route53 } from '../providers/route53.ts';
import { sesEmailProvider } from '../providers/ses.ts';
import { sesSenderAddresses } from '../providers/ses-sender-addresses.ts';
import { sqsQueue } from '../providers/sqs.ts';
import { submitQueueOver } from '../providers/submit-queue-over.ts';
import { adminConnections } from '../store/directory/admin-connections.ts';
import { directoryTable } from '../store/directory/directory-table.ts';
import { domainsIn } from '../store/directory/domains.ts';
import { setupIn } from '../store/directory/setup.ts';
import { sendingTable } from '../store/sending/sending-table.ts';
import { submissionsIn } from '../store/sending/submissions.ts';
import { suppressionsIn } from '../store/sending/suppressions.ts';
import { domainsMethods } from './methods.ts';

const directory = directoryTable();
const sending = sendingTable();
const connections = adminConnections(domains.name, directory);

export const handler = serve(domains, domainsMethods({
  domains: domainsIn(directory),
  emailProvider: sesEmailProvider(),
  dns: nodeDns(configuredOrNot('dnsServers')?.split(' ')),
  dnsProvider: route53(),
  testSending: {
    submissions: submissionsIn(sending),
    suppressions: suppressionsIn(sending),
    senderAddresses: sesSenderAddresses(),
    setup: setupIn(directory),
    queue: submitQueueOver(sqsQueue(configured('submitQueueUrl'))),
    clock: systemClock,
    log: connections.log,
  },
  mailDomain: configured('mailDomain'),
  place: { region: region(), jmapServer: configured('jmapServer') },
  newId,
  clock: systemClock,
  log: connections.log,
}), connections);
