import type { Clock } from '../../runtime/clock.ts';
import type { Queue } from '../../runtime/lambda/queue.ts';
import { mapConcurrently } from '../../runtime/concurrency/map-concurrently.ts';

/** One part of a submission: a send to up to 50 of its recipients. It is the message in the submit queue. */
export type PartReference = { readonly submission_id: string; readonly part: number };

/** The queue of parts for the submit Lambda. A part may be received late and more than once. */
export type SubmitQueue = {
  /**
   * @param delaySeconds how long the parts stay hidden, at most {@link maxDelaySeconds}.
   * @throws the error of the underlying queue when it did not accept a part. The accepted parts are still received.
   */
  send(parts: readonly PartReference[], delaySeconds?: number): Promise<void>;
};

/** Maximum seconds that the queue can delay a message (SQS: DelaySeconds). */
export const maxDelaySeconds = 900;

/** Seconds from now to a time, limited to the queue's longest delay; 0 for a time in the past. */
export const delaySecondsUntil = (time: string, clock: Clock): number =>
  Math.min(maxDelaySeconds, Math.max(0, Math.ceil((Date.parse(time) - clock().getTime()) / 1000)));

/** Messages that are put into the queue in parallel. Nearly every submission has one part. */
const parallelSends = 10;

/** A submit queue over any {@link Queue}. */
export const submitQueueOver = (queue: Queue): SubmitQueue => ({
  async send(parts, delaySeconds = 0) {
    const references = parts.map(({ submission_id, part }): PartReference => ({ submission_id, part }));
    await mapConcurrently(references, (reference) => queue.send(reference, delaySeconds), { atOnce: parallelSends });
  },
});
