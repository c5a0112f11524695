import { metricNamespace, type MonitoredResources } from '../../../contract/deployment/monitored-resources.ts';
import { waitingMail } from '../../../contract/deployment/waiting-mail.ts';
import type { MetricPoint, MetricQuery, Metrics } from './metrics.ts';

/** Mail that waits for full accounts. */
export type WaitingMail = {
  /** Approximate number of waiting messages. */
  readonly messages: number;
  /** Seconds since SES received the oldest message, measured at its last attempt; 0 without messages. */
  readonly oldestSeconds: number;
};

type Place = Pick<MonitoredResources, 'stack' | 'queues'>;

/** The queries that {@link waitingMailIn} needs. @param period length of a period in seconds. */
export const waitingMailQueries = ({ stack, queues }: Place, period: number): readonly MetricQuery[] => {
  const attempts = { namespace: metricNamespace(stack), metric: waitingMail.metric, dimensions: {}, period } as const;
  return [
    {
      namespace: 'AWS/SQS',
      metric: 'ApproximateNumberOfMessagesDelayed',
      dimensions: { QueueName: queues[waitingMail.queue] ?? '' },
      statistic: 'Maximum',
      period,
    },
    { ...attempts, statistic: 'SampleCount' },
    { ...attempts, statistic: 'Maximum' },
  ];
};

/** Seconds before a period for which {@link waitingMailIn} also needs points: a multiple of the period. */
export const secondsBefore = (period: number): number => Math.ceil((waitingMail.attemptMinutes * 60) / period) * period;

/**
 * The waiting mail in the period that begins at `start`. Delayed messages of the queue are counted, but at most as many
 * as there were attempts, because the queue also delays bounces that SES did not accept yet.
 * @param points the points of the queries, in the order of the queries, newest first.
 * @returns undefined when nothing was measured.
 */
export const waitingMailIn = (
  [delayed = [], attempts = [], ages = []]: readonly (readonly MetricPoint[])[],
  start: number,
  period: number,
): WaitingMail | undefined => {
  const since = start - secondsBefore(period) * 1000;
  const recent = (points: readonly MetricPoint[]) => points.filter(({ at }) => at.getTime() >= since && at.getTime() <= start).map(({ value }) => value);
  // The newest period may not have been measured yet.
  const inQueue = recent(delayed)[0];
  const attempted = recent(attempts).reduce((sum, value) => sum + value, 0);
  if (inQueue === undefined && attempted === 0) return undefined;
  const messages = Math.min(inQueue ?? Infinity, attempted);
  return { messages, oldestSeconds: messages === 0 ? 0 : Math.max(0, ...recent(ages)) };
};

const minute = 60_000;

/** The mail that waits now, read by one call. CloudWatch's metrics are a few minutes late. */
export const readWaitingMail = async (metrics: Metrics, place: Place, now: Date): Promise<WaitingMail> => {
  const to = Math.ceil(now.getTime() / minute) * minute;
  const newest = to - minute;
  const from = newest - secondsBefore(60) * 1000;
  const points = await metrics.read(waitingMailQueries(place, 60), { from: new Date(from), to: new Date(to) });
  return waitingMailIn(points, newest, 60) ?? { messages: 0, oldestSeconds: 0 };
};
