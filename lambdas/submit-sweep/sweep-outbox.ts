import type { Clock } from '../../core/runtime/clock.ts';
import type { Log } from '../../core/runtime/log.ts';
import type { SubmitQueue } from '../../core/sending/submit-queue.ts';
import type { Submissions } from '../../core/sending/submissions.ts';

export type SweepConnections = { readonly submissions: Pick<Submissions, 'findDueEntries' | 'postponeEntry'>; readonly queue: SubmitQueue; readonly clock: Clock; readonly log: Log };

/** Entries looked at in one go. */
const batchSize = 100;

/** Milliseconds until an entry that was put into the queue is put there again, if its part was not begun by then. */
const again = 15 * 60_000;

/**
 * Puts what fell due in the outbox into the queue: parts whose Lambda died between the transaction and the queue, and parts to be sent at a later time.
 * Into the queue first, then due later: a part may be there twice, never not at all.
 */
export const sweepOutbox = async ({ submissions, queue, clock, log }: SweepConnections): Promise<void> => {
  const now = clock();
  const later = new Date(now.getTime() + again).toISOString();
  for (;;) {
    const due = await submissions.findDueEntries(now.toISOString(), batchSize);
    if (due.length === 0) return;
    await queue.send(due);
    await Promise.all(due.map((entry) => submissions.postponeEntry(entry, later)));
    log.info('the outbox was swept', { parts: due.length });
    if (due.length < batchSize) return;
  }
};
