import { z } from 'zod';
import { resourceServers, scopesFor, type Audience, type Permission } from '../contract/oauth.ts';
import { loopbackHosts } from '../contract/registration.ts';

/** A label or more of letters, digits and inner hyphens (RFC 1123 §2.1), lower case. */
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const hostNamePattern = new RegExp(`^(?=.{4,253}$)(?:${label}\\.)+${label}$`);

const audiences = Object.keys(resourceServers) as Audience[];
const permissions = Object.values(resourceServers).flatMap(({ permissions }) => Object.keys(permissions)) as Permission[];

const text = (pattern: RegExp, words: string) => z.string(words).regex(pattern, words);
/** A value that is written as JSON on the command line and may stand as itself in cdk.json. */
const fromJson = <S extends z.ZodType>(schema: S, words: string) => z.preprocess((value, check) => {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    check.addIssue({ code: 'custom', message: words });
    return z.NEVER;
  }
}, schema);
const yesOrNo = (words: string) => z.union([z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')], words);

const emailAddress = (words: string) => z.email(words).max(254, words).toLowerCase();

const isOrigin = (value: string): boolean => {
  const url = URL.parse(value);
  if (url?.origin !== value) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && loopbackHosts.some((host) => host === url.hostname));
};

const baseUrl = (...protocols: string[]) => {
  const words = `is a URL that begins with ${protocols.join(' or ')} and has no slash, query or fragment at its end`;
  return z.string(words).refine((value) => {
    const url = URL.parse(value);
    return !!url && protocols.includes(`${url.protocol}//`) && !/[?#]|\/$/.test(value);
  }, words).optional();
};

const headlessClient = z.strictObject({
  name: text(/^[A-Z][A-Za-z0-9]{0,63}$/, 'is letters and digits that begin with a capital letter: it names the outputs, as in JmapHeadlessClientId'),
  audiences: z.array(z.enum(audiences, `is one of ${audiences.join(', ')}`), 'is a list of audiences').min(1, 'lists one audience or more'),
  permissions: z.array(z.enum(permissions, `is one of ${permissions.join(', ')}`), 'is a list of permissions').min(1, 'lists one permission or more'),
}, 'is an object with name, audiences and permissions, and nothing else').superRefine((client, check) => {
  for (const audience of client.audiences) {
    if (scopesFor([audience], client.permissions).length === 0) {
      check.addIssue({ code: 'custom', message: `has the audience ${audience} without one of its permissions (${Object.keys(resourceServers[audience].permissions).join(', ')})` });
    }
  }
  for (const permission of client.permissions) {
    if (scopesFor(client.audiences, [permission]).length === 0) {
      check.addIssue({ code: 'custom', message: `has the permission ${permission} without its audience` });
    }
  }
});

/** Somebody of IAM whom a trust policy may name: an account's root, a role or a user. No wildcards; five of them leave room for cases. */
const principalPattern = /^(?=.{1,120}$)arn:aws[a-z-]*:iam::\d{12}:(?:root|(?:role|user)\/[\w+=,.@/-]+)$/;

/** What stands in `publicUrls.webSocketManagement` for the id of the WebSocket API, which nobody knows before it is made. */
export const apiIdPlaceholder = '{apiId}';

/** A key of the CDK context: how it is read, and what the operator is told about it. */
type ContextKey<S extends z.ZodType> = {
  readonly schema: S;
  /** What a good value is, as the end of "pass …". */
  readonly type: string;
  /** What holds without one, in words. */
  readonly otherwise: string;
  /** As it is typed after `-c`. */
  readonly example: string;
};

const key = <S extends z.ZodType>(type: string, otherwise: string, example: string, schema: (words: string) => S): ContextKey<S> =>
  ({ type, otherwise, example, schema: schema(`pass ${type}`) });

/** Every key of the CDK context that the app reads; `docs/deploy.md` lists the same. */
export const contextKeys = {
  domain: key('the mail domain, a host name of two labels or more in lower case', 'required', 'domain=example.com',
    (words) => text(hostNamePattern, words)),
  prefix: key('one label of letters, digits and hyphens in lower case', 'no label', 'prefix=staging',
    (words) => text(new RegExp(`^${label}$`), words).optional()),
  hostedZoneId: key('the id of the Route 53 hosted zone that holds the domain', 'no custom domains', 'hostedZoneId=Z0123456789ABCDEFGHIJ',
    (words) => text(/^Z[A-Z0-9]{4,31}$/, words).optional()),
  adminEmail: key('the e-mail address of the first admin', 'no admin is made', 'adminEmail=ada@example.com',
    (words) => emailAddress(words).optional()),
  headlessClients: key('a JSON list of {name, audiences, permissions}', 'none',
    'headlessClients=\'[{"name":"JmapHeadless","audiences":["jmapApi"],"permissions":["MAIL_READ"]}]\'',
    (words) => fromJson(z.array(headlessClient, words).max(20, 'lists 20 clients at most'), words).default([])),
  dynamicRegistration: key('true or false', 'true', 'dynamicRegistration=false',
    (words) => yesOrNo(words).default(true)),
  removalPolicy: key('retain or destroy', 'retain', 'removalPolicy=destroy',
    (words) => z.enum(['retain', 'destroy'], words).default('retain')),
  alarmEmail: key('the e-mail address that alarms go to', 'alarms tell nobody', 'alarmEmail=ops@example.com',
    (words) => emailAddress(words).optional()),
  consoleOrigins: key('a JSON list of web origins (https, or http on the loopback host)', 'https://console.<domain>, the prefix between', 'consoleOrigins=\'["https://console.example.com"]\'',
    (words) => fromJson(z.array(z.string(words).refine(isOrigin, 'is an origin such as https://console.example.com, without a path'), words).min(1, words).max(20, words), words).optional()),
  publicUrls: key('a JSON object with any of adminApi, jmap, webSocket, webSocketManagement, auth, identityProvider', 'the URLs that AWS gives, or the custom domains', 'publicUrls=\'{"jmap":"https://mail.example.com"}\'',
    (words) => fromJson(z.strictObject({
      adminApi: baseUrl('https://', 'http://'),
      jmap: baseUrl('https://', 'http://'),
      webSocket: baseUrl('wss://', 'ws://'),
      webSocketManagement: baseUrl('https://', 'http://'),
      auth: baseUrl('https://', 'http://'),
      identityProvider: baseUrl('https://', 'http://'),
    }, words), words).default({})),
  supportPrincipals: key('a JSON list of up to 5 ARNs of accounts, roles or users (arn:aws:iam::<account>:root, :role/<name>, :user/<name>)', 'support roles trust nobody', 'supportPrincipals=\'["arn:aws:iam::111122223333:role/supporters"]\'',
    (words) => fromJson(z.array(text(principalPattern, words), words).max(5, words), words).default([])),
  webPushNetworks: key('a JSON list of up to 20 networks in CIDR notation (10.1.0.0/16, fd00:1::/32)', 'Web Push goes to public addresses only', 'webPushNetworks=\'["10.1.0.0/16"]\'',
    (words) => fromJson(z.array(z.union([z.cidrv4(), z.cidrv6()], words), words).max(20, words), words).default([])),
  authDomainPrefix: key('3 to 63 letters, digits and hyphens in lower case, without aws, amazon or cognito', '`postrider-` and a part of the stack’s id', 'authDomainPrefix=example-mail',
    (words) => text(/^(?!.*(?:aws|amazon|cognito))[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/, words).optional()),
  stackName: key('1 to 40 letters, digits and hyphens that begin with a letter', 'Postrider', 'stackName=PostriderStaging',
    (words) => text(/^[A-Za-z][A-Za-z0-9-]{0,39}$/, words).default('Postrider')),
} as const;

type Keys = typeof contextKeys;
type Values = { readonly [K in keyof Keys]: z.output<Keys[K]['schema']> };

/** What a deployment is asked to be: every key read, checked and with its default. */
export type DeploymentContext = Omit<Values, 'consoleOrigins'> & { readonly consoleOrigins: readonly string[] };

/** One client of `headlessClients` (docs/specification.md#machine-access). */
export type HeadlessClient = DeploymentContext['headlessClients'][number];

/** The context can't be deployed; the message names each wrong key and what to pass instead. */
export class ContextError extends Error {
  override readonly name = 'ContextError';
}

const isKey = (name: string): name is keyof Keys => Object.hasOwn(contextKeys, name);

/** Plain words are ours; everything with punctuation (`@aws-cdk/…`, `availability-zones:…`) is the CDK's. */
const strangers = (values: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(values).filter((name) => /^[A-Za-z]+$/.test(name) && !isKey(name));

const described = (name: keyof Keys, { path, message }: { path: readonly PropertyKey[]; message: string }): string => {
  const place = [name, ...path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))].join('');
  return `${place}: ${message}, as in -c ${contextKeys[name].example}`;
};

/** `label.domain`, with the prefix label between the two when there is one (docs/specification.md#urls-and-routes). */
export const hostName = (first: string, { domain, prefix }: { readonly domain: string; readonly prefix?: string | undefined }): string =>
  [first, prefix, domain].filter(Boolean).join('.');

/**
 * Reads the deployment's context from the CDK's.
 * @throws ContextError that tells every wrong value at once.
 */
export const deploymentContext = (values: Readonly<Record<string, unknown>>): DeploymentContext => {
  const wrong = strangers(values).map((name) => `${name}: there is no such key; there are ${Object.keys(contextKeys).join(', ')}`);
  const read: Record<string, unknown> = {};
  for (const [name, { schema }] of Object.entries(contextKeys) as [keyof Keys, ContextKey<z.ZodType>][]) {
    const answer = schema.safeParse(values[name]);
    if (answer.success) read[name] = answer.data;
    else wrong.push(...answer.error.issues.map((issue) => described(name, issue)));
  }
  const names = Array.isArray(read['headlessClients']) ? (read['headlessClients'] as HeadlessClient[]).map(({ name }) => name) : [];
  if (new Set(names).size < names.length) wrong.push('headlessClients: each client has a name of its own');
  if (wrong.length > 0) throw new ContextError(`This context can't be deployed:\n${wrong.map((line) => `  ${line}`).join('\n')}`);
  const context = read as Values;
  return { ...context, consoleOrigins: context.consoleOrigins ?? [`https://${hostName('console', context)}`] };
};
