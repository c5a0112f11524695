import { setup } from '../../../contract/admin/setup.ts';
import { parseMonitoredResources } from '../../../contract/deployment/monitored-resources.ts';
import { cloudWatchMetrics } from '../../../core/aws/cloudwatch/cloudwatch-metrics.ts';
import { sesEmailProvider } from '../../../core/aws/ses/ses-email-provider.ts';
import { sesSenderAddresses } from '../../../core/aws/ses/ses-sender-addresses.ts';
import { accountsIn } from '../../../core/directory/accounts/accounts.ts';
import { addressesIn } from '../../../core/directory/aliases/addresses.ts';
import { domainsIn } from '../../../core/directory/domains/domains.ts';
import { problemsIn } from '../../../core/directory/problems/problems.ts';
import { setupIn } from '../../../core/directory/setup.ts';
import { usersIn } from '../../../core/directory/users/users.ts';
import { adminDependencies } from '../../../core/rpc/admin-dependencies.ts';
import { serve } from '../../../core/rpc/admin-pipe.ts';
import { systemClock } from '../../../core/runtime/clock.ts';
import { invoked } from '../../../core/runtime/invocation.ts';
import { optionalSetting, region, setting } from '../../../core/runtime/lambda/settings.ts';
import { nodePublicDns } from '../../../core/runtime/public-dns.ts';
import { submissionsIn } from '../../../core/sending/submission/submissions.ts';
import { dynamodbTable } from '../../../core/storage/dynamodb/dynamodb-table.ts';
import { setupService } from './setup-service.ts';

const directory = dynamodbTable(setting('directoryTable'));
const connections = adminDependencies(setup.name, directory);

export const handler = invoked(
  serve(
    setup,
    setupService({
      setup: setupIn(directory),
      domains: domainsIn(directory),
      addresses: addressesIn(directory),
      problems: problemsIn(directory),
      users: usersIn(directory, systemClock),
      accounts: accountsIn(directory),
      submissions: submissionsIn(dynamodbTable(setting('sendingTable'))),
      emailProvider: sesEmailProvider(),
      senderAddresses: sesSenderAddresses(),
      dns: nodePublicDns(optionalSetting('dnsServers')?.split(' ')),
      metrics: cloudWatchMetrics(),
      resources: parseMonitoredResources(setting('monitoredResources')),
      mailDomain: setting('mailDomain'),
      cognitoSendsBySes: optionalSetting('cognitoSendsBySes') === 'true',
      region: region(),
      clock: systemClock,
      log: connections.log,
    }),
    connections,
  ),
);
