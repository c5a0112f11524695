import type { MonitoredResources } from '../../../contract/deployment/monitored-resources.ts';
import type { MetricQuery } from '../../../core/aws/cloudwatch/metrics.ts';
import { accountRemovalsIn } from '../../../core/directory/accounts/account-removals.ts';
import { accountsIn } from '../../../core/directory/accounts/accounts.ts';
import { clientRegistrationsIn } from '../../../core/directory/clients/client-registrations.ts';
import { domainsIn } from '../../../core/directory/domains/domains.ts';
import { forwardingsIn } from '../../../core/directory/forwarding/forwardings.ts';
import { problemChangesIn } from '../../../core/directory/problems/problem-changes.ts';
import { problemSubscribersIn } from '../../../core/directory/problems/problem-subscribers.ts';
import { problemsIn } from '../../../core/directory/problems/problems.ts';
import { userRemovalsIn } from '../../../core/directory/users/user-removals.ts';
import { newId } from '../../../core/runtime/ids.ts';
import { suppressionsIn } from '../../../core/sending/feedback/suppressions.ts';
import { submissionsIn } from '../../../core/sending/submission/submissions.ts';
import { runInterval, runWatch } from '../../../lambdas/watch/run-watch.ts';
import { memoryLog } from '../../fakes/memory-log.ts';
import { memoryObjects } from '../../fakes/memory-objects.ts';
import { memorySubmitQueue } from '../../fakes/memory-submit-queue.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { memoryTopic } from '../../fakes/memory-topic.ts';
import { TableMeter, type TableUsage } from './table-meter.ts';

/** The usage of one run of the watch, as the average of an hour. */
export type WatchUsage = TableUsage & { readonly metricRequests: number; readonly queueRequests: number };

const runsPerHour = (60 * 60_000) / runInterval;

/** Counts the calls of the watch in an idle deployment without problems. */
export const countWatch = async (resources: MonitoredResources): Promise<WatchUsage> => {
  const meter = new TableMeter();
  const [directory, mail] = [meter.watch(memoryTable()), meter.watch(memoryTable())];
  let now = 0;
  let metricRequests = 0;
  let queueRequests = 0;
  const dependencies: Parameters<typeof runWatch>[0] = {
    problems: problemsIn(directory),
    changes: problemChangesIn(directory),
    subscribers: problemSubscribersIn(directory),
    topic: memoryTopic(),
    directory,
    suppressions: suppressionsIn(directory),
    submissions: submissionsIn(directory),
    objects: memoryObjects(),
    queue: memorySubmitQueue(),
    newId,
    consoleUrl: 'https://console.example.com',
    resources,
    queueDepths: {
      async read() {
        queueRequests++;
        return { visible: 0, inFlight: 0, delayed: 0 };
      },
    },
    metrics: {
      async read(queries: readonly MetricQuery[]) {
        metricRequests += queries.length;
        return queries.map(() => []);
      },
    },
    emailProvider: { accountStatus: async () => ({ quota: {} }) },
    senderAddresses: { listVerifiedIdentities: async () => [] },
    domains: domainsIn(directory),
    dns: { lookup: async () => [] },
    accounts: accountsIn(directory),
    forwardings: forwardingsIn(directory),
    mail,
    removals: accountRemovalsIn(directory),
    userRemovals: userRemovalsIn(directory),
    appClients: { count: async () => 0 },
    registrations: clientRegistrationsIn(directory, () => new Date(now)),
    certificates: { expiry: async () => new Date(now + 90 * 24 * 3_600_000) },
    hostNames: [],
    quotaDefaults: { octets: 1, count: 1 },
    mailDomain: 'example.com',
    region: 'us-east-1',
    clock: () => new Date(now),
    log: memoryLog(),
  };
  const sum = { trips: 0, readUnits: 0, writeUnits: 0 };
  for (; now < runsPerHour * runInterval; now += runInterval) {
    const { trips, readUnits, writeUnits } = await meter.measure(() => runWatch(dependencies));
    sum.trips += trips;
    sum.readUnits += readUnits;
    sum.writeUnits += writeUnits;
  }
  return {
    trips: sum.trips / runsPerHour,
    readUnits: sum.readUnits / runsPerHour,
    writeUnits: sum.writeUnits / runsPerHour,
    metricRequests: metricRequests / runsPerHour,
    queueRequests: queueRequests / runsPerHour,
  };
};
