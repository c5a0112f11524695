import { nameInStack, type MonitoredResources } from '../../contract/deployment/monitored-resources.ts';
import { forwardMessageClass, groupMessageClass } from '../../contract/deployment/sending.ts';
import type { QuotaAmounts } from '../../contract/jmap/quota.ts';
import { comparableAddress } from '../../contract/values/mail-address.ts';
import { readHeads } from '../../core/account-log/head.ts';
import { apiDimensions, apiMetrics, type MetricPoint, type MetricQuery, type Metrics } from '../../core/aws/cloudwatch/metrics.ts';
import { readReputation } from '../../core/aws/cloudwatch/reputation.ts';
import type { ClientRegistrar } from '../../core/aws/cognito-client-registrar.ts';
import { readQueueStates } from '../../core/aws/queue-states.ts';
import type { EmailProvider } from '../../core/aws/ses/ses-email-provider.ts';
import type { SenderAddresses } from '../../core/aws/ses/ses-sender-addresses.ts';
import type { QueueDepths } from '../../core/aws/sqs-queue-depths.ts';
import { hasEndedWaiting, type AccountRemovals } from '../../core/directory/accounts/account-removals.ts';
import type { Accounts } from '../../core/directory/accounts/accounts.ts';
import type { ClientRegistrations } from '../../core/directory/clients/client-registrations.ts';
import { lookUpMx } from '../../core/directory/domains/domain-lookups.ts';
import type { Domains } from '../../core/directory/domains/domains.ts';
import type { Forwardings } from '../../core/directory/forwarding/forwardings.ts';
import { listOutsideMembers } from '../../core/directory/groups/outside-members.ts';
import type { UserRemovals } from '../../core/directory/users/user-removals.ts';
import { listUnparsedMessages } from '../../core/mail/delivery/unparsed-messages.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import type { ServedCertificates } from '../../core/runtime/http/served-certificates.ts';
import { mapConcurrently } from '../../core/runtime/map-concurrently.ts';
import type { PublicDns } from '../../core/runtime/public-dns.ts';
import { isSuppressedForGood } from '../../core/sending/feedback/suppression-rules.ts';
import type { Suppressions } from '../../core/sending/feedback/suppressions.ts';
import { readAllPages } from '../../core/storage/page.ts';
import type { Table } from '../../core/storage/table.ts';

/** The dependencies of the readers of the sources. */
export type SourceDependencies = {
  readonly resources: MonitoredResources;
  readonly queueDepths: QueueDepths;
  readonly metrics: Metrics;
  readonly emailProvider: Pick<EmailProvider, 'accountStatus'>;
  readonly senderAddresses: Pick<SenderAddresses, 'listVerifiedIdentities'>;
  readonly domains: Pick<Domains, 'list'>;
  readonly dns: PublicDns;
  readonly accounts: Pick<Accounts, 'list' | 'findAll'>;
  readonly forwardings: Pick<Forwardings, 'list'>;
  /** The mail table, with the heads of accounts and the messages that could not be parsed. */
  readonly mail: Pick<Table, 'batchGet' | 'query'>;
  readonly directory: Pick<Table, 'query' | 'batchGet'>;
  readonly suppressions: Pick<Suppressions, 'findAll'>;
  readonly removals: Pick<AccountRemovals, 'list'>;
  readonly userRemovals: Pick<UserRemovals, 'listDue'>;
  /** Undefined when no client can register. */
  readonly appClients: Pick<ClientRegistrar, 'count'> | undefined;
  readonly registrations: Pick<ClientRegistrations, 'countNew'>;
  readonly certificates: ServedCertificates;
  /** Host names of the deployment's custom domains. */
  readonly hostNames: readonly string[];
  readonly quotaDefaults: QuotaAmounts;
  /** The deployment's own mail domain. */
  readonly mailDomain: string;
  readonly region: string;
  readonly clock: Clock;
};

const minute = 60_000;
const day = 24 * 60 * minute;

/** Length of the periods of metrics, in seconds. */
const period = 300;

/** The last minutes until `now`, which begin with a period. */
const lastMinutes = (minutes: number, now: Date) => ({
  from: new Date(Math.floor((now.getTime() - minutes * minute) / (period * 1000)) * period * 1000),
  to: now,
});

