import type { Table } from '../storage/table.ts';
import { AccountIndex, earliestPlace } from './account-index.ts';
import { decodeHead, type Head } from './head.ts';
import { headKey, isHeadKey, logKey, mailboxKey, rowKey } from './keys.ts';
import { decodeEntry, type LogEntry } from './log.ts';
import type { EmailRow, MailboxRecord } from './email/email-record.ts';
import { decodeMailbox, decodeRow } from './rows.ts';

/** Rows read at a time: about what one answer of DynamoDB holds (1 MB). */
const rowsPerPage = 4000;
/** Readings of a log that was written to while it was read. */
const readings = 10;
/** An older state than this many commits back can't be told from: reading so long a log costs more than beginning anew. */
export const longestReplay = 20_000;

/**
 * The account in memory for the first time: its head, then the rows and mailboxes side by side, then the log after that head. Rows
 * may be newer than the head that was read; the log says the same of them again.
 * @returns undefined when there is no such account.
 */
export const load = async (table: Table, accountId: string, since: readonly string[]): Promise<AccountIndex | undefined> => {
  const item = await table.get(headKey(accountId));
  if (!item) return undefined;
  const head = decodeHead(item);
  const [rows, mailboxes] = await Promise.all([readRows(table, accountId), readMailboxes(table, accountId)]);
  const index = new AccountIndex(accountId, head, rows, mailboxes);
  return await advance(table, index, since) ? index : undefined;
};

/**
 * Moves the account along to its newest commit: one query of the log, the head at its end.
 * @returns false when this index is of no use any more: the account is gone, or is another of the same id.
 */
export const advance = async (table: Table, index: AccountIndex, since: readonly string[]): Promise<boolean> => {
  index.shorten();
  const held = index.head.sequence;
  const earliest = earliestPlace(since) ?? held;
  const widened = earliest < index.tailStart && held - earliest <= longestReplay;
  const read = await readLog(table, index.accountId, widened ? earliest : held);
  if (!read || read.head.sequence < held || read.head.lowWater > held) return false;
  index.follow(read.entries, read.head);
  return true;
};

/**
 * The log after a commit (or, if that is less, all that was not trimmed), whole up to the head that comes with it. A query is no
 * snapshot: where a commit came in between and left a gap, it is read again from there.
 * @returns undefined when there is no such account.
 */
export const readLog = async (table: Table, accountId: string, after: number): Promise<{ entries: LogEntry[]; head: Head } | undefined> => {
  let entries: LogEntry[] = [];
  let reached = after;
  for (let reading = 0; reading < readings; reading++) {
    const items = await table.query({ pk: headKey(accountId).pk, after: logKey(accountId, reached).sk });
    const last = items.pop();
    if (!last || !isHeadKey(last)) return undefined;
    const head = decodeHead(last);
    if (reached < head.lowWater) {
      entries = [];
      reached = head.lowWater;
    }
    for (const item of items) {
      const sequence = Number(item.sk);
      if (sequence <= reached) continue;
      if (sequence > reached + 1 || sequence > head.sequence) break;
      entries.push(decodeEntry(item));
      reached = sequence;
    }
    if (reached >= head.sequence) return { entries, head };
  }
  throw new Error(`the log of account ${accountId} has a gap after ${reached}`);
};

const readRows = async (table: Table, accountId: string): Promise<EmailRow[]> => {
  const rows: EmailRow[] = [];
  for (let after: string | undefined; ;) {
    const items = await table.query({ pk: rowKey(accountId, '').pk, ...(after !== undefined && { after }), limit: rowsPerPage });
    for (const item of items) rows.push(decodeRow(item.sk, item));
    if (items.length < rowsPerPage) return rows;
    after = items.at(-1)!.sk;
  }
};

const readMailboxes = async (table: Table, accountId: string): Promise<MailboxRecord[]> =>
  (await table.query({ pk: mailboxKey(accountId, '').pk })).map((item) => decodeMailbox(item.sk, item));
