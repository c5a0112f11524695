import type { Clock } from '../../core/runtime/clock.ts';
import type { Log } from '../../core/runtime/log.ts';
import { sweepGrace } from '../../core/sending/submission/accept-submission.ts';
import type { OutboxEntry, Submissions } from '../../core/sending/submission/submissions.ts';
import { delaySecondsUntil, type SubmitQueue } from '../../core/sending/submission/submit-queue.ts';

export type SweepDependencies = {
  readonly submissions: Pick<Submissions, 'findDueEntries' | 'postponeEntry'>;
  readonly queue: SubmitQueue;
  readonly clock: Clock;
  readonly log: Log;
};

/** Maximum outbox entries that are read at a time. */
const batchSize = 100;

/** Milliseconds after which a queued part is queued again, unless it has changed. They double each time. */
const requeueDelay = 15 * 60_000;
const maxRequeueDelay = 6 * 3_600_000;

/**
 * Queues the parts whose outbox entry is due: parts whose Lambda was interrupted, and parts to be sent later
 * than the queue's maximum delay, which are queued shortly before that time with the exact delay. A part is queued
 * before its entry is postponed, so it may be queued twice but is never lost. An entry that fails does not delay the
 * others.
 * @throws AggregateError after all entries, when some failed.
 */
export const sweepOutbox = async (dependencies: SweepDependencies): Promise<void> => {
  const { submissions, clock, log } = dependencies;
  const before = clock().toISOString();
  const seen = new Set<string>();
  const failures: unknown[] = [];
  for (;;) {
    const entries = await submissions.findDueEntries(before, batchSize + seen.size);
    const due = entries.filter((entry) => !seen.has(keyOf(entry)));
    if (due.length === 0) break;
    for (const entry of due) seen.add(keyOf(entry));
    const results = await Promise.allSettled(due.map((entry) => queueEntry(entry, dependencies)));
    failures.push(...results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : [])));
    log.info('parts of submissions from the outbox were queued', { parts: due.length });
  }
  if (failures.length > 0) throw new AggregateError(failures, 'outbox entries failed; the next run repeats them');
};

const keyOf = ({ submission_id, part, due }: OutboxEntry): string => `${due} ${submission_id} ${part}`;

const queueEntry = async (entry: OutboxEntry, { submissions, queue, clock }: SweepDependencies): Promise<void> => {
  const now = clock().getTime();
  const sendAt = Date.parse(entry.not_before);
  await queue.send([entry], delaySecondsUntil(new Date(sendAt).toISOString(), clock));
  const next = sendAt > now ? sendAt + sweepGrace : now + Math.min(maxRequeueDelay, requeueDelay * 2 ** Math.min(entry.queued ?? 0, 10));
  await submissions.postponeEntry(entry, new Date(next).toISOString());
};