const total = (points: readonly MetricPoint[] = []): number => points.reduce((sum, { value }) => sum + value, 0);

/** A metric of Lambda. @param name undefined for all Lambdas of the AWS account in the region. */
const lambdaMetric = (metric: string, stack: string, name: string | undefined, statistic: MetricQuery['statistic'] = 'Sum'): MetricQuery => ({
  namespace: 'AWS/Lambda',
  metric,
  statistic,
  period,
  dimensions: name === undefined ? {} : { FunctionName: nameInStack(stack, name) },
});

/** The Lambdas that read the stream of a table. */
const streamLambdas = ['notify', 'indexer', 'receipt-rules'];

/** The queue's metrics are a few minutes late, so that the newest point of this time is its present state. */
const streamMinutes = 15;
const throttleMinutes = 15;
const apiMinutes = 15;
const errorMinutes = 30;

/** Milliseconds by which each Lambda of a stream is behind. */
const readStreams = async ({ resources: { stack, functions }, metrics, clock }: SourceDependencies): Promise<Map<string, number>> => {
  const names = streamLambdas.filter((name) => functions.includes(name));
  const points = await metrics.read(
    names.map((name) => lambdaMetric('IteratorAge', stack, name, 'Maximum')),
    lastMinutes(streamMinutes, clock()),
  );
  return new Map(names.map((name, index) => [name, points[index]?.[0]?.value ?? 0]));
};

/**
 * Lambdas whose errors say something to the person who called: Cognito shows the error of a trigger, and a download that is
 * cut off ends by one. Anybody can cause these, so they are no problem. Failures of the Lambda itself are in its log.
 */
const answeringByErrors: readonly string[] = ['custom-message', 'downloads'];

/**
 * Errors of each Lambda that has some. Those of all Lambdas of the AWS account are read first, because most runs need no
 * other metric then.
 */
const readLambdaErrors = async ({ resources: { stack, functions }, metrics, clock }: SourceDependencies): Promise<Map<string, number>> => {
  const time = lastMinutes(errorMinutes, clock());
  const [ofAccount] = await metrics.read([lambdaMetric('Errors', stack, undefined)], time);
  if (total(ofAccount) === 0) return new Map();
  const names = functions.filter((name) => !answeringByErrors.includes(name));
  const errors = await metrics.read(
    names.map((name) => lambdaMetric('Errors', stack, name)),
    time,
  );
  return new Map(names.map((name, index) => [name, total(errors[index])] as const).filter(([, count]) => count > 0));
};

/** Responses with a status 5xx of each API. */
const readApis = async ({ resources: { stack, apis }, metrics, clock }: SourceDependencies): Promise<Map<string, number>> => {
  const errors = await metrics.read(
    apis.map((api) => ({ namespace: 'AWS/ApiGateway', metric: apiMetrics[api.kind].errors, dimensions: apiDimensions(stack, api), statistic: 'Sum', period })),
    lastMinutes(apiMinutes, clock()),
  );
  return new Map(apis.map(({ name }, index) => [name, total(errors[index])]));
};

const readDomains = async (dependencies: SourceDependencies) => {
  const all = (await readAllPages(dependencies.domains.list)).filter(({ state }) => state === 'ready');
  const [verified, mx] = await Promise.all([dependencies.senderAddresses.listVerifiedIdentities(), lookUpMx(all, dependencies)]);
  return { all, verified, mx };
};

/** The heads of all accounts, with the accounts' names. */
const readAccounts = async ({ accounts, mail }: SourceDependencies) => {
  const all = await readAllPages(accounts.list);
  const heads = await readHeads(
    mail,
    all.map(({ account_id: accountId }) => accountId),
  );
  return new Map(
    all.flatMap(({ account_id: accountId, name, email }) => {
      const head = heads.get(accountId);
      return head ? [[accountId, { head, name: `${name} (${email})` }] as const] : [];
    }),
  );
};

/** Milliseconds after the retention within which a removal ends. The sweep that begins it runs once a day. */
const removalTime = 2 * day;

/** Ids of deleted accounts and users whose data should be gone. */
const readRemovals = async ({ removals, userRemovals, clock }: SourceDependencies): Promise<string[]> => {
  const due = new Date(clock().getTime() - removalTime);
  const accounts = (await readAllPages(removals.list)).filter(
    (removal) => removal.step !== 'restoring' && hasEndedWaiting(removal, due) && removal.begunAt <= due.toISOString(),
  );
  return [...accounts.map(({ accountId }) => accountId), ...(await userRemovals.listDue(due))];
};

