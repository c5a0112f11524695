import { z } from 'zod';
import { deletedMailRetention } from '../contract/deployment/deleted-mail.ts';
import { defaultStackName, stackNamePattern } from '../contract/deployment/monitored-resources.ts';
import { receiptRuleRecipients } from '../contract/deployment/receipt-rule-set.ts';
import { defaultSendLimits, type SendLimits } from '../contract/deployment/sending.ts';
import { cognitoMailsPerDay, defaultSignInSender } from '../contract/deployment/sign-in-mail.ts';
import { defaultQuota, type QuotaAmounts } from '../contract/jmap/quota.ts';
import { mfaSettings, resourceServers, scopesFor, type Permission } from '../contract/oauth/oauth.ts';
import { loopbackHosts } from '../contract/oauth/registration.ts';
import { domainOf, isNobodysDomain } from '../contract/values/mail-address.ts';
import { entriesOf, keysOf } from '../contract/values/typed-entries.ts';

/** A label of a host name in lower case (RFC 1123 §2.1). */
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const hostNamePattern = new RegExp(`^(?=.{4,253}$)(?:${label}\\.)+${label}$`);

const audiences = keysOf(resourceServers);
const permissions = Object.values(resourceServers).flatMap(({ permissions }) => keysOf<{ readonly [P in Permission]?: string }>(permissions));

const text = (pattern: RegExp, message: string) => z.string(message).regex(pattern, message);

/** A value that is JSON text on the command line, and JSON itself in cdk.json. */
const parseJson = <S extends z.ZodType>(schema: S, message: string) =>
  z.preprocess((value, check) => {
    if (typeof value !== 'string') return value;
    try {
      return JSON.parse(value) as unknown;
    } catch {
      check.addIssue({ code: 'custom', message });
      return z.NEVER;
    }
  }, schema);

const booleanValue = (message: string) => z.union([z.boolean(), z.enum(['true', 'false']).transform((value) => value === 'true')], message);

/** A limit of at least 1. It is text on the command line, and a number in cdk.json. */
const quotaLimit = (message: string) => z.coerce.number(message).int(message).min(1, message).max(Number.MAX_SAFE_INTEGER, message);

const nobodys = 'the domain invalid is nobody’s (RFC 6761 §6.4)';

const emailAddress = (message: string) =>
  z
    .email(message)
    .max(254, message)
    .toLowerCase()
    .refine((address) => !isNobodysDomain(domainOf(address)), `${message}: ${nobodys}`);

const isOrigin = (value: string): boolean => {
  const url = URL.parse(value);
  if (url?.origin !== value) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && loopbackHosts.some((host) => host === url.hostname));
};

