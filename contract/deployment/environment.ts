/**
 * The names of the Lambdas' environment variables. `lib/` sets them, `core/runtime/lambda/settings.ts` reads them. None holds a
 * secret.
 */
export const environment = {
  /** Name of the table with users, accounts, members, addresses and domains. */
  directoryTable: 'DIRECTORY_TABLE',
  /** Name of the table with the head, log, rows and records of every account's mail. */
  mailTable: 'MAIL_TABLE',
  /**
   * Name of the bucket with raw messages (`inbound/`, `messages/`), uploads (`uploads/`) and snapshots (`snapshots/`).
   */
  mailBucket: 'MAIL_BUCKET',
  userPoolId: 'USER_POOL_ID',
  /** Base URL of `/{userPoolId}/.well-known/jwks.json`. Unset: that of Cognito. */
  identityProviderUrl: 'IDENTITY_PROVIDER_URL',
  /** Base URL of the hosted sign-in, without a slash at the end. */
  authUrl: 'AUTH_URL',
  /** Base URL of the authorization endpoint, without a slash at the end, and the id of its API. */
  authorizationUrl: 'AUTHORIZATION_URL',
  authorizationApiId: 'AUTHORIZATION_API_ID',
  /** Client id of the console's app client. */
  consoleClientId: 'CONSOLE_CLIENT_ID',
  /** Client id of the web mail's app client. */
  webmailClientId: 'WEBMAIL_CLIENT_ID',
  /** Client id of the command line's app client. */
  cliClientId: 'CLI_CLIENT_ID',
  /** Public base URLs, without a slash at the end. */
  adminApiUrl: 'ADMIN_API_URL',
  jmapUrl: 'JMAP_URL',
  /** URL of uploads without the account's id: `https://jmap.example.com/upload`. */
  uploadUrl: 'UPLOAD_URL',
  /** URL of downloads without the query: `https://jmap.example.com/download`. */
  downloadUrl: 'DOWNLOAD_URL',
  /** URL of the WebSocket API, `wss://…`, with the path of the stage. */
  webSocketUrl: 'WEB_SOCKET_URL',
  /**
   * URL of the API by which Lambdas send to open WebSockets, with the path of the stage:
   * `https://{api}.execute-api.{region}.amazonaws.com/{stage}`.
   */
  webSocketManagementUrl: 'WEB_SOCKET_MANAGEMENT_URL',
  /** URL of the queue of the push-delivery Lambda. */
  pushDeliveryQueueUrl: 'PUSH_DELIVERY_QUEUE_URL',
  /** URLs of the queues on which clients of the event source wait, separated by spaces. */
  eventSourceQueueUrls: 'EVENT_SOURCE_QUEUE_URLS',
  /** CIDR ranges to which Web Push may connect in addition to public addresses, separated by spaces. */
  webPushNetworks: 'WEB_PUSH_NETWORKS',
  /** The address from which people are invited by SES. */
  signInMailFrom: 'SIGN_IN_MAIL_FROM',
  /** Whether Cognito sends its mail by SES, `true`, and not by its own sender. */
  cognitoSendsBySes: 'COGNITO_SENDS_BY_SES',
  /** Whether the hosted page asks for a second factor: `required` or `off`. */
  mfa: 'MFA',
  /** The deployment's own mail domain, `example.com`. */
  mailDomain: 'MAIL_DOMAIN',
  /** Host and port of JMAP over HTTPS for the domains' SRV records: `jmap.example.com:443` (RFC 8620 §2.2). */
  jmapServer: 'JMAP_SERVER',
  /** The stack's name, which is the value of the tag on SES identities that this deployment registers. */
  deployment: 'DEPLOYMENT',
  /** The hard limits of accounts without limits of their own, as JSON: `QuotaAmounts` of contract/jmap/quota.ts. */
  accountQuota: 'ACCOUNT_QUOTA',
  sendLimits: 'SEND_LIMITS',
  /** Days for which deleted mail, accounts and users can be restored (`deleted-mail.ts`). */
  deletedMailRetentionDays: 'DELETED_MAIL_RETENTION_DAYS',
  /** Whether admins see the subjects of received and sent messages: `true` or `false`. */
  recordSubjects: 'RECORD_SUBJECTS',
  /** Whether accounts may forward mail to addresses outside: `true` or `false`. */
  forwardOutside: 'FORWARD_OUTSIDE',
  /** URL of the queue of received mail. Bounces that are due are sent to the same queue. */
  inboundQueueUrl: 'INBOUND_QUEUE_URL',
  /** URL of the dead letters of the queue of received mail. */
  inboundDeadLettersUrl: 'INBOUND_DEAD_LETTERS_URL',
  /** What the receipt rules list: `addresses` or `domains`. */
  receiptRules: 'RECEIPT_RULES',
  /** ARN of the topic that SES notifies of received mail. */
  inboundTopicArn: 'INBOUND_TOPIC_ARN',
  configurationSet: 'SES_CONFIGURATION_SET',
  /** Name of the table with submissions, the outbox, bounces, complaints and suppression. */
  sendingTable: 'SENDING_TABLE',
  /** URL of the queue of parts of submissions for the submit Lambda. */
  submitQueueUrl: 'SUBMIT_QUEUE_URL',
  /** Whether POST /oauth/register is enabled (RFC 7591): `true` or `false`. */
  dynamicRegistration: 'DYNAMIC_REGISTRATION',
  /** URL of the queue of the account-removal Lambda. */
  accountRemovalQueueUrl: 'ACCOUNT_REMOVAL_QUEUE_URL',
  /** URL of the queue of the mail-cleanup Lambda. */
  mailCleanupQueueUrl: 'MAIL_CLEANUP_QUEUE_URL',
  /** URL of the queue from which the Lambda itself receives messages when a schedule invokes the Lambda. */
  drainedQueueUrl: 'DRAINED_QUEUE_URL',
  /**
   * The headless clients as `client_id=name`, separated by spaces. These are the principals other than users that may be
   * members of an account.
   */
  headlessClients: 'HEADLESS_CLIENTS',
  /**
   * Servers for queries of public DNS, as `host` or `host:port`, separated by spaces. Unset: the servers of the system.
   */
  dnsServers: 'DNS_SERVERS',
  /** ARN of the role of each support tier, as JSON: `{"DIAG": …, "CONFIG_READ": …}`. */
  supportRoles: 'SUPPORT_ROLES',
  /** ARNs of the principals that may assume support roles, separated by spaces. Unset: there are none. */
  supportPrincipals: 'SUPPORT_PRINCIPALS',
  /** The deployment's resources that monitoring reads, as JSON: `MonitoredResources` of contract/deployment/monitored-resources.ts. */
  monitoredResources: 'MONITORED_RESOURCES',
  /** Base URL of the console, without a slash at the end. */
  consoleUrl: 'CONSOLE_URL',
  webmailUrl: 'WEBMAIL_URL',
  /** ARN of the topic to which the watch publishes changes of the list of problems. */
  alarmTopicArn: 'ALARM_TOPIC_ARN',
  /** Whether the deployment has the setting `alarmEmail`: `true` or unset. */
  hasAlarmEmail: 'HAS_ALARM_EMAIL',
  /** Host names of the custom domains, separated by spaces. Unset: there are none. */
  customHostNames: 'CUSTOM_HOST_NAMES',
} as const;

/** A key of {@link environment}, by which a Lambda reads a setting. */
export type EnvironmentKey = keyof typeof environment;
