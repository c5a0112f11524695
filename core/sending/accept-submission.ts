import type { Clock } from '../runtime/clock.ts';
import { errorLogFields } from '../runtime/errors.ts';
import type { Log } from '../runtime/log.ts';
import type { Write } from '../storage/table.ts';
import type { NewSubmission } from './submission.ts';
import type { Submissions } from './submissions.ts';
import { delaySecondsUntil, maxDelaySeconds, type SubmitQueue } from './submit-queue.ts';

export type AcceptConnections = {
  readonly submissions: Pick<Submissions, 'create'>;
  readonly queue: SubmitQueue;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * Milliseconds that the submit Lambda has to start a part from the queue before the outbox sweep queues the part again.
 */
const sweepGrace = 2 * 60_000;

/**
 * Accepts a message to be sent. When this returns true, the message will be sent: its outbox entries are in the same
 * transaction as the submission. The parts are queued right after the transaction. The outbox sweep queues those that
 * were not: this Lambda died, the queue failed, or `send_at` is beyond the queue's longest delay.
 * @param additionalWrites for the same transaction.
 * @returns false when a condition of `additionalWrites` does not hold; nothing is stored then.
 */
export const acceptSubmission = async (
  submission: NewSubmission, { submissions, queue, clock, log }: AcceptConnections, additionalWrites: readonly Write[] = [],
): Promise<boolean> => {
  const delay = Math.max(0, Date.parse(submission.send_at) - clock().getTime());
  const fitsQueue = delay <= maxDelaySeconds * 1000;
  const due = new Date(clock().getTime() + delay + (fitsQueue ? sweepGrace : 0)).toISOString();
  const parts = await submissions.create(submission, due, additionalWrites);
  if (!parts) return false;
  if (!fitsQueue) return true;
  await queue.send(parts, delaySecondsUntil(submission.send_at, clock)).catch((error: unknown) => {
    const { submission_id } = submission;
    log.warn('parts could not be queued; the outbox sweep will queue them', { submission_id, ...errorLogFields(error) });
  });
  return true;
};