const baseUrl = (...protocols: string[]) => {
  const message = `is a URL that begins with ${protocols.join(' or ')} and has no slash, query or fragment at its end`;
  return z
    .string(message)
    .refine((value) => {
      const url = URL.parse(value);
      return !!url && protocols.includes(`${url.protocol}//`) && !/[?#]|\/$/.test(value);
    }, message)
    .optional();
};

const clientName = 'is letters and digits that begin with a capital letter: it names the outputs, as in JmapHeadlessClientId';

/** Names of clients, secrets or outputs that the stack itself uses. */
const reservedClientNames = ['Console', 'Webmail', 'Cli', 'Client'];

const headlessClient = z
  .strictObject(
    {
      name: text(/^[A-Z][A-Za-z0-9]{0,63}$/, clientName).refine(
        (name) => !reservedClientNames.some((reserved) => reserved.toLowerCase() === name.toLowerCase()),
        `is a name other than ${reservedClientNames.join(', ')}, which the stack has itself`,
      ),
      audiences: z.array(z.enum(audiences, `is one of ${audiences.join(', ')}`), 'is a list of audiences').min(1, 'lists one audience or more'),
      permissions: z.array(z.enum(permissions, `is one of ${permissions.join(', ')}`), 'is a list of permissions').min(1, 'lists one permission or more'),
    },
    'is an object with name, audiences and permissions, and nothing else',
  )
  .superRefine((client, check) => {
    for (const audience of client.audiences) {
      if (scopesFor([audience], client.permissions).length === 0) {
        const itsPermissions = Object.keys(resourceServers[audience].permissions).join(', ');
        check.addIssue({ code: 'custom', message: `has the audience ${audience} without one of its permissions (${itsPermissions})` });
      }
    }
    for (const permission of client.permissions) {
      if (scopesFor(client.audiences, [permission]).length === 0) {
        check.addIssue({ code: 'custom', message: `has the permission ${permission} without its audience` });
      }
    }
  });

/** The id of a Route 53 hosted zone. */
const hostedZoneId = /^Z[A-Z0-9]{4,31}$/;

/**
 * An IAM principal of a trust policy: an account's root, a role or a user, without wildcards. The maximum length leaves
 * room for cases in the policy.
 */
const principalPattern = /^(?=.{1,120}$)arn:aws[a-z-]*:iam::\d{12}:(?:root|(?:role|user)\/[\w+=,.@/-]+)$/;

/**
 * In `publicUrls.webSocketManagement`, the placeholder for the WebSocket API's id, which is not known before the
 * deployment.
 */
export const apiIdPlaceholder = '{apiId}';

/** A key of the CDK context: its schema and its documentation. */
type ContextKey<S extends z.ZodType> = {
  readonly schema: S;
  /** A description of valid values that completes "pass …". */
  readonly type: string;
  /** The behaviour when the key is absent. */
  readonly withoutIt: string;
  /** An example of an argument of `-c`. */
  readonly example: string;
};

type KeyDocumentation = Omit<ContextKey<z.ZodType>, 'schema'>;

/** Describes a key. @param schema gets the message for an invalid value. */
const key = <S extends z.ZodType>(documentation: KeyDocumentation, schema: (message: string) => S): ContextKey<S> => ({
  ...documentation,
  schema: schema(`pass ${documentation.type}`),
});

/** Every key of the CDK context that the app reads. `npm run docs` writes them into `docs/deploy.md`. */
export const contextKeys = {
  domain: key({ type: 'the mail domain, a host name of two labels or more in lower case', withoutIt: 'required', example: 'domain=example.com' }, (message) =>
    text(hostNamePattern, message).refine((domain) => !isNobodysDomain(domain), `${message}: ${nobodys}`),
  ),
  prefix: key({ type: 'one label of letters, digits and hyphens in lower case', withoutIt: 'no prefix', example: 'prefix=staging' }, (message) =>
    text(new RegExp(`^${label}$`), message).optional(),
  ),
  hostedZoneId: key(
    { type: 'the id of the Route 53 hosted zone that holds the domain', withoutIt: 'no custom domains', example: 'hostedZoneId=Z0123456789ABCDEFGHIJ' },
    (message) => text(hostedZoneId, message).optional(),
  ),
  dnsZoneIds: key(
    {
      type: 'a JSON list of up to 20 ids of Route 53 hosted zones',
      withoutIt: 'records can be changed in every hosted zone of the account',
      example: 'dnsZoneIds=\'["Z0123456789ABCDEFGHIJ"]\'',
    },
    (message) => parseJson(z.array(text(hostedZoneId, message), message).min(1, message).max(20, message), message).optional(),
  ),
  adminEmail: key({ type: 'the e-mail address of the first admin', withoutIt: 'no admin is created', example: 'adminEmail=ada@elsewhere.example' }, (message) =>
    emailAddress(message).optional(),
  ),
  headlessClients: key(
    {
      type: 'a JSON list of {name, audiences, permissions}',
      withoutIt: 'JmapHeadless of `cdk.json`',
      example: 'headlessClients=\'[{"name":"JmapHeadless","audiences":["jmapApi"],"permissions":["MAIL_READ"]}]\'',
    },
    (message) => parseJson(z.array(headlessClient, message).max(20, 'lists 20 clients at most'), message).default([]),
  ),
  dynamicRegistration: key({ type: 'true or false', withoutIt: 'true', example: 'dynamicRegistration=false' }, (message) =>
    booleanValue(message).default(true),
  ),
  mfa: key({ type: 'required or off', withoutIt: 'required', example: 'mfa=off' }, (message) => z.enum(mfaSettings, message).default('required')),
  signInMailFrom: key(
    {
      type: 'an e-mail address at the mail domain, once SES has verified the domain',
      withoutIt: `Cognito’s own sender, ${cognitoMailsPerDay} mails a day`,
      example: 'signInMailFrom=no-reply@example.com',
    },
    (message) => emailAddress(message).optional(),
  ),
  passkeys: key({ type: 'true or false; true needs dynamicRegistration=false and authDomainPrefix', withoutIt: 'false', example: 'passkeys=true' }, (message) =>
    booleanValue(message).default(false),
  ),
  removalPolicy: key({ type: 'retain or destroy', withoutIt: 'retain', example: 'removalPolicy=destroy' }, (message) =>
    z.enum(['retain', 'destroy'], message).default('retain'),
  ),
  alarmEmail: key(
    { type: 'the e-mail address that alarms are sent to', withoutIt: 'alarms send no e-mail', example: 'alarmEmail=ops@example.com' },
    (message) => emailAddress(message).optional(),
  ),
  encryptTopics: key(
    { type: 'true or false', withoutIt: 'false: SNS encrypts its disks, with keys that AWS holds', example: 'encryptTopics=true' },
    (message) => booleanValue(message).default(false),
  ),
  consoleOrigins: key(
    {
      type: 'a JSON list of web origins (https, or http on the loopback host)',
      withoutIt: 'only the deployment’s own console calls the admin API',
      example: 'consoleOrigins=\'["https://console.example.com"]\'',
    },
    (message) => {
      const origin = z.string(message).refine(isOrigin, 'is an origin such as https://console.example.com, without a path');
      return parseJson(z.array(origin, message).max(20, message), message).default([]);
    },
  ),
  publicUrls: key(
    {
      type: 'a JSON object with any of adminApi, console, webmail, jmap, webSocket, webSocketManagement, auth, identityProvider',
      withoutIt: 'the URLs of AWS, or the custom domains',
      example: 'publicUrls=\'{"jmap":"https://mail.example.com"}\'',
    },
    (message) =>
      parseJson(
        z.strictObject(
          {
            adminApi: baseUrl('https://', 'http://'),
            console: baseUrl('https://', 'http://'),
            webmail: baseUrl('https://', 'http://'),
            jmap: baseUrl('https://', 'http://'),
            webSocket: baseUrl('wss://', 'ws://'),
            webSocketManagement: baseUrl('https://', 'http://'),
            auth: baseUrl('https://', 'http://'),
            identityProvider: baseUrl('https://', 'http://'),
          },
          message,
        ),
        message,
      ).default({}),
  ),
  webmail: key({ type: 'true or false', withoutIt: 'true: people read their mail in the browser', example: 'webmail=false' }, (message) =>
    booleanValue(message).default(true),
  ),
  webmailHost: key(
    { type: 'the first label of the web mail’s host name, other than api, console, jmap and ws', withoutIt: 'mail', example: 'webmailHost=webmail' },
    (message) => text(new RegExp(`^(?!(?:api|console|jmap|ws)$)${label}$`), message).default('mail'),
  ),
  supportPrincipals: key(
    {
      type: 'a JSON list of up to 5 ARNs of accounts, roles or users (arn:aws:iam::<account>:root, :role/<name>, :user/<name>)',
      withoutIt: 'no principal can assume the support roles',
      example: 'supportPrincipals=\'["arn:aws:iam::111122223333:role/supporters"]\'',
    },
    (message) => parseJson(z.array(text(principalPattern, message), message).max(5, message), message).default([]),
  ),
  supportTrail: key(
    {
      type: 'deployment or account',
      withoutIt: 'deployment: with supportPrincipals, the deployment has a trail of CloudTrail of its own',
      example: 'supportTrail=account',
    },
    (message) => z.enum(['deployment', 'account'], message).default('deployment'),
  ),
  webPushNetworks: key(
    {
      type: 'a JSON list of up to 20 networks in CIDR notation (10.1.0.0/16, fd00:1::/32)',
      withoutIt: 'Web Push is sent to public addresses only',
      example: 'webPushNetworks=\'["10.1.0.0/16"]\'',
    },
    (message) => parseJson(z.array(z.union([z.cidrv4(), z.cidrv6()], message), message).max(20, message), message).default([]),
  ),
  lambdaConcurrency: key(
    {
      type: 'the account’s limit of concurrent Lambda executions in the region, 10 to 100000',
      withoutIt: '10, the limit of a new AWS account',
      example: 'lambdaConcurrency=1000',
    },
    (message) => z.coerce.number(message).int(message).min(10, message).max(100_000, message).default(10),
  ),
  authDomainPrefix: key(
    {
      type: '3 to 63 letters, digits and hyphens in lower case, without aws, amazon or cognito',
      withoutIt: '`postrider-` and a part of the stack’s id',
      example: 'authDomainPrefix=example-mail',
    },
    (message) => text(/^(?!.*(?:aws|amazon|cognito))[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/, message).optional(),
  ),
  maxOctetsPerAccount: key(
    { type: 'the octets of mail that an account may store, a whole number', withoutIt: '50000000000', example: 'maxOctetsPerAccount=5000000000' },
    (message) => quotaLimit(message).default(defaultQuota.octets),
  ),
  maxEmailsPerAccount: key(
    { type: 'the number of Emails that an account may have, a whole number', withoutIt: '1000000', example: 'maxEmailsPerAccount=200000' },
    (message) => quotaLimit(message).default(defaultQuota.count),
  ),
  maxRecipientsPerMinute: key(
    { type: 'the recipients to whom an account may send in a minute, a whole number', withoutIt: '500', example: 'maxRecipientsPerMinute=100' },
    (message) => quotaLimit(message).default(defaultSendLimits.perMinute),
  ),
  maxRecipientsPerDay: key(
    { type: 'the recipients to whom an account may send on a day in UTC, a whole number', withoutIt: '5000', example: 'maxRecipientsPerDay=2000' },
    (message) => quotaLimit(message).default(defaultSendLimits.perDay),
  ),
  deletedMailRetentionDays: key(
    { type: 'the days for which deleted mail, accounts and users can be restored, 0 to 35', withoutIt: '14', example: 'deletedMailRetentionDays=30' },
    (message) => {
      const { min, max, default: fallback } = deletedMailRetention;
      // An empty text would be the number 0.
      return z
        .union([z.number(), z.string().regex(/^\d+$/).transform(Number)], message)
        .pipe(z.number().int(message).min(min, message).max(max, message))
        .default(fallback);
    },
  ),
  recordSubjects: key({ type: 'true or false', withoutIt: 'true', example: 'recordSubjects=false' }, (message) => booleanValue(message).default(true)),
  forwardOutside: key({ type: 'true or false', withoutIt: 'true', example: 'forwardOutside=false' }, (message) => booleanValue(message).default(true)),
  backupDays: key(
    {
      type: 'the days for which AWS Backup keeps a daily backup of tables and mail bucket, 1 to 3650',
      withoutIt: 'no backups beyond the 35 days of recovery',
      example: 'backupDays=365',
    },
    (message) =>
      z
        .union([z.number(), z.string().regex(/^\d+$/).transform(Number)], message)
        .pipe(z.number().int(message).min(1, message).max(3650, message))
        .optional(),
  ),
  receiptRules: key({ type: 'addresses or domains', withoutIt: 'addresses', example: 'receiptRules=domains' }, (message) =>
    z.enum(receiptRuleRecipients, message).default('addresses'),
  ),
  stackName: key(
    { type: '1 to 40 letters, digits and hyphens that begin with a letter', withoutIt: defaultStackName, example: 'stackName=PostriderStaging' },
    (message) => text(stackNamePattern, message).default(defaultStackName),
  ),
} as const;

type Keys = typeof contextKeys;
type Values = { readonly [K in keyof Keys]: z.output<Keys[K]['schema']> };

/** The validated context, with defaults. */
export type DeploymentContext = Values;

/** The limits of accounts without their own limits. */
export type QuotaContext = Pick<DeploymentContext, 'maxOctetsPerAccount' | 'maxEmailsPerAccount'>;
export type SendLimitContext = Pick<DeploymentContext, 'maxRecipientsPerMinute' | 'maxRecipientsPerDay'>;

/** The environment variable `accountQuota`: the limits of accounts without their own limits. */
export const accountQuota = (context: QuotaContext): string => {
  const amounts: QuotaAmounts = { octets: context.maxOctetsPerAccount, count: context.maxEmailsPerAccount };
  return JSON.stringify(amounts);
};

/** One client of `headlessClients` (docs/specification.md#machine-access). */
export type HeadlessClient = DeploymentContext['headlessClients'][number];

/** An invalid context. The message names each invalid key and the expected value. */
export class ContextError extends Error {
  override readonly name = 'ContextError';
}

const isKey = (name: string): name is keyof Keys => Object.hasOwn(contextKeys, name);

/**
 * Unknown keys that are meant for this app. Keys with punctuation (`@aws-cdk/…`, `availability-zones:…`) belong to the
 * CDK.
 */
const unknownKeys = (values: Readonly<Record<string, unknown>>): string[] => Object.keys(values).filter((name) => /^[A-Za-z]+$/.test(name) && !isKey(name));

const describeIssue = (name: keyof Keys, { path, message }: { path: readonly PropertyKey[]; message: string }): string => {
  const place = [name, ...path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))].join('');
  return `${place}: ${message}, as in -c ${contextKeys[name].example}`;
};

