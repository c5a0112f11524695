import { StoreConflict } from '../runtime/domain-errors.ts';
import type { Table } from '../storage/table.ts';
import type { AccountIndex } from './account-index.ts';
import type { StoredRecord } from './log-entry.ts';
import type { Commit, RecordChanges } from './mail-store.ts';
import type { Indexes, Operation, PlannedCommit, StoredType } from './stored-type.ts';

/** Whether two stored values are equal. Sets are stored in order, so that equal sets are equal values. */
const isEqual = (one: unknown, other: unknown): boolean => one === other || JSON.stringify(one) === JSON.stringify(other);

const isSameRecord = (one: StoredRecord, other: StoredRecord): boolean => {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]) as Set<keyof StoredRecord>;
  return [...names].every((name) => isEqual(one[name], other[name]));
};

/** The last record of each id. */
const lastOfEach = (records: readonly StoredRecord[]): readonly StoredRecord[] =>
  [...new Map(records.map((record) => [record.id, record])).values()];

const indexFor = (indexes: Indexes, type: StoredType) => indexes.index(type);

/** The commit as hooks see it: they can look up any record as it will be afterwards. */
const plannedCommit = (indexes: Indexes, { records }: Commit): PlannedCommit => {
  const puts = new Map(Object.entries(records).map(([name, { put = [] }]) => [name, new Map(put.map((record) => [record.id, record]))]));
  const destroyed = new Map(Object.entries(records).map(([name, { destroy = [] }]) => [name, new Set(destroy)]));
  return {
    indexes,
    after: <R extends StoredRecord>(type: StoredType<R>, id: string) =>
      (destroyed.get(type.name)?.has(id) ? undefined : (puts.get(type.name)?.get(id) as R | undefined) ?? indexes.index(type).get(id)),
  };
};

const putOperations = (type: StoredType, { put = [], destroy = [] }: RecordChanges, planned: PlannedCommit): Operation[] => {
  const destroyed = new Set(destroy);
  return lastOfEach(put).filter(({ id }) => !destroyed.has(id)).flatMap((given): Operation[] => {
    const from = indexFor(planned.indexes, type).get(given.id);
    if (!from && type.records!.prepare) throw new Error(`${type.name} ${given.id} is updated but does not exist`);
    const record = type.records!.normalize?.({ ...from, ...given }, planned) ?? given;
    if (!from) return [{ type, kind: 'create', record }];
    return isSameRecord(record, from) ? [] : [{ type, kind: 'update', record, from }];
  });
};

const destroyOperations = (type: StoredType, { destroy = [] }: RecordChanges, planned: PlannedCommit): Operation[] =>
  [...new Set(destroy)].flatMap((id): Operation[] => {
    const from = indexFor(planned.indexes, type).get(id);
    if (!from) return [];
    type.records!.checkDestroy?.(from, planned);
    return [{ type, kind: 'destroy', from }];
  });

type AccountContext = { readonly table: Table; readonly account: AccountIndex };

/** The operations that create a type's records, as its `prepare` hook returns them. */
const createOperations = async (type: StoredType, create: readonly object[], { table, account }: AccountContext): Promise<Operation[]> => {
  const prepared = type.records!.prepare
    ? await type.records!.prepare(create, { table, accountId: account.accountId })
    : (create as readonly StoredRecord[]).map((record) => ({ record, additionalWrites: [] }));
  return prepared.map(({ record, additionalWrites }, i) => ({ type, kind: 'create', record, source: create[i]!, additionalWrites }));
};

/**
 * The operations of a commit, in an order in which they may be split over transactions: a record is written before
 * those that refer to it (types in the order of their registry) and destroyed after them (the opposite order).
 * Operations that change nothing are omitted.
 * @throws Error for a commit that breaks a rule of the store. The caller of `commit` must check these rules.
 */
