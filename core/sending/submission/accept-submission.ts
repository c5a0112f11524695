import type { Clock } from '../../runtime/clock.ts';
import { errorLogFields } from '../../runtime/error-log-fields.ts';
import type { Log } from '../../runtime/log.ts';
import { objectKeys } from '../../storage/object-keys.ts';
import type { Objects } from '../../storage/objects.ts';
import type { Write } from '../../storage/table.ts';
import { isHeld, type NewSubmission } from './submission.ts';
import { assertFitsSubmission, type Submissions } from './submissions.ts';
import { delaySecondsUntil, maxDelaySeconds, type SubmitQueue } from './submit-queue.ts';

export type AcceptDependencies = {
  readonly submissions: Pick<Submissions, 'createWrites' | 'write' | 'index'>;
  /** The bucket of raw messages. */
  readonly objects: Pick<Objects, 'put' | 'remove'>;
  readonly queue: SubmitQueue;
  readonly clock: Clock;
  readonly log: Log;
};

/** Milliseconds in which the submit Lambda has to start a queued part, before the sweep queues the part again. */
export const sweepGrace = 2 * 60_000;

/**
 * Milliseconds before `send_at` at which the sweep of the outbox queues a part, with the exact remaining delay.
 */
const sweepLookAhead = 10 * 60_000;

/** A submission whose raw message is stored, and whose items are not stored yet. */
export type PreparedSubmission = {
  /** The writes that accept the submission, including its outbox entries. */
  readonly writes: readonly Write[];
  /**
   * Queues the parts after the transaction. It never fails, because the sweep of the outbox queues the remaining
   * ones.
   */
  enqueue(): Promise<void>;
  /** Removes the raw message. Call it only when the transaction was certainly not made. */
  discard(): Promise<void>;
};

/** Stores the message and plans the writes that accept it. @throws RangeError for too many recipients or octets. */
export const prepareSubmission = async (
  submission: NewSubmission,
  { submissions, objects, queue, clock, log }: AcceptDependencies,
): Promise<PreparedSubmission> => {
  const { submission_id, account_id, send_at, message } = submission;
  assertFitsSubmission(submission);
  const messageKey = objectKeys.outgoing(account_id, submission_id);
  const discard = () =>
    objects.remove([messageKey]).catch((error: unknown) => {
      log.warn('an unused raw message could not be removed; it will expire', { submission_id, ...errorLogFields(error) });
    });
  const now = clock().getTime();
  const sendAt = Math.max(now, Date.parse(send_at));
  const fitsQueue = sendAt - now <= maxDelaySeconds * 1000;
  const due = new Date(fitsQueue ? sendAt + sweepGrace : sendAt - sweepLookAhead).toISOString();
  const { writes, parts, found } = submissions.createWrites(submission, messageKey, due);
  try {
    // An entry without a submission is harmless, and expires.
    await Promise.all([objects.put(messageKey, message, 'message/rfc822'), isHeld(submission) && submissions.index(found)]);
  } catch (error) {
    // The object may be stored although the call failed.
    await discard();
    throw error;
  }
  return {
    writes,
    async enqueue() {
      if (!fitsQueue) return;
      await queue.send(parts, delaySecondsUntil(send_at, clock)).catch((error: unknown) => {
        log.warn('parts of submissions could not be queued; the outbox sweep will queue them', { submission_id, ...errorLogFields(error) });
      });
    },
    discard,
  };
};

/**
 * Accepts a message. When the result is true, the message will be sent.
 * @param additionalWrites for the same transaction.
 * @returns false when a condition of `additionalWrites` does not hold; then nothing is stored.
 */
export const acceptSubmission = async (
  submission: NewSubmission,
  dependencies: AcceptDependencies,
  additionalWrites: readonly Write[] = [],
): Promise<boolean> => {
  const prepared = await prepareSubmission(submission, dependencies);
  const isAccepted = await dependencies.submissions.write([...prepared.writes, ...additionalWrites]);
  await (isAccepted ? prepared.enqueue() : prepared.discard());
  return isAccepted;
};
