import type * as z from 'zod';
import {
  metricNames,
  monitoring as contract,
  type MetricName,
  type MetricPoint,
  type MetricSeries,
  type MetricUnit,
} from '../../../contract/admin/monitoring.ts';
import { isDeadLetterQueue, nameInStack, type MonitoredResources } from '../../../contract/deployment/monitored-resources.ts';
import { waitingMail } from '../../../contract/deployment/waiting-mail.ts';
import { apiDimensions, apiMetrics, type MetricPoint as MeasuredPoint, type MetricQuery, type Metrics } from '../../../core/aws/cloudwatch/metrics.ts';
import { secondsBefore, waitingMailIn, waitingMailQueries, type WaitingMail } from '../../../core/aws/cloudwatch/waiting-mail.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';

type Source = Omit<MetricQuery, 'period' | 'statistic'>;

/**
 * Returns a source for each series of a metric, with the name of its API, Lambda or queue if the metric has several
 * series.
 */
type SourcesOf = (resources: MonitoredResources) => readonly (Source & { readonly resource?: string })[];

type MetricDefinition = {
  readonly unit: MetricUnit;
  readonly statistic: MetricQuery['statistic'];
  readonly sources: SourcesOf;
  /**
   * The value of {@link WaitingMail} for an additional series, because SQS's metrics of the queue do not contain it.
   */
  readonly ofWaitingMail?: keyof WaitingMail;
  /** Minutes after which a period without measurements is taken as zero. Undefined: such a period is unknown. */
  readonly zeroAfterMinutes?: number;
  /** Whether a series that has only zeros is left out. */
  readonly omitZeros?: true;
};

/** Minutes within which SES, API Gateway and Lambda publish their counts. */
const countsSettle = 5;
/** Minutes by which the metrics of a queue may be delayed after it was unused for six hours. */
const queuesSettle = 15;

/** Metrics of SES for all mail of this AWS account in this region. */
const ofAccount =
  (metric: string): SourcesOf =>
  () => [{ namespace: 'AWS/SES', metric, dimensions: {} }];

const ofApis =
  (metric: keyof (typeof apiMetrics)['http']): SourcesOf =>
  ({ stack, apis }) =>
    apis.map((api) => ({ resource: api.name, namespace: 'AWS/ApiGateway', metric: apiMetrics[api.kind][metric], dimensions: apiDimensions(stack, api) }));

const ofQueues =
  (metric: string, isIncluded: (place: string) => boolean): SourcesOf =>
  ({ queues }) =>
    Object.entries(queues)
      .filter(([place]) => isIncluded(place))
      .map(([place, queueName]) => ({ resource: place, namespace: 'AWS/SQS', metric, dimensions: { QueueName: queueName } }));

const isWorkQueue = (place: string): boolean => !isDeadLetterQueue(place);

const eventCount = { unit: 'COUNT', statistic: 'Sum', zeroAfterMinutes: countsSettle } as const;
const messageCount = { unit: 'COUNT', statistic: 'Maximum', zeroAfterMinutes: queuesSettle } as const;
const rate = { unit: 'FRACTION', statistic: 'Average' } as const;

/**
 * The source of each metric, and the meaning of periods without measurements. All of these metrics are free of charge.
 */
const metricDefinitions: { readonly [Name in MetricName]: MetricDefinition } = {
  // SES counts received messages by rule set, which several deployments share. The topic is the deployment's own.
  MAIL_RECEIVED: {
    ...eventCount,
    sources: ({ inboundTopic }) => [{ namespace: 'AWS/SNS', metric: 'NumberOfMessagesPublished', dimensions: { TopicName: inboundTopic } }],
  },
  MAIL_SENT: { ...eventCount, sources: ofAccount('Send') },
  MAIL_DELIVERED: { ...eventCount, sources: ofAccount('Delivery') },
  MAIL_BOUNCED: { ...eventCount, sources: ofAccount('Bounce') },
  MAIL_COMPLAINED: { ...eventCount, sources: ofAccount('Complaint') },
  BOUNCE_RATE: { ...rate, sources: ofAccount('Reputation.BounceRate') },
  COMPLAINT_RATE: { ...rate, sources: ofAccount('Reputation.ComplaintRate') },
  API_REQUESTS: { ...eventCount, sources: ofApis('requests') },
  API_ERRORS: { ...eventCount, sources: ofApis('errors') },
  API_LATENCY: { unit: 'MILLISECONDS', statistic: 'p95', sources: ofApis('latency') },
  FUNCTION_ERRORS: {
    ...eventCount,
    omitZeros: true,
    sources: ({ stack, functions }) =>
      functions.map((name) => ({ resource: name, namespace: 'AWS/Lambda', metric: 'Errors', dimensions: { FunctionName: nameInStack(stack, name) } })),
  },
  // The limit on concurrent Lambdas applies to the whole AWS account, so its metric does too.
  FUNCTION_THROTTLES: { ...eventCount, sources: () => [{ namespace: 'AWS/Lambda', metric: 'Throttles', dimensions: {} }] },
  QUEUE_WAITING: { ...messageCount, sources: ofQueues('ApproximateNumberOfMessagesVisible', isWorkQueue), ofWaitingMail: 'messages' },
  QUEUE_AGE: { unit: 'SECONDS', statistic: 'Maximum', sources: ofQueues('ApproximateAgeOfOldestMessage', isWorkQueue), ofWaitingMail: 'oldestSeconds' },
  DEAD_LETTERS: { ...messageCount, sources: ofQueues('ApproximateNumberOfMessagesVisible', isDeadLetterQueue) },
};

