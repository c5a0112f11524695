import { tryWrite } from '../../storage/retry-on-conflict.ts';
import type { Table } from '../../storage/table.ts';
import { updateHead } from '../../account-log/head-writes.ts';

/**
 * Reasons why the indexer is asked to work on an account's search index: more Emails are not indexed than a request can
 * read, words of destroyed Emails are to be removed, or a segment can't be used.
 */
type SearchDue = 'behind' | 'purge' | `segment ${string}`;

/** The segment that can't be used. */
export const unusableSegmentOf = (due: string | undefined): string | undefined =>
  (due?.startsWith('segment ') ? due.slice('segment '.length) : undefined);

/** Milliseconds until the indexer is asked again: it may have failed. */
const askAgainAfter = 60_000;

/**
 * Requests a run of the indexer by a change of the head, which the table's stream passes on. Nothing is written when a
 * run was requested within the last minute.
 */
export const askIndexer = async (table: Table, accountId: string, due: SearchDue, now: Date): Promise<void> => {
  const askedAt = now.getTime();
  await tryWrite(table, [updateHead(
    accountId, { set: { searchDue: due, searchAskedAt: askedAt } },
    [{ equals: { searchDue: undefined } }, { below: { searchAskedAt: askedAt - askAgainAfter } }],
  )]);
};
