import type { Problem } from '../../contract/admin/problems.ts';
import type { MonitoredResources } from '../../contract/deployment/monitored-resources.ts';
import { emptyHead, encodeHead, type Head } from '../../core/account-log/head.ts';
import { accountRemovalsIn } from '../../core/directory/accounts/account-removals.ts';
import { accountsIn } from '../../core/directory/accounts/accounts.ts';
import { clientRegistrationsIn } from '../../core/directory/clients/client-registrations.ts';
import { domainsIn } from '../../core/directory/domains/domains.ts';
import { forwardingsIn } from '../../core/directory/forwarding/forwardings.ts';
import { problemChangesIn } from '../../core/directory/problems/problem-changes.ts';
import { problemSubscribersIn } from '../../core/directory/problems/problem-subscribers.ts';
import { problemsIn } from '../../core/directory/problems/problems.ts';
import { userRemovalsIn } from '../../core/directory/users/user-removals.ts';
import { newId } from '../../core/runtime/ids.ts';
import { suppressionsIn } from '../../core/sending/feedback/suppressions.ts';
import { submissionsIn } from '../../core/sending/submission/submissions.ts';
import { runWatch, type WatchDependencies } from '../../lambdas/watch/run-watch.ts';
import { memoryQueueDepths } from '../fakes/memory-queue-depths.ts';
import { memoryTopic } from '../fakes/memory-topic.ts';
import { adminApi } from './admin-api.ts';

/** The resources that the watch of the tests watches. */
export const watchedResources: MonitoredResources = {
  stack: 'Postrider',
  apis: [
    { name: 'admin', id: 'a1', stage: '$default', kind: 'http' },
    { name: 'web-socket', id: 'w1', stage: 'jmap', kind: 'web-socket' },
  ],
  functions: ['deliver', 'jmap', 'notify', 'indexer', 'receipt-rules'],
  queues: { 'InboundMail/Waiting': 'waiting-1', 'InboundMail/Waiting/DeadLetters': 'dead-1' },
  inboundTopic: 'received-1',
};

const fiveMinutes = 5 * 60_000;

/** A deployment in memory with its admin API and its watch: a scheduled event in, problems out. */
export const watchedDeployment = async () => {
  // The first of an hour's runs, which reads all sources.
  let now = Date.parse('2026-11-21T12:00:10.000Z');
  const clock = () => new Date(now);
  const api = await adminApi({ clock });
  const queueDepths = memoryQueueDepths();
  const topic = memoryTopic();
  const certificates = new Map<string, Date>();
  const state = { appClients: 3 };
  const dependencies: WatchDependencies = {
    problems: problemsIn(api.directory),
    changes: problemChangesIn(api.directory),
    subscribers: problemSubscribersIn(api.directory),
    topic,
    submissions: submissionsIn(api.sending),
    objects: api.objects,
    queue: api.submitQueue,
    newId,
    consoleUrl: 'https://console.example.test',
    resources: watchedResources,
    queueDepths,
    metrics: api.metrics,
    emailProvider: api.emailProvider,
    senderAddresses: api.senderAddresses,
    domains: domainsIn(api.directory),
    dns: api.dns,
    accounts: accountsIn(api.directory),
    forwardings: forwardingsIn(api.directory),
    mail: api.mail,
    directory: api.directory,
    suppressions: suppressionsIn(api.sending),
    removals: accountRemovalsIn(api.directory),
    userRemovals: userRemovalsIn(api.directory),
    appClients: { count: async () => state.appClients },
    registrations: clientRegistrationsIn(api.directory, clock),
    certificates: { expiry: async (hostName) => certificates.get(hostName) ?? new Date(now + 90 * 24 * 3_600_000) },
    hostNames: ['jmap.example.test'],
    quotaDefaults: { octets: 1_000_000, count: 1000 },
    mailDomain: 'example.test',
    region: 'us-east-1',
    clock,
    log: api.log,
  };

  /** One scheduled run. */
  const run = (event = {}) => runWatch(dependencies, event);
  return {
    ...api,
    dependencies,
    topic,
    queueDepths,
    certificates,
    state,
    run,
    now: () => now,
    /** Lets time pass. */
    pass: (milliseconds: number) => void (now += milliseconds),
    /** The next scheduled run, five minutes later. */
    runNext: () => {
      now += fiveMinutes;
      return run();
    },
    /** The next run that reads all sources. */
    runNextHour: () => {
      now += 12 * fiveMinutes;
      return run();
    },
    problems: async (): Promise<Problem[]> => (await api.ok('/status/ListProblems'))['problems'] as Problem[],
    /** Measures a value now, in CloudWatch's dimensions. */
    measure: (namespace: string, metric: string, dimensions: Record<string, string>, value: number) =>
      api.metrics.measure([{ namespace, metric, dimensions, at: new Date(now - 60_000), value }]),
    /** Stores an account with this head. */
    storeAccount: async (accountId: string, head: Partial<Head>) => {
      await api.directory.write([
        { put: { pk: 'account', sk: accountId, name: 'n', email: 'a@example.test', member_count: 1, created_at: '2026-01-01T00:00:00.000Z' } },
      ]);
      await api.mail.write([{ put: { ...encodeHead(accountId, { ...emptyHead, ...head }), snapshot: head.snapshot } }]);
    },
  };
};
export type WatchedDeployment = Awaited<ReturnType<typeof watchedDeployment>>;
