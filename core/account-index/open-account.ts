import { partitionOf } from '../../contract/deployment/keys.ts';
import { updateHead } from '../account-log/head-writes.ts';
import { decodeHead, type Head } from '../account-log/head.ts';
import { headKey, isHeadKey, logKey } from '../account-log/keys.ts';
import type { LogEntry, StoredRecord } from '../account-log/log-entry.ts';
import { decodeLogEntry } from '../account-log/log-item.ts';
import { maxReplay } from '../account-log/log-trim.ts';
import type { IndexBuilder, Indexes, RecordIndex, RecordStorage, StoredTypes } from '../account-log/records/stored-type.ts';
import { errorLogFields } from '../runtime/error-log-fields.ts';
import { countedAs, type Log } from '../runtime/log.ts';
import type { Objects } from '../storage/objects.ts';
import { tryWrite } from '../storage/retry-on-conflict.ts';
import type { Table } from '../storage/table.ts';
import { AccountIndex, earliestSequence, recordTypes } from './account-index.ts';
import { UnusableSnapshot, type SnapshotContent } from './snapshot/snapshot-file.ts';
import { parseSnapshotName } from './snapshot/snapshot-name.ts';
import { restoreIndex, readSnapshotObject } from './snapshot/snapshot-objects.ts';

/** Items of one page: about as many as one response of DynamoDB holds (1 MB). */
const itemsPerPage = 4000;
/** Maximum reads of the log. If concurrent commits leave a gap each time, opening fails after them. */
const maxLogReads = 10;
/** Maximum snapshots that are tried. When a snapshot was removed, the head names a newer one. */
const maxSnapshots = 3;

/** The sources from which accounts are loaded. */
export type AccountReader = {
  readonly table: Table;
  readonly types: StoredTypes;
  /** The bucket of snapshots. Undefined: accounts are loaded from their records. */
  readonly snapshots?: { readonly objects: Pick<Objects, 'get'>; readonly log: Pick<Log, 'warn'> } | undefined;
};

/**
 * Loads an account into memory: its head, then the snapshot that it names and the log after that. Without a usable
 * snapshot, the records of all types are read instead.
 * @returns undefined when the account does not exist.
 */
export const loadAccount = async (reader: AccountReader, accountId: string, since: readonly string[]): Promise<AccountIndex | undefined> => {
  const { table, snapshots } = reader;
  const tried = new Set<string>();
  for (;;) {
    const item = await table.get(headKey(accountId));
    if (!item) return undefined;
    const head = decodeHead(item);
    if (!snapshots || head.snapshot === undefined || tried.has(head.snapshot) || tried.size === maxSnapshots) {
      return loadFromRecords(reader, accountId, head, since);
    }
    tried.add(head.snapshot);
    try {
      return await loadFromSnapshot(reader, snapshots.objects, accountId, head.snapshot, since);
    } catch (error) {
      if (!(error instanceof UnusableSnapshot)) throw error;
      snapshots.log.warn('snapshot not used', {
        account_id: accountId,
        problem: error.problem,
        ...errorLogFields(error.cause ?? error),
        ...countedAs('UnusableSnapshots'),
      });
      await forgetSnapshot(table, accountId, head.snapshot, error);
    }
  }
};

/** Removes the snapshot's name from the head. This change of the head makes the indexer write another snapshot. */
const forgetSnapshot = async (table: Table, accountId: string, name: string, { problem }: UnusableSnapshot): Promise<void> => {
  if (problem === 'newer' || problem === 'unreadable') return;
  await tryWrite(table, [updateHead(accountId, { remove: ['snapshot'] }, { equals: { snapshot: name } })]);
};

/**
 * Reads the snapshot and the log after it at the same time. Types that the snapshot lacks, because a release without
 * them wrote it, are read from their records.
 * @throws UnusableSnapshot
 */
