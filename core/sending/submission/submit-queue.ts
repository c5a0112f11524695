import type { Clock } from '../../runtime/clock.ts';
import type { Queue } from '../../runtime/lambda/queue.ts';
import { mapConcurrently } from '../../runtime/map-concurrently.ts';

/** The body of an SQS message in the submit queue. A part is the share of the recipients that one call of SES sends to. */
export type PartReference = { readonly submission_id: string; readonly part: number };

/** A part that an admin gives up: it is not sent, unless it was, and its sender gets a failure report. */
export const stoppedPart = (part: PartReference) => ({ ...referenceOf(part), stopped: true });

/** Only the reference, from a part or anything else that has its fields. */
export const referenceOf = ({ submission_id, part }: PartReference): PartReference => ({ submission_id, part });

/** The queue of parts for the submit Lambda. A part may be received late and more than once. */
export type SubmitQueue = {
  /**
   * Queues parts.
   * @param delaySeconds at most {@link maxDelaySeconds}.
   * @throws when a part is not accepted; other parts may have been accepted.
   */
  send(parts: readonly PartReference[], delaySeconds?: number): Promise<void>;
};

/** Maximum seconds that the queue can delay a message (SQS: DelaySeconds). */
export const maxDelaySeconds = 900;

/** Seconds from now until a time, up to the queue's maximum delay; 0 for a time in the past. */
export const delaySecondsUntil = (time: string, clock: Clock): number =>
  Math.min(maxDelaySeconds, Math.max(0, Math.ceil((Date.parse(time) - clock().getTime()) / 1000)));

/** Maximum messages that are sent to the queue concurrently. Nearly every submission has one part. */
const parallelSends = 10;

/** A submit queue over any {@link Queue}. */
export const submitQueueOver = (queue: Queue): SubmitQueue => ({
  async send(parts, delaySeconds = 0) {
    await mapConcurrently(parts, (part) => queue.send(referenceOf(part), delaySeconds), { atOnce: parallelSends });
  },
});
