/**
 * The names of the Lambdas' environment variables. `lib/` sets them, `core/runtime/lambda/settings.ts` reads them. None holds a
 * secret.
 */
export const environment = {
  /** Users, accounts, members, addresses, domains. */
  directoryTable: 'DIRECTORY_TABLE',
  /** HEAD, log, rows and records of every account's mail. */
  mailTable: 'MAIL_TABLE',
  /** Raw messages (`inbound/`, `messages/`), uploads (`uploads/`), snapshots (`snapshots/`) and prepared downloads (`downloads/`). */
  mailBucket: 'MAIL_BUCKET',
  userPoolId: 'USER_POOL_ID',
  /** Base URL of `/{userPoolId}/.well-known/jwks.json`; unset: Cognito's own. */
  identityProviderUrl: 'IDENTITY_PROVIDER_URL',
  /** Base URL of the hosted sign-in, without a slash at the end. */
  authUrl: 'AUTH_URL',
  /** Client id of the console's app client. */
  consoleClientId: 'CONSOLE_CLIENT_ID',
  /** Public base URLs, without a slash at the end. */
  adminApiUrl: 'ADMIN_API_URL',
  jmapUrl: 'JMAP_URL',
  /** `wss://…`, with the stage's path. */
  webSocketUrl: 'WEB_SOCKET_URL',
  /**
   * URL of the API by which Lambdas send to open WebSockets, with the stage's path:
   * `https://{api}.execute-api.{region}.amazonaws.com/{stage}`.
   */
  webSocketManagementUrl: 'WEB_SOCKET_MANAGEMENT_URL',
  /** URL of the queue of the push-delivery Lambda. */
  pushDeliveryQueueUrl: 'PUSH_DELIVERY_QUEUE_URL',
  /** URLs of the queues that clients of the event source wait on, separated by spaces. */
  eventSourceQueueUrls: 'EVENT_SOURCE_QUEUE_URLS',
  /** Additional CIDR ranges that Web Push may connect to, separated by spaces. Without them: public addresses only. */
  webPushNetworks: 'WEB_PUSH_NETWORKS',
  /** The deployment's own mail domain, `example.com`. */
  mailDomain: 'MAIL_DOMAIN',
  /** Host and port of JMAP over HTTPS for the domains' SRV records: `jmap.example.com:443` (RFC 8620 §2.2). */
  jmapServer: 'JMAP_SERVER',
  /** The stack's name, the value of the tag on SES identities that this deployment registers. */
  deployment: 'DEPLOYMENT',
  /** The hard limits of accounts without limits of their own, as JSON: `QuotaAmounts` of contract/jmap/quota.ts. */
  accountQuota: 'ACCOUNT_QUOTA',
  sendLimits: 'SEND_LIMITS',
  /** URL of the queue of arrived mail, which also has the bounces that are due. */
  inboundQueueUrl: 'INBOUND_QUEUE_URL',
  /** Name of SES's receipt rule set. */
  receiptRuleSet: 'RECEIPT_RULE_SET',
  /** ARN of the topic that SES notifies of arrived mail. */
  inboundTopicArn: 'INBOUND_TOPIC_ARN',
  configurationSet: 'SES_CONFIGURATION_SET',
  /** Submissions, the outbox, bounces and complaints, suppression. */
  sendingTable: 'SENDING_TABLE',
  /** URL of the queue of parts of submissions for the submit Lambda. */
  submitQueueUrl: 'SUBMIT_QUEUE_URL',
  /** `true` or `false`: whether POST /oauth/register is open (RFC 7591). */
  dynamicRegistration: 'DYNAMIC_REGISTRATION',
  /** URL of the queue of the account-removal Lambda. */
  accountRemovalQueueUrl: 'ACCOUNT_REMOVAL_QUEUE_URL',
  /** URL of the queue of the mail-cleanup Lambda. */
  mailCleanupQueueUrl: 'MAIL_CLEANUP_QUEUE_URL',
  /** URL of the queue whose messages the Lambda takes itself when a schedule invokes it. */
  drainedQueueUrl: 'DRAINED_QUEUE_URL',
  /**
   * Client ids of the headless clients, separated by spaces: the principals other than users that may be members of an
   * account.
   */
  headlessClientIds: 'HEADLESS_CLIENT_IDS',
  /** Servers for queries of public DNS, `host` or `host:port`, separated by spaces; unset: the system's own. */
  dnsServers: 'DNS_SERVERS',
  /** ARN of the role of each support tier, as JSON: `{"DIAG": …, "CONFIG_READ": …}`. */
  supportRoles: 'SUPPORT_ROLES',
  /** ARNs of the principals that may assume support roles, separated by spaces; unset: none. */
  supportPrincipals: 'SUPPORT_PRINCIPALS',
  /** The deployment's resources that monitoring reads, as JSON: `MonitoredResources` of contract/deployment/monitored-resources.ts. */
  monitoredResources: 'MONITORED_RESOURCES',
} as const;

/** A key of {@link environment}, by which a Lambda reads a setting. */
export type EnvironmentKey = keyof typeof environment;