/** The members of groups outside to whom nothing is sent for good, each with its group. */
const readPausedMembers = async ({ directory, suppressions, clock }: SourceDependencies): Promise<string[]> => {
  const members = await listOutsideMembers(directory);
  const records = await suppressions.findAll(members.map(({ address }) => address));
  const now = clock();
  return members.flatMap(({ address, groupEmail }) => {
    const record = records.get(comparableAddress(address));
    return record && isSuppressedForGood(record, groupMessageClass, now) ? [`${address} in ${groupEmail}`] : [];
  });
};

/** The addresses outside to which nothing is forwarded for good, each with the account. */
const readPausedForwards = async ({ forwardings, accounts, suppressions, clock }: SourceDependencies): Promise<string[]> => {
  const outside = (await readAllPages((after, size) => forwardings.list(after, size))).flatMap(({ account_id, addresses }) =>
    addresses.filter(({ account_id: here }) => here === undefined).map(({ email }) => ({ account_id, email })),
  );
  const records = await suppressions.findAll(outside.map(({ email }) => email));
  const now = clock();
  const paused = outside.filter(({ email }) => {
    const record = records.get(email);
    return record && isSuppressedForGood(record, forwardMessageClass, now);
  });
  const owners = paused.length > 0 ? await accounts.findAll([...new Set(paused.map(({ account_id }) => account_id))]) : [];
  const emails = new Map(owners.map(({ account_id, email }) => [account_id, email]));
  return paused.flatMap(({ account_id, email }) => (emails.has(account_id) ? [`${email} for ${emails.get(account_id)!}`] : []));
};

type Reader = {
  /** `hour`: once an hour, and whenever a problem depends on the source. */
  readonly every: 'run' | 'hour';
  readonly read: (dependencies: SourceDependencies) => Promise<unknown>;
};

/** The reader of each source. Keys of its maps are subjects of problems. */
export const readers = {
  queues: { every: 'run', read: readQueueStates },
  streams: { every: 'run', read: readStreams },
  'errors of Lambdas': { every: 'run', read: readLambdaErrors },
  throttles: {
    every: 'run',
    /** Throttled calls of all Lambdas of the AWS account. */
    async read({ resources: { stack }, metrics, clock }: SourceDependencies) {
      const [points] = await metrics.read([lambdaMetric('Throttles', stack, undefined)], lastMinutes(throttleMinutes, clock()));
      return total(points);
    },
  },
  APIs: { every: 'run', read: readApis },
  SES: { every: 'run', read: ({ emailProvider }: SourceDependencies) => emailProvider.accountStatus() },
  reputation: { every: 'hour', read: ({ metrics, clock }: SourceDependencies) => readReputation(metrics, clock()) },
  domains: { every: 'run', read: readDomains },
  certificates: {
    every: 'hour',
    /** The expiry of the certificate of each host name. */
    async read({ certificates, hostNames }: SourceDependencies) {
      return new Map(await mapConcurrently(hostNames, async (name) => [name, await certificates.expiry(name)] as const));
    },
  },
  accounts: { every: 'hour', read: readAccounts },
  'unparsed messages': { every: 'run', read: ({ mail, clock }: SourceDependencies) => listUnparsedMessages(mail, clock) },
  'members outside': { every: 'hour', read: readPausedMembers },
  'forwarding outside': { every: 'hour', read: readPausedForwards },
  removals: { every: 'hour', read: readRemovals },
  registrations: { every: 'run', read: ({ registrations }: SourceDependencies) => registrations.countNew() },
  'app clients': { every: 'hour', read: async ({ appClients }: SourceDependencies) => appClients?.count() ?? 0 },
} satisfies Readonly<Record<string, Reader>>;

export type SourceName = keyof typeof readers;

/** The values of the sources. */
export type Sources = { readonly [Name in SourceName]: Awaited<ReturnType<(typeof readers)[Name]['read']>> };

/** The values that a run has read. A source is undefined when it failed or was not due. */
export type Facts = Partial<Sources> & { readonly now: Date; readonly quotaDefaults: QuotaAmounts };
