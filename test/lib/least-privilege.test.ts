import { eventSourceWait } from '../../contract/jmap/push.ts';
import { storedTypes } from '../../core/mail/mail-store/stored-types.ts';
import { grantsOfLambdas, itemGrant, withPartitionsJoined } from './lambda-grants.ts';
import { plainId, readable, synthesize } from './stack-under-test.ts';

/** Partitions of the records that every new account begins with. */
const initialPartitions = [...storedTypes.values()].flatMap(({ records }) => (records?.initialRecords ? [`acc_*#${records.partition}`] : []));

const { ofType } = synthesize({
  domain: 'example.com',
  adminEmail: 'ada@example.com',
  removalPolicy: 'destroy',
  headlessClients: '[{"name":"JmapHeadless","audiences":["jmapApi"],"permissions":["MAIL_READ"]}]',
});

const grants = grantsOfLambdas(ofType);

const directory = '<StorageDirectory.Arn>';
const mail = '<StorageMail.Arn>';
const bucket = '<StorageBucket.Arn>';
const pool = '<UserPool.Arn>';
const reads = (table: string) => ['BatchGetItem', 'GetItem', 'Query'].map((action) => `dynamodb:${action} ${table}`);
const removals = '<AccountRemovalWaitingQueue.Arn>';
const cleanup = '<MailCleanupWaitingQueue.Arn>';
const takes = (queue: string) =>
  ['ChangeMessageVisibility', 'DeleteMessage', 'GetQueueAttributes', 'GetQueueUrl', 'ReceiveMessage'].map((action) => `sqs:${action} ${queue}`);
/** The grants of a Lambda that receives messages itself, because the account has no room for a mapping. */
const drains = (queue: string) => ['DeleteMessage', 'ReceiveMessage'].map((action) => `sqs:${action} ${queue}`);
const sending = '<StorageSending.Arn>';
const submitQueue = '<OutboundMailWaitingQueue.Arn>';
const deliveryQueue = '<PushWaitingQueue.Arn>';
const waitQueues = Array.from({ length: eventSourceWait.queues }, (_, index) => `<JmapApiEventSourceWaitsWait${index}.Arn>`);
const reachesSockets = ['POST', 'DELETE'].map(
  (method) => `execute-api:ManageConnections arn:<AWS::Partition>:execute-api:<AWS::Region>:<AWS::AccountId>:<WebSocketApi>/jmap/${method}/@connections/*`,
);
const readsStream = (table: string) =>
  ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'].map((action) => `dynamodb:${action} ${table.replace('.Arn', '.StreamArn')}`);
const puts = (table: string, ...partitions: string[]) =>
  `dynamodb:PutItem ${table} if ${JSON.stringify({ 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions } })}`;
const readsVapidSecret = `dynamodb:GetItem ${mail} if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["secret"]}}`;
const inPool = (...actions: string[]) => actions.map((action) => `cognito-idp:${action} ${pool}`);
const manageUsers = inPool('AdminCreateUser', 'AdminDeleteUser', 'AdminGetUser');
const blockUsers = inPool('AdminDisableUser', 'AdminEnableUser', 'AdminUserGlobalSignOut');
const changeUsers = inPool('AdminDeleteSoftwareToken', 'AdminSetUserMFAPreference', 'AdminSetUserPassword', 'AdminUpdateUserAttributes');
const allIdentities = 'arn:<AWS::Partition>:ses:<AWS::Region>:<AWS::AccountId>:identity/*';
const invites = `ses:SendEmail ${allIdentities} if {"StringEquals":{"ses:FromAddress":"no-reply@example.com"}}`;
/** The grants for registering identities of SES with the deployment's tag, and for these changes of those that have it. */
const managesIdentities = (...changes: string[]) => [
  `ses:GetEmailIdentity ${allIdentities}`,
  ...['CreateEmailIdentity', 'TagResource'].map(
    (action) =>
      `ses:${action} ${allIdentities} if ${JSON.stringify({
        StringEquals: { 'aws:RequestTag/postrider:deployment': 'Postrider' },
        'ForAllValues:StringEquals': { 'aws:TagKeys': ['postrider:deployment'] },
      })}`,
  ),
  ...changes.map((action) => `ses:${action} ${allIdentities} if {"StringEquals":{"aws:ResourceTag/postrider:deployment":"Postrider"}}`),
];
const keepsAudit = `dynamodb:PutItem ${directory} if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["audit#*"]}}`;
/** The grants for writing items of these partitions of the directory. */
const keeps = (...partitions: string[]) =>
  ['DeleteItem', 'PutItem', 'UpdateItem'].map(
    (action) => `dynamodb:${action} ${directory} if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":${JSON.stringify(partitions)}}}`,
  );
