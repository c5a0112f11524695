import { updateHead } from '../../account-log/head-writes.ts';
import { tryWrite } from '../../storage/retry-on-conflict.ts';
import type { Table } from '../../storage/table.ts';

/** A reason for a run of the indexer: too many Emails without a segment, words to remove, or an unusable segment. */
type SearchDue = 'behind' | 'purge' | `segment ${string}`;

/** The segment that can't be used. */
export const unusableSegmentOf = (due: string | undefined): string | undefined => (due?.startsWith('segment ') ? due.slice('segment '.length) : undefined);

/** Milliseconds after which the indexer is notified again, because it may have failed. */
const askAgainAfter = 60_000;

/**
 * Requests a run of the indexer, at most once a minute. The request is a change of the head, which reaches the indexer
 * through the table's stream.
 */
export const askIndexer = async (table: Table, accountId: string, due: SearchDue, now: Date): Promise<void> => {
  const askedAt = now.getTime();
  await tryWrite(table, [
    updateHead(accountId, { set: { searchDue: due, searchAskedAt: askedAt } }, [
      { equals: { searchDue: undefined } },
      { below: { searchAskedAt: askedAt - askAgainAfter } },
    ]),
  ]);
};