const loadFromSnapshot = async (
  { table, types }: AccountReader,
  objects: Pick<Objects, 'get'>,
  accountId: string,
  name: string,
  since: readonly string[],
): Promise<AccountIndex | undefined> => {
  const sequence = parseSnapshotName(name)?.sequence;
  if (sequence === undefined) throw new UnusableSnapshot('newer');
  const reading = readSnapshotObject(objects, accountId, name);
  // A failure is thrown where the promise is awaited, after the log was read.
  reading.catch(() => undefined);
  const log = await readLog(table, types, accountId, logStart(sequence, sequence, since));
  const content = await reading;
  if (!log) return undefined;
  if (log.head.lowWater > sequence || log.head.sequence < sequence) throw new UnusableSnapshot('outdated');
  const missing = new Map(
    await Promise.all(
      recordTypes(types)
        .filter((type) => !content.types[type.name])
        .map(async (type) => [type.name, await readRecords(table, accountId, type, log.head)] as const),
    ),
  );
  return restoreAccount(types, content, log, missing);
};

/**
 * Restores the account.
 * @throws UnusableSnapshot also when a commit of the log can't be applied, although the records may be intact.
 */
const restoreAccount = (
  types: StoredTypes,
  { accountId, sequence, types: saved }: SnapshotContent,
  { entries, head }: { readonly entries: readonly LogEntry[]; readonly head: Head },
  missing: ReadonlyMap<string, IndexBuilder>,
): AccountIndex => {
  try {
    const account = new AccountIndex(
      accountId,
      types,
      { ...head, sequence },
      ({ name, records }, indexes: Indexes) => missing.get(name)?.finish(indexes) ?? restoreIndex(records, saved[name]!, indexes),
    );
    account.applyCommits(entries, head);
    return account;
  } catch (error) {
    throw new UnusableSnapshot('damaged', { cause: error });
  }
};

/** Reads all records at once, then the log after the head. Applying the log to newer records does not change them. */
const loadFromRecords = async ({ table, types }: AccountReader, accountId: string, head: Head, since: readonly string[]): Promise<AccountIndex | undefined> => {
  const builders = new Map(await Promise.all(recordTypes(types).map(async (type) => [type.name, await readRecords(table, accountId, type, head)] as const)));
  const account = new AccountIndex(accountId, types, head, ({ name }, indexes) => builders.get(name)!.finish(indexes));
  return (await advanceAccount(table, account, since)) ? account : undefined;
};

/**
 * Reads the commits after the account in memory, by one query.
 * @returns false when the account was removed, or created again.
 */
export const advanceAccount = async (table: Table, account: AccountIndex, since: readonly string[]): Promise<boolean> => {
  account.trimTail();
  const held = account.head.sequence;
  const read = await readLog(table, account.types, account.accountId, logStart(held, account.tailStart, since));
  if (!read || read.head.sequence < held || read.head.lowWater > held) return false;
  account.applyCommits(read.entries, read.head);
  return true;
};

/** The commit after which the log is read: the last one in memory, or an earlier one that /changes needs. */
const logStart = (held: number, tailStart: number, since: readonly string[]): number => {
  const earliest = earliestSequence(since) ?? held;
  return earliest < tailStart && held - earliest <= maxReplay ? earliest : held;
};

/**
 * Reads the log after a commit, or after the low-water mark if that is later, without a gap up to the returned head. A
 * query does not read one state of the table: when a concurrent commit leaves a gap, the log is read again from the
 * gap.
 * @returns undefined when the account does not exist.
 */
export const readLog = async (
  table: Table,
  types: StoredTypes,
  accountId: string,
  after: number,
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
  throw new Error(`the log of account ${accountId} has no item after commit ${reached}, but later ones`);
};

/**
 * Reads the records of one type into the builder of its index, page by page. A type without a state in the head has no
 * records.
 */
const readRecords = async (
  table: Table,
  accountId: string,
  { name, records: storage }: { readonly name: string; readonly records: RecordStorage<StoredRecord, RecordIndex> },
  { states }: Head,
): Promise<IndexBuilder> => {
  if (states[name] === undefined) return storage.indexBuilder();
  const pk = partitionOf(accountId, storage.partition);
  const builder = storage.indexBuilder();
  for (let after: string | undefined; ;) {
    const items = await table.query({ pk, ...(after !== undefined && { after }), limit: itemsPerPage });
    builder.add(items.map((item) => storage.codec.decode(item.sk, item)));
    if (items.length < itemsPerPage) return builder;
    after = items.at(-1)!.sk;
  }
};
