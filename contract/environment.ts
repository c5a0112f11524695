/**
 * The names of the environment variables by which the deployment tells a Lambda where things are: written by `lib/`,
 * read by `core/runtime/settings.ts`. Never a secret: secrets are named by their ARN.
 */
export const environment = {
  /** Users, accounts, members, addresses, domains. */
  directoryTable: 'DIRECTORY_TABLE',
  /** HEAD, log, rows and records of every account's mail. */
  mailTable: 'MAIL_TABLE',
  /** Raw messages (`inbound/`, `messages/`), uploads (`uploads/`) and prepared downloads (`downloads/`). */
  mailBucket: 'MAIL_BUCKET',
  userPoolId: 'USER_POOL_ID',
  /** Base URL under which `/{userPoolId}/.well-known/jwks.json` is found; unset: Cognito's own. */
  identityProviderUrl: 'IDENTITY_PROVIDER_URL',
  /** Base URL of the hosted sign-in, without a slash at the end. */
  authUrl: 'AUTH_URL',
  /** Public base URLs, without a slash at the end. */
  adminApiUrl: 'ADMIN_API_URL',
  jmapUrl: 'JMAP_URL',
  /** `wss://…`, the stage's path included. */
  webSocketUrl: 'WEB_SOCKET_URL',
  /**
   * Where open WebSockets are reached from inside, the stage's path included:
   * `https://{api}.execute-api.{region}.amazonaws.com/{stage}`.
   */
  webSocketManagementUrl: 'WEB_SOCKET_MANAGEMENT_URL',
  /** URL of the queue in which pushes wait for the web-push Lambda. */
  webPushQueueUrl: 'WEB_PUSH_QUEUE_URL',
  /** CIDR ranges that Web Push may connect to besides public addresses, parted by spaces; unset: none. */
  webPushNetworks: 'WEB_PUSH_NETWORKS',
  /** The deployment's own mail domain, `example.com`. */
  mailDomain: 'MAIL_DOMAIN',
  /** Where mail clients reach JMAP over https, `jmap.example.com:443`: what an SRV record says (RFC 8620 §2.2). */
  jmapServer: 'JMAP_SERVER',
  /** ARN of the secret that signs page tokens. */
  pageTokenSecretArn: 'PAGE_TOKEN_SECRET_ARN',
  /** ARN of the secret that the key pair for Web Push comes of (RFC 9749); unset: Web Push is not offered. */
  vapidSecretArn: 'VAPID_SECRET_ARN',
  configurationSet: 'SES_CONFIGURATION_SET',
  /** Submissions, the outbox, bounces and complaints, suppression. */
  sendingTable: 'SENDING_TABLE',
  /** URL of the queue in which sends wait for the submit Lambda. */
  submitQueueUrl: 'SUBMIT_QUEUE_URL',
  /** `true` or `false`: whether POST /oauth/register is open (RFC 7591). */
  dynamicRegistration: 'DYNAMIC_REGISTRATION',
  /** Where accounts wait for their removal. */
  accountRemovalQueueUrl: 'ACCOUNT_REMOVAL_QUEUE_URL',
  /**
   * Client ids of the headless clients, parted by spaces: the principals beside users that may be members of an
   * account.
   */
  headlessClientIds: 'HEADLESS_CLIENT_IDS',
  /** Servers that are asked what public DNS says, `host` or `host:port`, parted by spaces; unset: the system's own. */
  dnsServers: 'DNS_SERVERS',
  /** ARN of the role of each support tier, as JSON: `{"DIAG": …, "CONFIG_READ": …}`. */
  supportRoles: 'SUPPORT_ROLES',
  /** ARNs of those who may assume support roles, parted by spaces; unset: nobody. */
  supportPrincipals: 'SUPPORT_PRINCIPALS',
  /** What the deployment consists of, as JSON: `MonitoredResources` of contract/monitored-resources.ts. */
  monitoredResources: 'MONITORED_RESOURCES',
} as const;

/** A key of {@link environment}; what a Lambda asks its configuration for. */
export type EnvironmentKey = keyof typeof environment;
