import type { DeadLetters } from '../../core/aws/sqs-dead-letters.ts';
import { systemClock, type Clock } from '../../core/runtime/clock.ts';

type Stored = { readonly messageId: string; readonly body: string; readonly enqueuedAt: Date; visibleAt: number };

/** {@link DeadLetters} in memory. `bodies` returns the bodies of a queue, also those that are held. */
export const memoryDeadLetters = (clock: Clock = systemClock) => {
  const queues = new Map<string, Stored[]>();
  const of = (name: string): Stored[] => queues.get(name) ?? queues.set(name, []).get(name)!;
  let count = 0;
  const put = (name: string, body: string, enqueuedAt = clock()): string => {
    const messageId = `message-${(count += 1)}`;
    of(name).push({ messageId, body, enqueuedAt, visibleAt: 0 });
    return messageId;
  };
  const deadLetters: DeadLetters = {
    async hold(name, seconds) {
      const now = clock().getTime();
      const batch = of(name)
        .filter(({ visibleAt }) => visibleAt <= now)
        .slice(0, 10);
      for (const message of batch) message.visibleAt = now + seconds * 1000;
      return batch.map(({ messageId, body, enqueuedAt }) => ({ messageId, receiptHandle: messageId, body, enqueuedAt }));
    },
    async release(name, messages) {
      for (const stored of of(name)) if (messages.some(({ messageId }) => messageId === stored.messageId)) stored.visibleAt = 0;
    },
    async remove(name, messages) {
      queues.set(
        name,
        of(name).filter((stored) => !messages.some(({ messageId }) => messageId === stored.messageId)),
      );
    },
    async send(name, body) {
      put(name, body);
    },
  };
  return { ...deadLetters, put, bodies: (name: string): string[] => of(name).map(({ body }) => body) };
};
