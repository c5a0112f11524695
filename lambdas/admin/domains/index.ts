import { domains } from '../../../contract/admin/domains.ts';
import { route53DnsProvider } from '../../../core/aws/route53-dns-provider.ts';
import { sesEmailProvider } from '../../../core/aws/ses/ses-email-provider.ts';
import { sesSenderAddresses } from '../../../core/aws/ses/ses-sender-addresses.ts';
import { sqsQueue } from '../../../core/aws/sqs-queue.ts';
import { accountsIn } from '../../../core/directory/accounts/accounts.ts';
import { addressesIn } from '../../../core/directory/aliases/addresses.ts';
import { domainIdentitiesIn } from '../../../core/directory/aliases/domain-identities.ts';
import { identityTasksIn } from '../../../core/directory/aliases/identity-tasks.ts';
import { domainsIn } from '../../../core/directory/domains/domains.ts';
import { setupIn } from '../../../core/directory/setup.ts';
import { storedAccountIdentities } from '../../../core/mail/mail-store/table-mail-store.ts';
import { adminDependencies } from '../../../core/rpc/admin-dependencies.ts';
import { serve } from '../../../core/rpc/admin-pipe.ts';
import { systemClock } from '../../../core/runtime/clock.ts';
import { newId } from '../../../core/runtime/ids.ts';
import { invoked } from '../../../core/runtime/invocation.ts';
import { optionalSetting, region, setting } from '../../../core/runtime/lambda/settings.ts';
import { nodePublicDns } from '../../../core/runtime/public-dns.ts';
import { suppressionsIn } from '../../../core/sending/feedback/suppressions.ts';
import { submissionsIn } from '../../../core/sending/submission/submissions.ts';
import { submitQueueOver } from '../../../core/sending/submission/submit-queue.ts';
import { dynamodbTable } from '../../../core/storage/dynamodb/dynamodb-table.ts';
import { s3Objects } from '../../../core/storage/s3/s3-objects.ts';
import { domainsService } from './domains-service.ts';

const directory = dynamodbTable(setting('directoryTable'));
const sending = dynamodbTable(setting('sendingTable'));
const connections = adminDependencies(domains.name, directory);

export const handler = invoked(
  serve(
    domains,
    domainsService({
      domains: domainsIn(directory),
      addresses: addressesIn(directory),
      accounts: accountsIn(directory),
      domainIdentities: domainIdentitiesIn(directory, storedAccountIdentities(dynamodbTable(setting('mailTable'))), identityTasksIn(directory)),
      emailProvider: sesEmailProvider(setting('deployment')),
      dns: nodePublicDns(optionalSetting('dnsServers')?.split(' ')),
      dnsProvider: route53DnsProvider(),
      testSending: {
        submissions: submissionsIn(sending),
        suppressions: suppressionsIn(sending),
        senderAddresses: sesSenderAddresses(),
        setup: setupIn(directory),
        objects: s3Objects(setting('mailBucket')),
        queue: submitQueueOver(sqsQueue(setting('submitQueueUrl'))),
        clock: systemClock,
        log: connections.log,
      },
      mailDomain: setting('mailDomain'),
      dnsTargets: { region: region(), jmapServer: setting('jmapServer') },
      newId,
      clock: systemClock,
      log: connections.log,
    }),
    connections,
  ),
);
