import { parseMonitoredResources } from '../../contract/deployment/monitored-resources.ts';
import { cloudWatchStatistics } from '../../core/aws/cloudwatch/cloudwatch-statistics.ts';
import { snsTopic } from '../../core/aws/cloudwatch/sns-topic.ts';
import { cognitoClientRegistrar } from '../../core/aws/cognito-client-registrar.ts';
import { sesEmailProvider } from '../../core/aws/ses/ses-email-provider.ts';
import { sesSenderAddresses } from '../../core/aws/ses/ses-sender-addresses.ts';
import { sqsQueueDepths } from '../../core/aws/sqs-queue-depths.ts';
import { sqsQueue } from '../../core/aws/sqs-queue.ts';
import { accountRemovalsIn } from '../../core/directory/accounts/account-removals.ts';
import { accountsIn } from '../../core/directory/accounts/accounts.ts';
import { clientRegistrationsIn } from '../../core/directory/clients/client-registrations.ts';
import { domainsIn } from '../../core/directory/domains/domains.ts';
import { forwardingsIn } from '../../core/directory/forwarding/forwardings.ts';
import { problemChangesIn } from '../../core/directory/problems/problem-changes.ts';
import { problemSubscribersIn } from '../../core/directory/problems/problem-subscribers.ts';
import { problemsIn } from '../../core/directory/problems/problems.ts';
import { userRemovalsIn } from '../../core/directory/users/user-removals.ts';
import { quotaSetting } from '../../core/mail/quota/account-quota.ts';
import { systemClock } from '../../core/runtime/clock.ts';
import { tlsServedCertificates } from '../../core/runtime/http/served-certificates.ts';
import { newId } from '../../core/runtime/ids.ts';
import { invoked, withinInvocation, type InvocationContext } from '../../core/runtime/invocation.ts';
import { optionalSetting, region, setting } from '../../core/runtime/lambda/settings.ts';
import { logFor } from '../../core/runtime/log.ts';
import { nodePublicDns } from '../../core/runtime/public-dns.ts';
import { suppressionsIn } from '../../core/sending/feedback/suppressions.ts';
import { submissionsIn } from '../../core/sending/submission/submissions.ts';
import { submitQueueOver } from '../../core/sending/submission/submit-queue.ts';
import { dynamodbTable } from '../../core/storage/dynamodb/dynamodb-table.ts';
import { s3Objects } from '../../core/storage/s3/s3-objects.ts';
import { runWatch, type WatchDependencies, type WatchEvent } from './run-watch.ts';

const directory = dynamodbTable(setting('directoryTable'));
const sending = dynamodbTable(setting('sendingTable'));

const dependencies: WatchDependencies = {
  problems: problemsIn(directory),
  changes: problemChangesIn(directory),
  subscribers: problemSubscribersIn(directory),
  topic: snsTopic(setting('alarmTopicArn')),
  submissions: submissionsIn(sending),
  objects: s3Objects(setting('mailBucket')),
  queue: submitQueueOver(sqsQueue(setting('submitQueueUrl'))),
  newId,
  consoleUrl: setting('consoleUrl'),
  resources: parseMonitoredResources(setting('monitoredResources')),
  queueDepths: sqsQueueDepths(),
  metrics: cloudWatchStatistics(),
  emailProvider: sesEmailProvider(),
  senderAddresses: sesSenderAddresses(),
  domains: domainsIn(directory),
  dns: nodePublicDns(optionalSetting('dnsServers')?.split(' ')),
  accounts: accountsIn(directory),
  forwardings: forwardingsIn(directory),
  mail: dynamodbTable(setting('mailTable')),
  directory,
  suppressions: suppressionsIn(sending),
  removals: accountRemovalsIn(directory),
  userRemovals: userRemovalsIn(directory),
  appClients: optionalSetting('dynamicRegistration') === 'true' ? cognitoClientRegistrar(setting('userPoolId')) : undefined,
  registrations: clientRegistrationsIn(directory, systemClock),
  certificates: tlsServedCertificates(),
  hostNames: optionalSetting('customHostNames')?.split(' ') ?? [],
  quotaDefaults: quotaSetting(),
  mailDomain: setting('mailDomain'),
  region: region(),
  clock: systemClock,
  log: logFor('watch'),
};

/** Runs on a schedule, whose event has no field `everything`. */
export const handler = invoked((event: WatchEvent, context: InvocationContext): Promise<void> =>
  withinInvocation(context, () => runWatch(dependencies, { everything: event.everything === true })),
);
