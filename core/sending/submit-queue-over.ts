import type { PartReference, SubmitQueue } from './submit-queue.ts';
import type { Queue } from '../runtime/queue.ts';

/** Messages put into the queue side by side. Nearly every submission is one. */
const sideBySide = 10;

/** The submit queue over a queue of any kind. @throws what the queue throws when it did not take one of them: those it took are handed out all the same. */
export const submitQueueOver = (queue: Queue): SubmitQueue => ({
  async send(parts, delaySeconds = 0) {
    for (let first = 0; first < parts.length; first += sideBySide) {
      await Promise.all(parts.slice(first, first + sideBySide).map(({ submission_id, part }) => queue.send({ submission_id, part } satisfies PartReference, delaySeconds)));
    }
  },
});
