import type { RecordChanges } from '../../account-index/account-view.ts';
import { appendCommit, writersIn, type CommitDependencies, type RecordsChange } from '../../account-log/append-commit.ts';
import { operationsThatFit } from '../../account-log/commit-writes.ts';
import { decodeHead } from '../../account-log/head.ts';
import { headKey, recordKey } from '../../account-log/keys.ts';
import type { StoredRecord } from '../../account-log/log-entry.ts';
import { isSameRecord } from '../../account-log/records/merge-records.ts';
import type { Operation, StoredType } from '../../account-log/records/stored-type.ts';
import { findItemIn, type FindItem, type Key } from '../../storage/table.ts';
import type { FoundRecords, PlanRecordCommit, RecordCommit, RecordCommitOutcome, RecordName } from './mail-store.ts';

/** The heads of the accounts, and the records that were named. */
type NamedRecords = { readonly heads: FindItem; readonly records: FindItem };

/** Commits changes of named records without the accounts' indexes: {@link RecordStore.commitRecords}. */
export const commitRecords = (dependencies: CommitDependencies, named: readonly RecordName[], plan: PlanRecordCommit): Promise<RecordCommitOutcome> => {
  const { table, types } = dependencies;
  const readItems = async (keys: readonly Key[]): Promise<FindItem> => findItemIn(keys.length > 0 ? await table.batchGet(keys) : []);
  const accountIds = [...new Set(named.map(({ accountId }) => accountId))];
  return appendCommit<NamedRecords, RecordCommitOutcome>(dependencies, {
    async read(_last, logItems) {
      const heads = await readItems(accountIds.map(headKey));
      // Records are read after the heads. A record or a log item that is newer than its head makes the transaction fail
      // on the head.
      const records = await readItems([...named.map(recordKeyOf), ...logItems]);
      return { state: { heads, records }, writerOf: writersIn(types, records) };
    },
    async plan(found) {
      const commit = await plan(foundRecords(named, found));
      const { additionalWrites = [] } = commit ?? {};
      const changes = recordsChanges(dependencies, commit, named, found);
      if (changes.length > 0) return { changes, additionalWrites, made: () => ({ result: 'committed' }) };
      if (additionalWrites.length > 0) throw new Error('a record commit has additional writes but changes no record');
      return { result: 'unchanged' };
    },
  });
};

const foundRecords = (named: readonly RecordName[], { heads, records }: NamedRecords): FoundRecords => ({
  hasAccount: (accountId) => heads(headKey(accountId)) !== undefined,
  get: (accountId, type, id) => {
    const name = named.find((each) => each.accountId === accountId && each.type.name === type.name && each.id === id);
    if (!name) throw new Error(`${type.name} ${id} is not among the named records`);
    const item = records(recordKeyOf(name));
    return item && type.records!.codec.decode(id, item);
  },
});

/** The changes of the accounts. Changes without an effect are omitted. */
const recordsChanges = (
  { types }: CommitDependencies,
  commit: RecordCommit | undefined,
  named: readonly RecordName[],
  found: NamedRecords,
): readonly RecordsChange[] =>
  Object.entries(commit?.accounts ?? {}).flatMap(([accountId, changes]) => {
    const head = found.heads(headKey(accountId));
    if (!head) throw new Error('the account does not exist');
    // Operations are in the order of the registry, as in every commit.
    const operations = [...types.values()].flatMap((type) =>
      changes[type.name] ? recordOperations(type, changes[type.name]!, (id) => foundRecords(named, found).get(accountId, type, id)) : [],
    );
    if (operationsThatFit(accountId, operations, 0) < operations.length) throw new RangeError('a record commit exceeds one log item');
    return operations.length > 0 ? [{ accountId, head: decodeHead(head), operations }] : [];
  });

const recordKeyOf = ({ accountId, type, id }: RecordName): Key => recordKey(accountId, type.records!.partition, id);

/** The operations of one type. Operations without an effect are omitted. */
const recordOperations = (
  type: StoredType,
  { put = [], destroy = [] }: RecordChanges,
  find: (id: string) => StoredRecord | undefined,
): readonly Operation[] => {
  assertIndependent(type);
  return [
    ...put.flatMap((record): Operation[] => {
      const from = find(record.id);
      if (!from) return [{ type, kind: 'create', record }];
      return isSameRecord(record, from) ? [] : [{ type, kind: 'update', record, from }];
    }),
    ...destroy.flatMap((id): Operation[] => {
      const from = find(id);
      return from ? [{ type, kind: 'destroy', from }] : [];
    }),
  ];
};

/**
 * @throws Error for a type with rules over several records. Only a commit with the account's index can check such
 * rules.
 */
const assertIndependent = ({ name, records }: StoredType): void => {
  if (!records || records.prepare || records.normalize || records.checkDestroy) {
    throw new Error(`a commit of ${name} records needs the account's index`);
  }
};
