import type { Clock } from '../runtime/clock.ts';
import { errorLogFields } from '../runtime/errors.ts';
import type { Log } from '../runtime/log.ts';
import { delaySecondsUntil, maxDelaySeconds, type SubmitQueue } from './submit-queue.ts';
import type { Write } from '../storage/table.ts';
import type { NewSubmission } from './submission.ts';
import type { Submissions } from './submissions.ts';

export type AcceptConnections = { readonly submissions: Pick<Submissions, 'create'>; readonly queue: SubmitQueue; readonly clock: Clock; readonly log: Log };

/** Milliseconds that a part has to be begun after it was put into the queue, before the outbox is asked about it. */
const grace = 2 * 60_000;

/**
 * Takes over a message to be sent: when this returns, it will be. The outbox is written with the submission, in one transaction; the queue is told right
 * after it, and what it is not told then (this Lambda died, the queue did not answer, `send_at` is too far away for it) the outbox is swept for.
 * @param also what is to be written in the same transaction.
 * @returns false when a condition of it does not hold: nothing was taken over.
 */
export const acceptSubmission = async (submission: NewSubmission, { submissions, queue, clock, log }: AcceptConnections, also: readonly Write[] = []): Promise<boolean> => {
  const waits = Math.max(0, Date.parse(submission.send_at) - clock().getTime());
  const isForQueue = waits <= maxDelaySeconds * 1000;
  const due = new Date(clock().getTime() + waits + (isForQueue ? grace : 0)).toISOString();
  const parts = await submissions.create(submission, due, also);
  if (!parts) return false;
  if (!isForQueue) return true;
  await queue.send(parts, delaySecondsUntil(submission.send_at, clock)).catch((error: unknown) => {
    log.warn('the submit queue was not told; the outbox will', { submission_id: submission.submission_id, ...errorLogFields(error) });
  });
  return true;
};
