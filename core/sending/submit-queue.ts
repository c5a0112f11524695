import type { Clock } from '../runtime/clock.ts';
import type { Queue } from '../runtime/queue.ts';

/** One send of a submission: all of it, or up to 50 of its recipients. What waits in the submit queue. */
export type PartReference = { readonly submission_id: string; readonly part: number };

/** Where sends wait for the submit Lambda. Made by `providers/submit-queue.ts` over SQS. A part may be handed out more than once, and late. */
export type SubmitQueue = {
  /** @param delaySeconds how long it is kept from the Lambda, at most {@link maxDelaySeconds}. */
  send(parts: readonly PartReference[], delaySeconds?: number): Promise<void>;
};

/** Seconds that the queue can keep a message back (SQS: DelaySeconds). */
export const maxDelaySeconds = 900;

/** Seconds from now to a moment, as far as the queue can wait for it; 0 for the past. */
export const delaySecondsUntil = (moment: string, clock: Clock): number =>
  Math.min(maxDelaySeconds, Math.max(0, Math.ceil((Date.parse(moment) - clock().getTime()) / 1000)));

/** Messages put into the queue side by side. Nearly every submission is one. */
const parallelSends = 10;

/** The submit queue over a queue of any kind. @throws what the queue throws when it did not take one of them: those it took are handed out all the same. */
export const submitQueueOver = (queue: Queue): SubmitQueue => ({
  async send(parts, delaySeconds = 0) {
    for (let first = 0; first < parts.length; first += parallelSends) {
      await Promise.all(parts.slice(first, first + parallelSends).map(({ submission_id, part }) => queue.send({ submission_id, part } satisfies PartReference, delaySeconds)));
    }
  },
});
