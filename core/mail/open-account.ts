import type { Table } from '../storage/table.ts';
import { AccountIndex, earliestSequence } from './account-index.ts';
import { decodeHead, type Head } from './head.ts';
import { headKey, isHeadKey, logKey, partitionOf } from './keys.ts';
import type { LogEntry, StoredRecord } from './log-entry.ts';
import { decodeLogEntry } from './log.ts';
import type { RecordIndex, RecordStorage, StoredTypes } from './stored-type.ts';

/** Items that are read at a time: about as many as one response of DynamoDB holds (1 MB). */
const itemsPerPage = 4000;
/** Reads of the log after which opening fails, because every read found a gap: commits were written meanwhile. */
const maxLogReads = 10;
/**
 * Commits that /changes goes back at most. Reading a longer log costs more than a full synchronization of the client.
 */
export const maxReplay = 20_000;

/**
 * Loads an account into memory: its head, then the records of all types in parallel, then the log after that head.
 * Records may be newer than the head that was read; applying the log to them does not change them.
 * @returns undefined when the account does not exist.
 */
export const loadAccount = async (
  table: Table, types: StoredTypes, accountId: string, since: readonly string[],
): Promise<AccountIndex | undefined> => {
  const item = await table.get(headKey(accountId));
  if (!item) return undefined;
  const head = decodeHead(item);
  const stored = [...types.values()].flatMap(({ name, records }) => (records ? [{ name, records }] : []));
  const loaded = await Promise.all(stored.map(async ({ name, records }) => [name, await readRecords(table, accountId, records)] as const));
  const account = new AccountIndex(accountId, types, head, new Map(loaded));
  return await advanceAccount(table, account, since) ? account : undefined;
};

/**
 * Advances the account to its newest commit with one query, which returns the newer log entries and the head.
 * @returns false when the index is no longer valid: the account was removed, or created again with the same id.
 */
export const advanceAccount = async (table: Table, account: AccountIndex, since: readonly string[]): Promise<boolean> => {
  account.trimTail();
  const held = account.head.sequence;
  const earliest = earliestSequence(since) ?? held;
  const readsEarlier = earliest < account.tailStart && held - earliest <= maxReplay;
  const read = await readLog(table, account.types, account.accountId, readsEarlier ? earliest : held);
  if (!read || read.head.sequence < held || read.head.lowWater > held) return false;
  account.applyCommits(read.entries, read.head);
  return true;
};

/**
 * Reads the log after a commit, or after the low-water mark if that is later, without a gap up to the returned head. A
 * query is no snapshot: when a commit that is written meanwhile leaves a gap, the log is read again from there.
 * @returns undefined when the account does not exist.
 */
export const readLog = async (
  table: Table, types: StoredTypes, accountId: string, after: number,
): Promise<{ readonly entries: readonly LogEntry[]; readonly head: Head } | undefined> => {
  let entries: LogEntry[] = [];
  let reached = after;
  for (let reads = 0; reads < maxLogReads; reads++) {
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
      entries.push(decodeLogEntry(types, item));
      reached = sequence;
    }
    if (reached >= head.sequence) return { entries, head };
  }
  throw new Error(`the log of account ${accountId} has a gap after ${reached}`);
};

const readRecords = async (
  table: Table, accountId: string, { partition, codec }: RecordStorage<StoredRecord, RecordIndex>,
): Promise<StoredRecord[]> => {
  const records: StoredRecord[] = [];
  for (let after: string | undefined; ;) {
    const items = await table.query({ pk: partitionOf(accountId, partition), ...(after !== undefined && { after }), limit: itemsPerPage });
    for (const item of items) records.push(codec.decode(item.sk, item));
    if (items.length < itemsPerPage) return records;
    after = items.at(-1)!.sk;
  }
};
