import type { Clock } from '../runtime/clock.ts';

/** One send of a submission: all of it, or up to 50 of its recipients. What waits in the submit queue. */
export type PartReference = { readonly submission_id: string; readonly part: number };

/** Where sends wait for the submit Lambda. Made by `providers/submit-queue-over.ts` over SQS. A part may be handed out more than once, and late. */
export type SubmitQueue = {
  /** @param delaySeconds how long it is kept from the Lambda, at most {@link longestDelay}. */
  send(parts: readonly PartReference[], delaySeconds?: number): Promise<void>;
};

/** Seconds that the queue can keep a message back (SQS: DelaySeconds). */
export const longestDelay = 900;

/** Seconds from now to a moment, as far as the queue can wait for it; 0 for the past. */
export const delayUntil = (moment: string, clock: Clock): number =>
  Math.min(longestDelay, Math.max(0, Math.ceil((Date.parse(moment) - clock().getTime()) / 1000)));
