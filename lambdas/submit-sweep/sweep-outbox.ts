import type { Clock } from '../../core/runtime/clock.ts';
import type { Log } from '../../core/runtime/log.ts';
import type { Submissions } from '../../core/sending/submissions.ts';
import type { SubmitQueue } from '../../core/sending/submit-queue.ts';

export type SweepConnections = {
  readonly submissions: Pick<Submissions, 'findDueEntries' | 'postponeEntry'>;
  readonly queue: SubmitQueue;
  readonly clock: Clock;
  readonly log: Log;
};

/** Outbox entries that are read at once. */
const batchSize = 100;

/** Milliseconds until a part that was queued is queued again, unless it has started. */
const requeueDelay = 15 * 60_000;

/**
 * Queues the parts whose outbox entry is due: those whose Lambda died between the transaction and the queue, and those
 * to be sent later than the queue's longest delay. A part is queued before its entry is postponed, so it may be in the
 * queue twice but never gets lost.
 */
export const sweepOutbox = async ({ submissions, queue, clock, log }: SweepConnections): Promise<void> => {
  const now = clock();
  const nextDue = new Date(now.getTime() + requeueDelay).toISOString();
  for (;;) {
    const entries = await submissions.findDueEntries(now.toISOString(), batchSize);
    if (entries.length === 0) return;
    await queue.send(entries);
    await Promise.all(entries.map((entry) => submissions.postponeEntry(entry, nextDue)));
    log.info('parts from the outbox were queued', { parts: entries.length });
    if (entries.length < batchSize) return;
  }
};
