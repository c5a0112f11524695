import { isDeadLetterQueue, type MonitoredResources } from '../../contract/deployment/monitored-resources.ts';
import type { Clock } from '../runtime/clock.ts';
import { mapConcurrently } from '../runtime/map-concurrently.ts';
import type { Metrics } from './cloudwatch/metrics.ts';
import type { QueueDepth, QueueDepths } from './sqs-queue-depths.ts';

export type QueueState = QueueDepth & {
  /** Seconds since the oldest message was enqueued; 0 when nothing waits, or CloudWatch does not know it yet. */
  readonly oldestSeconds: number;
};

type Dependencies = {
  readonly resources: Pick<MonitoredResources, 'queues'>;
  readonly queueDepths: QueueDepths;
  readonly metrics: Metrics;
  readonly clock: Clock;
};

const ageMinutes = 10;

/** Reads the queues by their path in the stack. Only queues with a consumer have an age. */
export const readQueueStates = async ({ resources: { queues }, queueDepths, metrics, clock }: Dependencies): Promise<Map<string, QueueState>> => {
  const places = Object.entries(queues);
  const depths = await mapConcurrently(places, ([, queueName]) => queueDepths.read(queueName), { atOnce: 10 });
  // Only the queues in which something waits have an age, and each metric that is read counts.
  const waiting = places.filter(([place], index) => !isDeadLetterQueue(place) && depths[index]!.visible + depths[index]!.inFlight > 0);
  const ages = await metrics.read(
    waiting.map(([, QueueName]) => ({
      namespace: 'AWS/SQS',
      metric: 'ApproximateAgeOfOldestMessage',
      dimensions: { QueueName },
      statistic: 'Maximum',
      period: 60,
    })),
    { from: new Date(clock().getTime() - ageMinutes * 60_000), to: clock() },
  );
  const oldest = new Map(waiting.map(([place], index) => [place, ages[index]?.[0]?.value ?? 0]));
  return new Map(places.map(([place], index) => [place, { ...depths[index]!, oldestSeconds: oldest.get(place) ?? 0 }]));
};
