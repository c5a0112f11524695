import type * as z from 'zod';
import { monitoring as contract, type ApiGatewayOverview, type FunctionOverview, type QueueOverview } from '../../../contract/admin/monitoring.ts';
import { isDeadLetterQueue, nameInStack, type MonitoredApi, type MonitoredResources } from '../../../contract/deployment/monitored-resources.ts';
import { waitingMail } from '../../../contract/deployment/waiting-mail.ts';
import { apiDimensions, apiMetrics, type MetricQuery, type Metrics } from '../../../core/aws/cloudwatch/metrics.ts';
import { readWaitingMail, type WaitingMail } from '../../../core/aws/cloudwatch/waiting-mail.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';

type Dependencies = { readonly resources: MonitoredResources; readonly metrics: Metrics; readonly clock: Clock };

/**
 * An item of the overview: its metric queries, and the function that makes it from their values (one list for each
 * query, newest first).
 */
type OverviewItem<T> = { readonly queries: readonly MetricQuery[]; readonly build: (...values: readonly (readonly number[])[]) => T };

/** The time span of metrics. Both lengths are in seconds. */
type MetricSpan = { readonly lookback: number; readonly period: number };

const sum = (values: readonly number[] = []): number => Math.round(values.reduce((total, value) => total + value, 0));
const maximum = (values: readonly number[] = []): number => Math.round(Math.max(0, ...values) * 100) / 100;
/**
 * The newest value. Without values it is 0, because SQS publishes no metrics for a queue that was unused for six hours.
 */
const latest = ([value = 0]: readonly number[] = []): number => Math.round(value);

/** Maximum values that are read of a metric whose newest value is used. */
const maxValuesForLatest = 288;

const metricQueries = (namespace: string, dimensions: MetricQuery['dimensions'], { lookback, period }: MetricSpan) => ({
  /** A query for the sum over the lookback time, as one value. */
  count: (metric: string): MetricQuery => ({ namespace, metric, dimensions, statistic: 'Sum', period: lookback }),
  p95: (metric: string): MetricQuery => ({ namespace, metric, dimensions, statistic: 'p95', period }),
  /** A query for the newest value. A long lookback makes its period longer than requested. */
  newest: (metric: string): MetricQuery => ({
    namespace,
    metric,
    dimensions,
    statistic: 'Maximum',
    period: Math.max(period, Math.ceil(lookback / maxValuesForLatest / 60) * 60),
  }),
});

const apiItem = (stack: string, api: MonitoredApi, span: MetricSpan): OverviewItem<z.input<typeof ApiGatewayOverview>> => {
  const { name, id, stage, kind } = api;
  const { count, p95 } = metricQueries('AWS/ApiGateway', apiDimensions(stack, api), span);
  const { requests, errors, latency } = apiMetrics[kind];
  return {
    queries: [count(requests), count(errors), p95(latency)],
    build: (requestCounts, errorCounts, latencies) => ({
      name,
      api_id: id,
      stage,
      request_count: sum(requestCounts),
      error_5xx: sum(errorCounts),
      latency_p95_ms: maximum(latencies),
    }),
  };
};

const functionItem = (name: string, functionName: string, span: MetricSpan): OverviewItem<z.input<typeof FunctionOverview>> => {
  const { count, p95 } = metricQueries('AWS/Lambda', { FunctionName: functionName }, span);
  return {
    queries: [count('Invocations'), count('Errors'), count('Throttles'), p95('Duration')],
    build: (invocations, errors, throttles, durations) => ({
      name,
      function_name: functionName,
      invocations: sum(invocations),
      errors: sum(errors),
      throttles: sum(throttles),
      duration_p95_ms: maximum(durations),
    }),
  };
};

const queueItem = (name: string, queueName: string, span: MetricSpan): OverviewItem<z.input<typeof QueueOverview>> => {
  const { newest } = metricQueries('AWS/SQS', { QueueName: queueName }, span);
  return {
    queries: [
      newest('ApproximateNumberOfMessagesVisible'),
      newest('ApproximateNumberOfMessagesNotVisible'),
      newest('ApproximateAgeOfOldestMessage'),
      ...(isDeadLetterQueue(name) ? [] : [newest('ApproximateNumberOfMessagesDelayed')]),
    ],
    build: (visible, inFlight, age, delayed) => ({
      name,
      queue_name: queueName,
      approx_messages_visible: latest(visible),
      ...(delayed && { approx_messages_delayed: latest(delayed) }),
      // SQS publishes no age for an empty queue, so its newest value is the age of a message that was deleted since.
      approx_age_oldest_seconds: latest(visible) + latest(inFlight) > 0 ? latest(age) : 0,
    }),
  };
};

/** The item for mail for full accounts, which is delayed and thus not visible in its queue. */
const waitingMailItem = ({ messages, oldestSeconds }: WaitingMail, { queues }: MonitoredResources): z.input<typeof QueueOverview> => ({
  name: waitingMail.name,
  queue_name: queues[waitingMail.queue] ?? '',
  approx_messages_visible: 0,
  approx_messages_delayed: messages,
  approx_age_oldest_seconds: oldestSeconds,
});

/** The items of the overview, grouped by the response's lists. The deployment has no CDN distributions. */
const overviewItems = ({ stack, apis, functions, queues }: MonitoredResources, span: MetricSpan) => ({
  api_gateways: apis.map((api) => apiItem(stack, api, span)),
  functions: functions.map((name) => functionItem(name, nameInStack(stack, name), span)),
  queues: Object.entries(queues).map(([place, queueName]) => queueItem(place, queueName, span)),
});

type BuiltLists<Lists> = { [List in keyof Lists]: Lists[List] extends readonly OverviewItem<infer T>[] ? T[] : never };

/** Reads the metrics of all items in one call, and builds the items from their values. */
const buildLists = async <Lists extends { readonly [list: string]: readonly OverviewItem<unknown>[] }>(
  lists: Lists,
  read: (queries: readonly MetricQuery[]) => Promise<readonly (readonly number[])[]>,
): Promise<BuiltLists<Lists>> => {
  const items = Object.values(lists).flat();
  const values = (await read(items.flatMap((item) => item.queries))).values();
  const built = new Map(items.map((item) => [item, item.build(...item.queries.map(() => values.next().value ?? []))]));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each item is built as its list states
  return Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.map((item) => built.get(item))])) as BuiltLists<Lists>;
};

/**
 * The time span of the last minutes. It ends with the current minute, because CloudWatch stores metrics by whole
 * minutes.
 */
const lastMinutes = (minutes: number, now: Date) => {
  const to = new Date(Math.ceil(now.getTime() / 60_000) * 60_000);
  return { from: new Date(to.getTime() - minutes * 60_000), to };
};

export const getOverview = ({ resources, metrics, clock }: Dependencies) =>
  adminMethod(contract.methods.GetOverview, {
    async run({ lookback_minutes: minutes, period_seconds: period }) {
      const now = clock();
      const time = lastMinutes(minutes, now);
      const [lists, waiting] = await Promise.all([
        buildLists(overviewItems(resources, { lookback: minutes * 60, period }), async (queries) =>
          (await metrics.read(queries, time)).map((points) => points.map(({ value }) => value)),
        ),
        readWaitingMail(metrics, resources, now),
      ]);
      return { ...lists, queues: [...lists.queues, waitingMailItem(waiting, resources)] };
    },
  });
