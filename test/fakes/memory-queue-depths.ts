import type { QueueDepth, QueueDepths } from '../../core/aws/sqs-queue-depths.ts';

/** {@link QueueDepths} in memory. A queue is empty until a depth is set. */
export const memoryQueueDepths = () => {
  const depths = new Map<string, QueueDepth>();
  const read: QueueDepths['read'] = async (queueName) => depths.get(queueName) ?? { visible: 0, inFlight: 0, delayed: 0 };
  return { read, set: (queueName: string, depth: Partial<QueueDepth>): void => void depths.set(queueName, { visible: 0, inFlight: 0, delayed: 0, ...depth }) };
};