/** The grants of actions on items of these partitions of the table. */
const acts = (table: string, actions: readonly string[], ...partitions: string[]) =>
  actions.map((action) => `dynamodb:${action} ${table} if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":${JSON.stringify(partitions)}}}`);
/** The grants for reading and writing Identities, with the heads of accounts and log items. */
const writesIdentities = [
  ...acts(mail, ['GetItem', 'UpdateItem'], 'acc_*#log'),
  ...acts(mail, ['Query'], 'acc_*#identity'),
  puts(mail, 'acc_*#log', 'acc_*#identity'),
  ...acts(mail, ['DeleteItem'], 'acc_*#identity'),
];
/** The grants for reading and putting the records of suppression. */
const clearsSuppression = acts(sending, ['GetItem', 'PutItem'], 'suppression');
/** The grants of actions on registrations, and on nothing else of the directory. */
const registrations = ['client-registration', 'registered-client', 'client-registration-cap'];
/** The grants for reading the caller's profile and accounts, and nothing else of the directory. */
const findsPrincipals = acts(directory, ['Query'], 'member#*');
const zones = 'arn:<AWS::Partition>:route53:::hostedzone/*';
const supportRoles = ['<SupportCONFIGREAD.Arn>', '<SupportDIAG.Arn>'];
/** The permissions boundary of a support role, by its logical id. */
const rightsOf = (role: string): string => ofType('AWS::IAM::ManagedPolicy').find(({ id }) => plainId(id) === role.replace(/^<(.+)\.Arn>$/, '$1Rights'))!.id;
/** The grants for reading the caller from the directory, and for writing the audit log. */
const workOf = [
  'InboundMailWaiting',
  'OutboundMailWaiting',
  'OutboundMailEvents',
  'AccountRemovalWaiting',
  'MailCleanupWaiting',
  'PushWaiting',
  'SupportWaiting',
];
const workQueues = workOf.map((name) => `${name}Queue`);
const deadLetters = [...workOf.map((name) => `${name}DeadLetters`), 'PushFailedNotifications'];
const asksOnly = [...reads(directory), keepsAudit];
/** The grants for putting, updating, deleting and checking items of these partitions of the directory, and for the audit log. */
const changes = (put: string[], update: string[], remove: string[], check: string[]) => [
  ...reads(directory),
  puts(directory, ...put),
  ...acts(directory, ['UpdateItem'], ...update),
  ...acts(directory, ['DeleteItem'], ...remove),
  ...acts(directory, ['ConditionCheckItem'], ...check),
  keepsAudit,
];

/** Every log group of the deployment, by name, because they are in several stacks. */
const logGroups = ofType('AWS::Logs::LogGroup').map(
  ({ Properties }) => `arn:<AWS::Partition>:logs:<AWS::Region>:<AWS::AccountId>:log-group:${String(Properties['LogGroupName'])}:*`,
);

/** Creates submissions. */
const submits = [
  ...reads(sending),
  puts(sending, 'submission#*', 'outbox', 'retention'),
  `sqs:SendMessage ${submitQueue}`,
  `s3:PutObject ${bucket}/outgoing/*`,
  `s3:DeleteObject ${bucket}/outgoing/*`,
];
/** Changes the records of submissions. */
const changesSubmissions = () => acts(sending, ['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'], 'outbox', 'retention', 'submission#*');
/** Every queue but those on which clients of the event source wait. */
const watchedQueues = ofType('AWS::SQS::Queue')
  .map(({ id }) => `<${plainId(id)}.Arn>`)
  .filter((queue) => !waitQueues.includes(queue));

