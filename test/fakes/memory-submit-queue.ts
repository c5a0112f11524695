import { submitQueueOver, type SubmitQueue } from '../../core/sending/submission/submit-queue.ts';
import { memoryQueue } from './memory-queue.ts';

/** A {@link SubmitQueue} in memory. `waiting`: the messages in the queue, in order, with their delays. */
type MemorySubmitQueue = SubmitQueue & {
  readonly waiting: readonly { readonly body: string; readonly delaySeconds: number }[];
  /** Removes all messages from the queue, and returns their bodies. */
  take(): string[];
};

export const memorySubmitQueue = (): MemorySubmitQueue => {
  const queue = memoryQueue();
  return {
    ...submitQueueOver(queue),
    get waiting() {
      return queue.messages.map(({ message, delaySeconds }) => ({ body: JSON.stringify(message), delaySeconds }));
    },
    take: () => queue.messages.splice(0).map(({ message }) => JSON.stringify(message)),
  };
};
