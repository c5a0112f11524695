import type { Clock } from '../../runtime/clock.ts';
import { errorLogFields } from '../../runtime/errors.ts';
import type { Log } from '../../runtime/log.ts';
import { objectKeys } from '../../storage/object-keys.ts';
import type { Objects } from '../../storage/objects.ts';
import type { Write } from '../../storage/table.ts';
import type { NewSubmission } from './submission.ts';
import { assertFitsSubmission, type Submissions } from './submissions.ts';
import { delaySecondsUntil, maxDelaySeconds, type SubmitQueue } from './submit-queue.ts';

export type AcceptDependencies = {
  readonly submissions: Pick<Submissions, 'createWrites' | 'write'>;
  /** The bucket of raw messages. */
  readonly objects: Pick<Objects, 'put' | 'remove'>;
  readonly queue: SubmitQueue;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * Milliseconds that the submit Lambda has to start a part from the queue before the outbox sweep queues the part again.
 */
export const sweepGrace = 2 * 60_000;

/** Milliseconds before `send_at` at which the outbox sweep queues a part with the exact delay. */
const sweepLookAhead = 10 * 60_000;

/** A submission whose raw message is stored, and whose items are not. */
export type PreparedSubmission = {
  /**
   * The writes that accept the submission, for a transaction. When they are made, the message will be sent: the outbox
   * entries are among them.
   */
  readonly writes: readonly Write[];
  /**
   * Queues the parts after the transaction. It never fails: the outbox sweep queues the parts that are not queued,
   * because the Lambda died, the queue failed, or `send_at` is beyond the queue's longest delay.
   */
  enqueue(): Promise<void>;
  /** Removes the raw message after a transaction that was certainly not made. */
  discard(): Promise<void>;
};

/**
 * Stores the raw message of a submission, and makes the writes that accept it. Nothing stays stored when it fails.
 * @throws RangeError for no or too many recipients, or a message that is too large.
 */
export const prepareSubmission = async (
  submission: NewSubmission, { submissions, objects, queue, clock, log }: AcceptDependencies,
): Promise<PreparedSubmission> => {
  const { submission_id, account_id, send_at, message } = submission;
  assertFitsSubmission(submission);
  const messageKey = objectKeys.outgoing(account_id, submission_id);
  const discard = () => objects.remove([messageKey]).catch((error: unknown) => {
    log.warn('an unused message stays until it expires', { submission_id, ...errorLogFields(error) });
  });
  try {
    await objects.put(messageKey, message, 'message/rfc822');
  } catch (error) {
    // The object may have been stored although the call failed.
    await discard();
    throw error;
  }
  const now = clock().getTime();
  const sendAt = Math.max(now, Date.parse(send_at));
  const fitsQueue = sendAt - now <= maxDelaySeconds * 1000;
  const due = new Date(fitsQueue ? sendAt + sweepGrace : sendAt - sweepLookAhead).toISOString();
  const { writes, parts } = submissions.createWrites(submission, messageKey, due);
  return {
    writes,
    async enqueue() {
      if (!fitsQueue) return;
      await queue.send(parts, delaySecondsUntil(send_at, clock)).catch((error: unknown) => {
        log.warn('parts could not be queued; the outbox sweep will queue them', { submission_id, ...errorLogFields(error) });
      });
    },
    discard,
  };
};

/**
 * Accepts a message to be sent. When this returns true, the message will be sent.
 * @param additionalWrites for the same transaction.
 * @returns false when a condition of `additionalWrites` does not hold; nothing is stored then.
 */
export const acceptSubmission = async (
  submission: NewSubmission, dependencies: AcceptDependencies, additionalWrites: readonly Write[] = [],
): Promise<boolean> => {
  const prepared = await prepareSubmission(submission, dependencies);
  const isAccepted = await dependencies.submissions.write([...prepared.writes, ...additionalWrites]);
  await (isAccepted ? prepared.enqueue() : prepared.discard());
  return isAccepted;
};