/**
 * The host name `label.domain`. The prefix label, if there is one, is between the two
 * (docs/specification.md#urls-and-routes).
 */
export const hostName = (first: string, { domain, prefix }: { readonly domain: string; readonly prefix?: string | undefined }): string =>
  [first, prefix, domain].filter(Boolean).join('.');

/** Finds contradictions between the values. Values that are invalid themselves are absent. */
const contradictions = ({ domain, signInMailFrom, headlessClients = [], passkeys, dynamicRegistration, authDomainPrefix }: Partial<Values>): string[] => [
  ...(new Set(headlessClients.map(({ name }) => name)).size < headlessClients.length ? ['headlessClients: each client has a name of its own'] : []),
  ...(signInMailFrom !== undefined && domain !== undefined && !signInMailFrom.endsWith(`@${domain}`)
    ? [`signInMailFrom: pass an address at the mail domain, such as ${defaultSignInSender(domain)}`]
    : []),
  ...(passkeys && dynamicRegistration
    ? ['passkeys: pass dynamicRegistration=false too. Pages with passkeys need a style for each app client, and a mail client that registers itself has none']
    : []),
  ...(passkeys && authDomainPrefix === undefined
    ? ['passkeys: pass authDomainPrefix too. A passkey is bound to the host name of the sign-in page, which must stay the same']
    : []),
];

/**
 * Validates the deployment's context.
 * @throws ContextError that lists every invalid value.
 */
export const deploymentContext = (values: Readonly<Record<string, unknown>>): DeploymentContext => {
  const problems = unknownKeys(values).map((name) => `${name}: there is no such key; there are ${Object.keys(contextKeys).join(', ')}`);
  const valid: Record<string, unknown> = {};
  for (const [name, { schema }] of entriesOf<{ readonly [Name in keyof Keys]: ContextKey<z.ZodType> }>(contextKeys)) {
    const result = schema.safeParse(values[name]);
    if (result.success) valid[name] = result.data;
    else problems.push(...result.error.issues.map((issue) => describeIssue(name, issue)));
  }
  problems.push(...contradictions(valid));
  if (problems.length > 0) throw new ContextError(`This context can't be deployed:\n${problems.map((line) => `  ${line}`).join('\n')}`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schemas have checked each value
  return valid as Values;
};

/** The environment variable `sendLimits`: the limits of accounts without their own limits. */
export const sendLimits = (context: SendLimitContext): string => {
  const limits: SendLimits = { perMinute: context.maxRecipientsPerMinute, perDay: context.maxRecipientsPerDay };
  return JSON.stringify(limits);
};