/** All grants of each Lambda, except for its own log. */
const expected: Record<string, string[]> = {
  'email-identities': [
    ...asksOnly,
    ...keeps('email-identity', 'email-identity-page'),
    'ses:ListEmailIdentities *',
    ...managesIdentities('DeleteEmailIdentity'),
  ],
  'change-requests': [...asksOnly, ...keeps('change-request#*')],
  support: [
    ...asksOnly,
    ...keeps('support-case', 'support-access', 'support-tier#*'),
    'cloudtrail:LookupEvents *',
    ...supportRoles.flatMap((role) => ['GetRole', 'GetRolePolicy', 'UpdateAssumeRolePolicy'].map((action) => `iam:${action} ${role}`)),
    ...supportRoles.map((role) => `iam:PutRolePolicy ${role} if {"StringEquals":{"iam:PermissionsBoundary":{"Ref":"${rightsOf(role)}"}}}`),
  ],
  'role-assumptions': [...acts(directory, ['DeleteItem', 'PutItem', 'UpdateItem'], 'support-assumption#*'), ...drains('<SupportWaitingQueue.Arn>')],
  monitoring: [
    ...asksOnly,
    'cloudwatch:GetMetricData *',
    ...logGroups.map((group) => `logs:FilterLogEvents ${group}`),
    ...[...workQueues, ...deadLetters].flatMap((queue) => [`sqs:GetQueueUrl <${queue}.Arn>`, `sqs:GetQueueAttributes <${queue}.Arn>`]),
    ...workQueues.map((queue) => `sqs:SendMessage <${queue}.Arn>`),
    ...deadLetters.flatMap((queue) => ['ChangeMessageVisibility', 'DeleteMessage', 'ReceiveMessage'].map((action) => `sqs:${action} <${queue}.Arn>`)),
  ],
  'mail-feedback': [
    ...reads(directory),
    ...reads(sending),
    ...acts(mail, ['BatchGetItem'], 'bounce#*', 'acc_*#log', 'acc_*#email', 'acc_*#row', 'acc_*#mailbox', 'acc_*#destroyed'),
  ],
  aliases: [
    ...changes(
      ['address', 'alias', 'account-alias#*', 'group', 'group-member#*', 'member-group#*', 'outside-member', 'forwarding', 'list#*'],
      ['account', 'address', 'alias', 'account-alias#*', 'group', 'domain', 'domain-name', 'identity-task'],
      ['address', 'alias', 'account-alias#*', 'group', 'group-member#*', 'member-group#*', 'outside-member', 'forwarding', 'list#*'],
      ['account', 'admins', 'domain', 'user-email'],
    ),
    ...writesIdentities,
    ...clearsSuppression,
    ...acts(sending, ['BatchGetItem'], 'suppression'),
    'sqs:SendMessage <InboundMailWaitingQueue.Arn>',
  ],
  suppression: [...asksOnly, ...reads(sending), puts(sending, 'suppression')],
  audit: reads(directory),
  setup: [...asksOnly, ...keeps('setup'), ...reads(sending), 'ses:GetAccount *', 'ses:ListEmailIdentities *', 'cloudwatch:GetMetricData *'],
  status: [...asksOnly, ...keeps('problem-subscriber'), 'cloudwatch:GetMetricData *', 'lambda:GetAccountSettings *', 'ses:GetAccount *'],
  accounts: [
    ...changes(
      ['account', 'account-member#*', 'member#*', 'account-removal', 'removed-member#*', 'address', 'alias', 'account-alias#*', 'list#*'],
      ['account', 'member#*', 'account-removal', 'address', 'alias', 'account-alias#*', 'domain', 'user'],
      ['account', 'account-member#*', 'member#*', 'account-removal', 'removed-member#*', 'address', 'alias', 'account-alias#*', 'list#*'],
      ['account', 'account-removal', 'address', 'admins', 'user', 'user-email'],
    ),
    puts(mail, 'acc_*#log', ...initialPartitions, 'acc_*#identity', 'acc_*#quota'),
    ...acts(mail, ['BatchGetItem', 'GetItem', 'UpdateItem'], 'acc_*#log'),
    ...acts(mail, ['DeleteItem'], 'acc_*#quota'),
    // Restoring and purging destroyed Emails.
    ...acts(mail, ['BatchGetItem', 'GetItem', 'Query'], 'acc_*'),
    puts(mail, 'acc_*#log', 'acc_*#row', 'acc_*#ref', 'acc_*#mailbox'),
    ...acts(mail, ['UpdateItem'], 'acc_*#log', 'acc_*#email', 'acc_*#ref'),
    ...acts(mail, ['DeleteItem'], 'acc_*#destroyed'),
    // Restoring accounts without addresses that others have.
    ...writesIdentities,
    `s3:GetObject ${bucket}/snapshots/*`,
    `s3:ListBucket ${bucket}`,
    `sqs:SendMessage ${cleanup}`,
    `sqs:SendMessage ${removals}`,
    ...clearsSuppression,
  ],
  'account-removal': [
    ...changes(
      ['removed-member#*', 'removed-account'],
      ['account', 'account-removal', 'user-removal', 'admins', 'address', 'domain', 'group'],
      [
        'group-member#*',
        'member-group#*',
        'forwarding',
        'account-removal',
        'removed-member#*',
        'account-member#*',
        'member#*',
        'alias',
        'account-alias#*',
        'address',
        'user-removal',
        'user',
        'user-email',
        'idp-identity',
        'list#*',
      ],
      ['account-removal'],
    ),
    ...acts(mail, ['DeleteItem', 'GetItem', 'Query'], 'acc_*'),
    ...['messages', 'uploads', 'media', 'outgoing', 'snapshots', 'search'].flatMap((folder) => [
      `s3:DeleteObject ${bucket}/${folder}/*`,
      `s3:DeleteObjectVersion ${bucket}/${folder}/*`,
    ]),
    `s3:ListBucket ${bucket}`,
    `s3:ListBucketVersions ${bucket}`,
    `sqs:SendMessage ${removals}`,
    ...drains(removals),
    'cognito-idp:AdminDeleteUser <UserPool.Arn>',
  ],
  'mail-cleanup': [
    ...acts(mail, ['BatchGetItem', 'GetItem', 'Query'], 'acc_*'),
    ...acts(mail, ['UpdateItem'], 'acc_*#log', 'acc_*#email'),
    ...acts(mail, ['PutItem'], 'acc_*#email', 'acc_*#ref'),
    ...acts(mail, ['DeleteItem'], 'acc_*#ref', 'acc_*#blob', 'acc_*#destroyed', 'destroyed-mail-due'),
    ...acts(mail, ['Query'], 'destroyed-mail-due'),
    `sqs:SendMessage ${cleanup}`,
    ...acts(mail, ['ConditionCheckItem'], 'acc_*#ref'),
    ...['snapshots', 'search'].map((folder) => `s3:GetObject ${bucket}/${folder}/*`),
    `s3:ListBucket ${bucket}`,
    ...['messages', 'media', 'search'].map((folder) => `s3:DeleteObject ${bucket}/${folder}/*`),
    ...drains(cleanup),
    `s3:DeleteObjectVersion ${bucket}/messages/*`,
    `s3:ListBucketVersions ${bucket}`,
  ],
  watch: [
    ...reads(directory),
    `dynamodb:ConditionCheckItem ${directory}`,
    ...keeps('problem', 'suspected-problem', 'problem-change', 'watch'),
    ...acts(mail, ['BatchGetItem'], 'acc_*#log'),
    ...acts(mail, ['Query'], 'unparsed-message'),
    ...submits,
    'sns:Publish <AlarmsTopic>',
    `cognito-idp:ListUserPoolClients ${pool}`,
    'ses:GetAccount *',
    'ses:ListEmailIdentities *',
    'cloudwatch:GetMetricStatistics *',
    ...watchedQueues.flatMap((queue) => ['GetQueueAttributes', 'GetQueueUrl'].map((action) => `sqs:${action} ${queue}`)),
  ],
  users: [
    ...changes(
      ['user', 'user-email', 'user-removal', 'idp-identity', 'member#*', 'account-member#*', 'list#*'],
      ['user', 'user-email', 'admins', 'account'],
      ['user-email', 'user-removal', 'member#*', 'account-member#*', 'list#*'],
      ['user', 'user-email', 'address', 'admins'],
    ),
    ...manageUsers,
    ...blockUsers,
    ...changeUsers,
    invites,
  ],
  domains: [
    ...changes(
      ['domain', 'domain-name', 'domain-records#*', 'list#*'],
      ['domain', 'domain-name', 'identity-task', 'setup'],
      ['domain', 'domain-name', 'domain-records#*', 'list#*'],
      ['domain', 'address'],
    ),
    ...managesIdentities('DeleteEmailIdentity', 'PutEmailIdentityFeedbackAttributes', 'PutEmailIdentityMailFromAttributes'),
    ...reads(sending),
    puts(sending, 'submission#*', 'outbox', 'retention'),
    `sqs:SendMessage ${submitQueue}`,
    `s3:PutObject ${bucket}/outgoing/*`,
    `s3:DeleteObject ${bucket}/outgoing/*`,
    ...writesIdentities,
    'route53:ListHostedZones *',
    `route53:ListResourceRecordSets ${zones}`,
    `route53:ChangeResourceRecordSets ${zones} if ${JSON.stringify({
      'ForAllValues:StringEquals': {
        'route53:ChangeResourceRecordSetsRecordTypes': ['CNAME', 'MX', 'SRV', 'TXT'],
        'route53:ChangeResourceRecordSetsActions': ['CREATE', 'DELETE'],
      },
    })}`,
  ],
  'identity-sync': [...reads(directory), `dynamodb:ConditionCheckItem ${directory}`, ...keeps('identity-task'), ...writesIdentities],
  'first-admin': [
    ...changes(['user', 'user-email', 'idp-identity', 'member#*', 'list#*'], ['user', 'user-email', 'admins'], ['user-email'], ['user', 'address']),
    ...manageUsers,
  ],
  'custom-message': acts(directory, ['GetItem'], 'domain-name'),
  'post-confirmation': [
    ...acts(directory, ['GetItem'], 'idp-identity', 'user'),
    ...acts(directory, ['UpdateItem'], 'user'),
    puts(directory, 'member#*'),
    keepsAudit,
    `cognito-idp:AdminUserGlobalSignOut ${pool}`,
  ],
  'pre-token': [...reads(directory), ...acts(directory, ['UpdateItem'], 'registered-client', 'user')],
  jmap: [
    ...findsPrincipals,
    ...acts(mail, ['BatchGetItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'], 'acc_*', 'connection#*', 'push#*'),
    ...acts(mail, ['Query'], 'acc_*', 'connection#*', 'frames#*', 'push#*'),
    puts(mail, 'acc_*', 'connection#*', 'destroyed-mail-due', 'frames#*', 'push#*', 'unparsed-message'),
    ...acts(mail, ['GetItem'], 'acc_*', 'connection#*', 'push#*', 'secret'),
    ...['messages', 'uploads', 'media', 'snapshots', 'search'].map((folder) => `s3:GetObject ${bucket}/${folder}/*`),
    `s3:ListBucket ${bucket}`,
    ...['messages', 'uploads', 'media'].map((folder) => `s3:PutObject ${bucket}/${folder}/*`),
    `sqs:SendMessage ${cleanup}`,
    `sqs:SendMessage ${deliveryQueue}`,
    ...reachesSockets,
    ...acts(sending, ['BatchGetItem', 'UpdateItem'], 'submission#*'),
    ...acts(sending, ['DeleteItem'], 'outbox'),
    puts(sending, 'submission#*', 'outbox', 'retention', 'sent-mail-address#*', 'sent-mail-message-id#*'),
    ...acts(directory, ['BatchGetItem'], 'account', 'user', 'account-member#*', 'address', 'domain-name', 'alias', 'domain', 'group-member#*'),
    ...['DeleteObject', 'PutObject'].map((action) => `s3:${action} ${bucket}/outgoing/*`),
    `sqs:SendMessage ${submitQueue}`,
    // Forwarding/get and Forwarding/set.
    ...acts(directory, ['GetItem'], 'account', 'forwarding'),
    ...acts(directory, ['ConditionCheckItem'], 'account'),
    ...acts(directory, ['PutItem', 'DeleteItem'], 'forwarding'),
    'sqs:SendMessage <InboundMailWaitingQueue.Arn>',
  ],
  uploads: [
    ...findsPrincipals,
    `s3:PutObject ${bucket}/uploads/*`,
    ...acts(mail, ['BatchGetItem'], 'acc_*#log', 'acc_*#uploads'),
    ...acts(mail, ['UpdateItem'], 'acc_*#uploads'),
  ],
  downloads: [
    ...findsPrincipals,
    ...acts(mail, ['BatchGetItem'], 'acc_*#email', 'acc_*#log'),
    ...acts(mail, ['Query'], 'acc_*#blob'),
    ...acts(mail, ['GetItem', 'UpdateItem'], 'downloads#*'),
    ...['messages', 'uploads', 'media'].map((folder) => `s3:GetObject ${bucket}/${folder}/*`),
    `s3:ListBucket ${bucket}`,
  ],
  submit: [
    ...reads(sending),
    ...changesSubmissions(),
    puts(sending, 'sent-mail-address#*', 'sent-mail-message-id#*'),
    ...acts(sending, ['PutItem', 'DeleteItem'], 'provider'),
    `sqs:SendMessage ${submitQueue}`,
    ...takes(submitQueue),
    ...acts(directory, ['BatchGetItem'], 'account', 'user', 'account-member#*', 'address', 'domain-name', 'alias', 'domain', 'group-member#*'),
    ...acts(mail, ['BatchGetItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'], 'acc_*'),
    ...['s3:PutObject', 's3:DeleteObject'].map((action) => `${action} ${bucket}/messages/*`),
    ...['s3:GetObject', 's3:DeleteObject'].map((action) => `${action} ${bucket}/outgoing/*`),
    `s3:ListBucket ${bucket}`,
    ...[allIdentities, allIdentities.replace('identity/*', 'configuration-set/<OutboundMailConfigurationSet>')].flatMap((resource) =>
      ['SendEmail', 'SendRawEmail'].map((action) => `ses:${action} ${resource}`),
    ),
  ],
  'submit-sweep': [
    ...reads(sending),
    ...changesSubmissions(),
    `sqs:SendMessage ${submitQueue}`,
    `s3:DeleteObject ${bucket}/outgoing/*`,
    ...acts(mail, ['BatchGetItem', 'PutItem', 'UpdateItem'], 'acc_*#log'),
    ...acts(mail, ['BatchGetItem', 'DeleteItem', 'PutItem'], 'acc_*#emailsubmission'),
  ],
  'mail-events': [
    ...reads(sending),
    ...changesSubmissions(),
    puts(sending, 'suppression', 'suppressions', 'feedback#*', 'feedback-identity#*', 'feedback-recipient#*', 'sent-mail-message-id#*'),
    ...drains('<OutboundMailEventsQueue.Arn>'),
    'sqs:SendMessage <OutboundMailEventsQueue.Arn>',
    ...acts(directory, ['GetItem'], 'domain-name'),
    ...acts(mail, ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'], 'acc_*'),
    ...['DeleteObject', 'PutObject'].map((action) => `s3:${action} ${bucket}/messages/*`),
  ],
  discovery: [],
  console: [],
  webmail: [],
  registration: [
    ...acts(directory, ['BatchGetItem', 'GetItem', 'DeleteItem', 'PutItem', 'UpdateItem'], ...registrations),
    ...inPool('CreateUserPoolClient', 'UpdateUserPoolClient', 'DeleteUserPoolClient', 'ListUserPoolClients'),
  ],
  'forwarding-confirmation': [...acts(directory, ['GetItem'], 'account', 'forwarding'), puts(directory, 'forwarding')],
  'registration-sweep': [
    ...acts(directory, ['BatchGetItem', 'GetItem', 'Query', 'DeleteItem', 'PutItem'], ...registrations),
    ...acts(directory, ['UpdateItem'], 'client-registration', 'registered-client'),
    keepsAudit,
    ...inPool('UpdateUserPoolClient', 'DeleteUserPoolClient', 'ListUserPoolClients'),
  ],
  'web-socket': [
    ...findsPrincipals,
    ...acts(mail, ['GetItem'], 'connection#*'),
    ...acts(mail, ['Query'], 'push#*'),
    ...acts(mail, ['DeleteItem', 'PutItem'], 'connection#*', 'push#*'),
    ...reachesSockets,
  ],
  'push-delivery': [
    ...findsPrincipals,
    readsVapidSecret,
    `sqs:SendMessage ${deliveryQueue}`,
    ...drains(deliveryQueue),
    ...acts(mail, ['BatchGetItem', 'GetItem'], 'push#*', 'acc_*#log'),
    ...acts(mail, ['DeleteItem', 'UpdateItem'], 'push#*'),
    ...acts(mail, ['DeleteItem'], 'connection#*'),
    ...reachesSockets,
  ],
  notify: [
    ...acts(directory, ['Query'], 'account-member#*'),
    ...acts(directory, ['GetItem'], 'user'),
    ...acts(mail, ['GetItem', 'Query', 'UpdateItem'], 'push#*'),
    ...acts(mail, ['DeleteItem'], 'push#*', 'connection#*'),
    ...readsStream(directory),
    ...readsStream(mail),
    `sqs:SendMessage ${deliveryQueue}`,
    ...['GetQueueAttributes', 'GetQueueUrl', 'SendMessage'].map((action) => `sqs:${action} <PushFailedNotifications.Arn>`),
    ...waitQueues.map((queue) => `sqs:SendMessage ${queue}`),
    ...reachesSockets,
  ],
  indexer: [
    ...acts(mail, ['GetItem', 'Query'], 'acc_*'),
    ...acts(mail, ['BatchGetItem'], 'acc_*#email'),
    ...acts(mail, ['DeleteItem', 'UpdateItem'], 'acc_*#log'),
    puts(mail, 'destroyed-mail-due', 'unparsed-message'),
    ...['DeleteObject', 'GetObject', 'PutObject'].map((action) => `s3:${action} ${bucket}/snapshots/*`),
    `s3:ListBucket ${bucket}`,
    ...['GetObject', 'PutObject'].map((action) => `s3:${action} ${bucket}/search/*`),
    `s3:GetObject ${bucket}/messages/*`,
    ...readsStream(mail),
    ...['GetQueueAttributes', 'GetQueueUrl', 'SendMessage'].map((action) => `sqs:${action} <PushFailedNotifications.Arn>`),
    `sqs:SendMessage ${cleanup}`,
  ],
  deliver: [
    ...reads(directory),
    ...acts(mail, ['GetItem'], 'secret', 'group-mail#*'),
    ...acts(mail, ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'], 'acc_*', 'bounce#*'),
    puts(mail, 'unparsed-message', 'destroyed-mail-due', 'group-mail#*'),
    puts(directory, 'forwarding'),
    ...['inbound', 'messages'].map((folder) => `s3:GetObject ${bucket}/${folder}/*`),
    `s3:ListBucket ${bucket}`,
    `s3:PutObject ${bucket}/messages/*`,
    ...['inbound', 'messages'].map((folder) => `s3:DeleteObject ${bucket}/${folder}/*`),
    ...takes('<InboundMailWaitingQueue.Arn>'),
    'sqs:SendMessage <InboundMailWaitingQueue.Arn>',
    'sqs:SendMessage <InboundMailWaitingDeadLetters.Arn>',
    `ses:SendBounce ${allIdentities}`,
    ...reads(sending),
    puts(sending, 'submission#*', 'outbox', 'retention'),
    `sqs:SendMessage ${submitQueue}`,
    puts(sending, 'received#*', 'received-by#*', 'received-message-id#*'),
    ...acts(sending, ['UpdateItem'], 'received#*'),
    `s3:PutObject ${bucket}/outgoing/*`,
    `s3:DeleteObject ${bucket}/outgoing/*`,
  ],
  'change-request-worker': [
    ...reads(directory),
    ...keeps('change-request#*'),
    keepsAudit,
    ...['ses/L-804C8AE8', 'ses/L-CDEF9B6B', 'lambda/L-B99A9384'].map(
      (quota) => `servicequotas:RequestServiceQuotaIncrease arn:<AWS::Partition>:servicequotas:<AWS::Region>:<AWS::AccountId>:${quota}`,
    ),
    'lambda:GetAccountSettings *',
    'ses:GetAccount *',
    'ses:PutAccountDetails *',
    'servicequotas:GetRequestedServiceQuotaChange *',
    'servicequotas:ListRequestedServiceQuotaChangeHistoryByQuota *',
    'iam:CreateServiceLinkedRole arn:<AWS::Partition>:iam::<AWS::AccountId>:role/aws-service-role/servicequotas.amazonaws.com/AWSServiceRoleForServiceQuotas if {"StringEquals":{"iam:AWSServiceName":"servicequotas.amazonaws.com"}}',
  ],
  'client-secret': [`cognito-idp:DescribeUserPoolClient ${pool}`, 'secretsmanager:PutSecretValue <HeadlessClientsJmapHeadlessSecret>'],
  'stored-secret': [...acts(directory, ['GetItem', 'PutItem'], 'secret'), ...acts(mail, ['GetItem', 'PutItem'], 'secret')],
  'deployed-clients': [
    puts(directory, 'deployed-clients'),
    'cloudformation:DescribeStacks arn:<AWS::Partition>:cloudformation:<AWS::Region>:<AWS::AccountId>:stack/Postrider/*',
  ],
  prerequisites: ['lambda:GetAccountSettings *'],
  'receipt-rules': [
    ...acts(directory, ['GetItem'], 'account', 'admins', 'user'),
    ...acts(directory, ['Query'], 'address', 'domain', 'user'),
    ...readsStream(directory),
    ...['CreateReceiptRule', 'DeleteReceiptRule', 'DescribeActiveReceiptRuleSet', 'UpdateReceiptRule'].map((action) => `ses:${action} *`),
  ],
  'receipt-rule-set': ['ses:CreateReceiptRuleSet *', 'ses:DescribeActiveReceiptRuleSet *', 'ses:SetActiveReceiptRuleSet *'],
  'empty-bucket': [`s3:DeleteObject ${bucket}/*`, `s3:DeleteObjectVersion ${bucket}/*`, `s3:ListBucketVersions ${bucket}`],
};

describe('the role of a Lambda', () => {
  test('is listed here for every Lambda', () => {
    expect(Object.keys(grants).sort()).toEqual(Object.keys(expected).sort());
  });

  test.each(Object.entries(expected))('allows %s exactly these actions', (name, lines) => {
    const log = /^logs:(CreateLogStream|PutLogEvents) <\w+Log\.Arn>$/;
    expect(grants[name]?.filter((line) => log.test(line))).toHaveLength(2);
    expect(grants[name]?.filter((line) => !log.test(line))).toEqual(withPartitionsJoined(lines).sort());
  });

  // IAM compares all keys of a batch or transaction with one statement.
  test.each(Object.keys(grants))('allows %s each action on items of a table by one statement', (name) => {
    const granted = grants[name]!.map((line) => itemGrant.exec(line)?.[1]).filter((found) => found !== undefined);
    expect(granted.filter((each, index) => granted.indexOf(each) !== index)).toEqual([]);
  });

  test('lets no Lambda update or delete entries of the audit log', () => {
    const matchesAudit = (prefix: string): boolean => 'audit#'.startsWith(prefix) || prefix.startsWith('audit#');
    const changing = Object.entries(grants).flatMap(([name, lines]) =>
      lines
        .filter((line) => new RegExp(`^dynamodb:(UpdateItem|DeleteItem) ${directory}`).test(line))
        .filter((line) => (JSON.parse(itemGrant.exec(line)?.[2] ?? '["*"]') as string[]).some((pattern) => matchesAudit(pattern.replace(/\*.*/, ''))))
        .map((line) => `${name}: ${line}`),
    );
    expect(changing).toEqual([]);
  });

  test('allows writing the Lambda’s own log only', () => {
    for (const { Properties } of ofType('AWS::Lambda::Function')) {
      const name = String(Properties['FunctionName']).replace('Postrider-', '');
      const { LogGroup } = Properties['LoggingConfig'] as { LogGroup: { Ref: string } };
      expect(grants[name]).toContain(`logs:PutLogEvents <${plainId(LogGroup.Ref)}.Arn>`);
    }
  });

  test('allows changing DNS records in the zones of the setting dnsZoneIds only, when it is given', () => {
    const limited = synthesize({ domain: 'example.com', dnsZoneIds: '["Z1AAAA","Z2BBBB"]' });
    const statements = limited
      .ofType('AWS::IAM::Policy')
      .flatMap(({ Properties }) => (Properties['PolicyDocument'] as { Statement: { Action: string; Resource: unknown }[] }).Statement);
    const changes = statements.filter(({ Action }) => Action === 'route53:ChangeResourceRecordSets').map(({ Resource }) => readable(Resource));
    expect(changes).toEqual([expect.stringMatching(/hostedzone\/Z1AAAA.*hostedzone\/Z2BBBB/)]);
    expect(changes.join()).not.toContain('hostedzone/*');
  });

  test('allows registration nothing while it is turned off, and there is no sweep', () => {
    const off = synthesize({ domain: 'example.com', dynamicRegistration: 'false' });
    const names = off.ofType('AWS::Lambda::Function').map(({ Properties }) => Properties['FunctionName']);
    expect([names.includes('Postrider-registration'), names.includes('Postrider-registration-sweep')]).toEqual([true, false]);
    expect(JSON.stringify(off.ofType('AWS::IAM::Policy'))).not.toContain('UserPoolClient');
    expect(JSON.stringify(off.ofType('AWS::IAM::Policy'))).not.toContain('client-registration');
  });

  test('has no wildcard action, and the resource * only for actions without resources', () => {
    const all = Object.values(grants).flat();
    expect(all.filter((line) => line.split(' ')[0]!.includes('*'))).toEqual([]);
    expect([...new Set(all.filter((line) => line.split(' ')[1] === '*'))].sort()).toEqual([
      'cloudtrail:LookupEvents *',
      'cloudwatch:GetMetricData *',
      'cloudwatch:GetMetricStatistics *',
      'lambda:GetAccountSettings *',
      'route53:ListHostedZones *',
      'servicequotas:GetRequestedServiceQuotaChange *',
      'servicequotas:ListRequestedServiceQuotaChangeHistoryByQuota *',
      'ses:CreateReceiptRule *',
      'ses:CreateReceiptRuleSet *',
      'ses:DeleteReceiptRule *',
      'ses:DescribeActiveReceiptRuleSet *',
      'ses:GetAccount *',
      'ses:ListEmailIdentities *',
      'ses:PutAccountDetails *',
      'ses:SetActiveReceiptRuleSet *',
      'ses:UpdateReceiptRule *',
    ]);
  });

  test('can be assumed by Lambda only; all other roles are support roles and the role of the event source', () => {
    const roles = ofType('AWS::IAM::Role').filter(({ id }) => !supportRoles.includes(`<${plainId(id)}.Arn>`) && plainId(id) !== 'JmapApiEventSourceWaitsRole');
    expect(roles).toHaveLength(ofType('AWS::Lambda::Function').length);
    for (const { Properties } of roles) {
      expect(Properties['AssumeRolePolicyDocument']).toMatchObject({
        Statement: [{ Action: 'sts:AssumeRole', Principal: { Service: 'lambda.amazonaws.com' } }],
      });
    }
  });
});