type Dependencies = { readonly resources: MonitoredResources; readonly metrics: Metrics; readonly clock: Clock };

/**
 * The possible lengths of periods in minutes. Each divides a day. CloudWatch keeps values of one minute for 15 days.
 */
const periods = [1, 5, 10, 15, 30, 60, 120, 180];
const maxPeriods = 120;

const minute = 60_000;

/** The shortest period that divides the lookback into at most {@link maxPeriods} periods. Both are in minutes. */
const periodFor = (lookback: number): number => periods.find((period) => lookback / period <= maxPeriods) ?? periods.at(-1)!;

/** The periods of a series. They begin at multiples of their length, so that every call has the same periods. */
type Span = { readonly from: Date; readonly to: Date; readonly period: number; readonly now: Date };

/** The periods of the lookback. The current period is the last one. */
const spanOf = (lookback: number, now: Date): Span => {
  const period = periodFor(lookback) * minute;
  const to = (Math.floor(now.getTime() / period) + 1) * period;
  return { from: new Date(to - Math.ceil((lookback * minute) / period) * period), to: new Date(to), period, now };
};

type PlannedSeries = {
  readonly metric: MetricName;
  readonly definition: MetricDefinition;
  readonly resource: string | undefined;
  readonly queries: readonly MetricQuery[];
  /** Computes the values of the periods from the points of the queries. */
  readonly combine: (measured: readonly (readonly MeasuredPoint[])[]) => readonly MeasuredPoint[];
};

const startsOf = ({ from, to, period }: Span): number[] =>
  Array.from({ length: (to.getTime() - from.getTime()) / period }, (_, index) => from.getTime() + index * period);

/** The points within the span. Earlier periods, which are read only for mail for full accounts, are left out. */
const withinSpan = ([points = []]: readonly (readonly MeasuredPoint[])[], { from }: Span): readonly MeasuredPoint[] => points.filter(({ at }) => at >= from);

const waitingMailSeries = (figure: keyof WaitingMail, resources: MonitoredResources, span: Span) => {
  const period = span.period / 1000;
  return {
    resource: waitingMail.name,
    queries: waitingMailQueries(resources, period),
    combine: (measured: readonly (readonly MeasuredPoint[])[]) =>
      startsOf(span).flatMap((start) => {
        const waiting = waitingMailIn(measured, start, period);
        return waiting ? [{ at: new Date(start), value: waiting[figure] }] : [];
      }),
  };
};

const planSeries = (metric: MetricName, resources: MonitoredResources, span: Span): PlannedSeries[] => {
  const definition = metricDefinitions[metric];
  const { statistic, ofWaitingMail } = definition;
  const measured = definition
    .sources(resources)
    .map(({ resource, ...source }) => ({
      resource,
      queries: [{ ...source, statistic, period: span.period / 1000 }],
      combine: (points: readonly (readonly MeasuredPoint[])[]) => withinSpan(points, span),
    }));
  return [...measured, ...(ofWaitingMail ? [waitingMailSeries(ofWaitingMail, resources, span)] : [])].map((series) => ({ metric, definition, ...series }));
};

/** Rounds to six decimal places, because fractions are small. */
const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;

/** The points of a series, oldest first, with a zero for each period that certainly had no events. */
const pointsOf = (measured: readonly MeasuredPoint[], { zeroAfterMinutes }: MetricDefinition, span: Span): z.input<typeof MetricPoint>[] => {
  const { period, now } = span;
  const values = new Map(measured.map(({ at, value }) => [at.getTime(), value]));
  const settledUntil = zeroAfterMinutes === undefined ? Number.NEGATIVE_INFINITY : now.getTime() - zeroAfterMinutes * minute;
  return startsOf(span).flatMap((start) => {
    const value = values.get(start) ?? (start + period <= settledUntil ? 0 : undefined);
    return value === undefined ? [] : [{ timestamp: new Date(start).toISOString(), value: rounded(value) }];
  });
};

const seriesOf = ({ metric, definition, resource }: PlannedSeries, measured: readonly MeasuredPoint[], span: Span): z.input<typeof MetricSeries>[] => {
  if (definition.omitZeros && measured.every(({ value }) => value === 0)) return [];
  return [{ metric, ...(resource !== undefined && { resource }), unit: definition.unit, points: pointsOf(measured, definition, span) }];
};

/** Implements GetMetricSeries, by one call to CloudWatch. */
export const getMetricSeries = ({ resources, metrics, clock }: Dependencies) =>
  adminMethod(contract.methods.GetMetricSeries, {
    async run({ metrics: requested, lookback_minutes: lookback }) {
      const span = spanOf(lookback, clock());
      const names = metricNames.filter((name) => requested.length === 0 || requested.includes(name));
      const planned = names.flatMap((name) => planSeries(name, resources, span));
      const from = new Date(span.from.getTime() - secondsBefore(span.period / 1000) * 1000);
      const measured = (
        await metrics.read(
          planned.flatMap(({ queries }) => queries),
          { from, to: span.to },
        )
      ).values();
      return {
        period_seconds: span.period / 1000,
        series: planned.flatMap((series) => seriesOf(series, series.combine(series.queries.map(() => measured.next().value ?? [])), span)),
      };
    },
  });