export const planOperations = async (account: AccountIndex, commit: Commit, table: Table): Promise<Operation[]> => {
  const unknown = Object.keys(commit.records).find((name) => !account.types.get(name)?.records);
  if (unknown !== undefined) throw new Error(`the type ${unknown} stores no records`);
  const planned = plannedCommit(account, commit);
  const changed = [...account.types.values()].flatMap(
    (type) => (commit.records[type.name] ? [{ type, changes: commit.records[type.name]! }] : []),
  );
  const puts: Operation[] = [];
  for (const { type, changes } of changed) {
    puts.push(...putOperations(type, changes, planned));
    if (changes.create?.length) {
      const creations = await createOperations(type, changes.create, { table, account });
      puts.push(...creations.map((operation) => normalizedCreation(operation, planned)));
    }
  }
  return [...puts, ...changed.toReversed().flatMap(({ type, changes }) => destroyOperations(type, changes, planned))];
};

const normalizedCreation = (operation: Operation, planned: PlannedCommit): Operation => {
  if (operation.kind !== 'create') return operation;
  return { ...operation, record: operation.type.records!.normalize?.(operation.record, planned) ?? operation.record };
};

/** Applies the properties that differ between `from` and `to` to the current record. */
const mergedRecord = (current: StoredRecord, from: StoredRecord, to: StoredRecord): StoredRecord => {
  const names = Object.keys(to) as (keyof StoredRecord)[];
  return { ...current, ...Object.fromEntries(names.filter((name) => !isEqual(to[name], from[name])).map((name) => [name, to[name]])) };
};

const remainingOperation = (operation: Exclude<Operation, { kind: 'create' }>, account: AccountIndex): Operation | undefined => {
  const { type } = operation;
  const current = indexFor(account, type).get(operation.from.id);
  if (!current) return undefined;
  const hooks = type.records!;
  if (operation.kind === 'destroy') {
    if (hooks.mayDestroy?.(current, account) === false) {
      throw new StoreConflict(`another commit uses ${type.name} ${current.id}, which was to be destroyed`);
    }
    return { type, kind: 'destroy', from: current };
  }
  const { from, record: to } = operation;
  const record = hooks.merge?.(current, from, to, account) ?? mergedRecord(current, from, to);
  return isSameRecord(record, current) ? undefined : { type, kind: 'update', record, from: current };
};

/** Prepares the creations again, because the items that `prepare` read may have changed. */
const prepareAgain = async (operations: readonly Operation[], context: AccountContext): Promise<readonly Operation[]> => {
  const sources = Map.groupBy(operations.flatMap((each) => (each.kind === 'create' && each.source ? [each] : [])), ({ type }) => type);
  const prepared = await Promise.all(
    [...sources].map(([type, each]) => createOperations(type, each.map(({ source }) => source!), context)),
  );
  const bySource = new Map(prepared.flat().map((each) => [(each as { source?: object }).source, each]));
  return operations.map((each) => (each.kind === 'create' && each.source ? bySource.get(each.source)! : each));
};

/**
 * The remaining operations of a partly written commit, for a newer state of the account. An update merges its
 * differences into the current record, so that changes of other commits are kept. Operations that would change nothing
 * are dropped.
 * @throws StoreConflict when another commit has made one of them impossible.
 */
export const remainingOperations = async (operations: readonly Operation[], context: AccountContext): Promise<Operation[]> => {
  const remaining = operations.flatMap((each) => (each.kind === 'create' ? each : remainingOperation(each, context.account) ?? []));
  const prepared = await prepareAgain(remaining, context);
  const planned = plannedOperations(context.account, prepared);
  return prepared.map((operation) => adaptedCreation(operation, planned));
};

/** Records as they will be after the operations. */
const plannedOperations = (indexes: Indexes, operations: readonly Operation[]): PlannedCommit => {
  const after = new Map(operations.map((operation) => (operation.kind === 'destroy'
    ? [`${operation.type.name} ${operation.from.id}`, undefined] as const
    : [`${operation.type.name} ${operation.record.id}`, operation.record] as const)));
  return {
    indexes,
    after: <R extends StoredRecord>(type: StoredType<R>, id: string) =>
      (after.has(`${type.name} ${id}`) ? after.get(`${type.name} ${id}`) as R | undefined : indexes.index(type).get(id)),
  };
};

const adaptedCreation = (operation: Operation, planned: PlannedCommit): Operation => {
  const { type } = operation;
  if (operation.kind !== 'create' || !type.records!.adaptCreation) return operation;
  const record = type.records!.adaptCreation(operation.record, planned);
  if (!record) throw new StoreConflict(`another commit destroyed records that ${type.name} ${operation.record.id} needs`);
  return { ...operation, record };
};
