import type * as z from 'zod';
import type { ApiGatewayOverview, FunctionOverview, QueueOverview } from '../../../contract/admin/monitoring.ts';
import { nameInStack, type MonitoredApi, type MonitoredResources } from '../../../contract/monitored-resources.ts';
import type { MetricQuery } from '../../../core/aws/cloudwatch/metrics.ts';

/** An item of the overview: the metrics that it takes, and what it is with their numbers, newest first. */
type Item<T> = { readonly queries: readonly MetricQuery[]; readonly from: (...numbers: readonly (readonly number[])[]) => T };

/** Seconds. */
export type Span = { readonly lookback: number; readonly period: number };

const total = (numbers: readonly number[] = []): number => Math.round(numbers.reduce((sum, number) => sum + number, 0));
const worst = (numbers: readonly number[] = []): number => Math.round(Math.max(0, ...numbers) * 100) / 100;
/** As it is now: an empty queue that nobody used for six hours is not measured any more. */
const latest = ([number = 0]: readonly number[] = []): number => Math.round(number);

/** Numbers of one metric of which only the newest is wanted. */
const enoughNumbers = 288;

/** Counts are asked for the whole time at once, since their sum is all that is wanted; the rest by period, a coarser one where the newest number is. */
const queries = (namespace: string, dimensions: MetricQuery['dimensions'], { lookback, period }: Span) => ({
  count: (metric: string): MetricQuery => ({ namespace, metric, dimensions, statistic: 'Sum', period: lookback }),
  p95: (metric: string): MetricQuery => ({ namespace, metric, dimensions, statistic: 'p95', period }),
  newest: (metric: string): MetricQuery =>
    ({ namespace, metric, dimensions, statistic: 'Maximum', period: Math.max(period, Math.ceil(lookback / enoughNumbers / 60) * 60) }),
});

/** What AWS calls the same thing for each kind of API. */
const apiMetrics = {
  http: { requests: 'Count', errors: '5xx', latency: 'Latency' },
  'web-socket': { requests: 'MessageCount', errors: 'ExecutionError', latency: 'IntegrationLatency' },
} as const satisfies { [Kind in MonitoredApi['kind']]: object };

const apiItem = ({ name, id, stage, kind }: MonitoredApi, span: Span): Item<z.input<typeof ApiGatewayOverview>> => {
  const { count, p95 } = queries('AWS/ApiGateway', { ApiId: id, Stage: stage }, span);
  const { requests, errors, latency } = apiMetrics[kind];
  return {
    queries: [count(requests), count(errors), p95(latency)],
    from: (counted, failed, took) => ({ name, api_id: id, stage, request_count: total(counted), error_5xx: total(failed), latency_p95_ms: worst(took) }),
  };
};

const functionItem = (name: string, functionName: string, span: Span): Item<z.input<typeof FunctionOverview>> => {
  const { count, p95 } = queries('AWS/Lambda', { FunctionName: functionName }, span);
  return {
    queries: [count('Invocations'), count('Errors'), count('Throttles'), p95('Duration')],
    from: (ran, failed, throttled, took) => ({
      name, function_name: functionName, invocations: total(ran), errors: total(failed), throttles: total(throttled), duration_p95_ms: worst(took),
    }),
  };
};

const queueItem = (name: string, queueName: string, span: Span): Item<z.input<typeof QueueOverview>> => {
  const { newest } = queries('AWS/SQS', { QueueName: queueName }, span);
  return {
    queries: [newest('ApproximateNumberOfMessagesVisible'), newest('ApproximateNumberOfMessagesNotVisible'), newest('ApproximateAgeOfOldestMessage')],
    from: (visible, taken, age) => ({
      name,
      queue_name: queueName,
      approx_messages_visible: latest(visible),
      // The age is measured only while the queue holds something: of an empty one, the newest measure is of a message that is gone.
      approx_age_oldest_seconds: latest(visible) + latest(taken) > 0 ? latest(age) : 0,
    }),
  };
};

/** The items of an overview of these resources, by the response's lists. There is none for CDN distributions: the deployment makes none. */
export const overviewItems = ({ stack, apis, functions, queues }: MonitoredResources, span: Span) => ({
  api_gateways: apis.map((api) => apiItem(api, span)),
  functions: functions.map((name) => functionItem(name, nameInStack(stack, name), span)),
  queues: Object.entries(queues).map(([place, queueName]) => queueItem(place, queueName, span)),
});

/** Asks for all metrics of all items at once, and gives each item its numbers. */
export const measured = async <Lists extends { readonly [list: string]: readonly Item<unknown>[] }>(
  lists: Lists, read: (queries: readonly MetricQuery[]) => Promise<readonly (readonly number[])[]>,
): Promise<{ [List in keyof Lists]: Lists[List] extends readonly Item<infer T>[] ? T[] : never }> => {
  const items = Object.values(lists).flat();
  const numbers = (await read(items.flatMap((item) => item.queries))).values();
  const made = new Map(items.map((item) => [item, item.from(...item.queries.map(() => numbers.next().value ?? []))]));
  return Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.map((item) => made.get(item))])) as never;
};
