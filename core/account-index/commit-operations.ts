import type { StoredRecord } from '../account-log/log-entry.ts';
import { isSameRecord, mergeProperties } from '../account-log/records/merge-records.ts';
import { RecordRefused, type RefusedChange } from '../account-log/records/record-refused.ts';
import type { Indexes, RevalidateRemaining, Operation, PlannedCommit, StoredType } from '../account-log/records/stored-type.ts';
import type { Table } from '../storage/table.ts';
import type { AccountIndex } from './account-index.ts';
import type { Commit, RecordChanges } from './account-view.ts';

/** The last record of each id. */
const lastOfEach = (records: readonly StoredRecord[]): readonly StoredRecord[] => [...new Map(records.map((record) => [record.id, record])).values()];

const indexFor = (indexes: Indexes, type: StoredType) => indexes.index(type);

/** Changed records by type name and id; undefined for a destroyed record. */
type ChangedRecords = ReadonlyMap<string, ReadonlyMap<string, StoredRecord | undefined>>;

const changedOf = <R extends StoredRecord>(changed: ChangedRecords, type: StoredType<R>): ReadonlyMap<string, R | undefined> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the records under the name of a type are of the type
  (changed.get(type.name) ?? new Map()) as ReadonlyMap<string, R | undefined>;

/** The records that will exist after the commit, for the hooks of types. */
const plannedCommit = (indexes: Indexes, changed: ChangedRecords): PlannedCommit => ({
  indexes,
  after<R extends StoredRecord>(type: StoredType<R>, id: string) {
    const records = changedOf(changed, type);
    return records.has(id) ? records.get(id) : indexes.index(type).get(id);
  },
  allAfter<R extends StoredRecord>(type: StoredType<R>) {
    const records = changedOf(changed, type);
    const unchanged = indexes
      .index(type)
      .all()
      .filter(({ id }) => !records.has(id));
    return [...unchanged, ...[...records.values()].filter((record) => record !== undefined)];
  },
});

const changedByCommit = ({ records }: Commit): ChangedRecords =>
  new Map(
    Object.entries(records).map(([name, { put = [], destroy = [] }]) => [
      name,
      new Map([...put.map((record) => [record.id, record] as const), ...destroy.map((id) => [id, undefined] as const)]),
    ]),
  );

const changedByOperations = (operations: readonly Operation[]): ChangedRecords => {
  const byType = Map.groupBy(operations, ({ type }) => type.name);
  return new Map(
    [...byType].map(([name, each]) => [
      name,
      new Map(
        each.map((operation) =>
          operation.kind === 'destroy' ? ([operation.from.id, undefined] as const) : ([operation.record.id, operation.record] as const),
        ),
      ),
    ]),
  );
};

const putOperations = (type: StoredType, { put = [], destroy = [], additionalWrites }: RecordChanges, planned: PlannedCommit): Operation[] => {
  const destroyed = new Set(destroy);
  return lastOfEach(put)
    .filter(({ id }) => !destroyed.has(id))
    .flatMap((given): Operation[] => {
      const from = indexFor(planned.indexes, type).get(given.id);
      if (!from && type.records!.prepare) throw new Error(`${type.name} ${given.id} is updated but does not exist`);
      const record = type.records!.normalize?.({ ...from, ...given }, planned) ?? given;
      const further = { additionalWrites: additionalWrites?.get(given.id) ?? [] };
      if (!from) return [{ type, kind: 'create', record, ...further }];
      return isSameRecord(record, from) ? [] : [{ type, kind: 'update', record, from, ...further }];
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

type Creation = Extract<Operation, { readonly kind: 'create' }>;

/** The operations that create a type's records, as its `prepare` hook returns them. */
const createOperations = async (type: StoredType, create: readonly object[], { table, account }: AccountContext): Promise<Creation[]> => {
  const prepared = type.records!.prepare
    ? await type.records!.prepare(create, { table, accountId: account.accountId })
    : // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a commit creates the records of a type that does not prepare them
      (create as readonly StoredRecord[]).map((record) => ({ record, additionalWrites: [] }));
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
  const planned = plannedCommit(account, changedByCommit(commit));
  const changed = [...account.types.values()].flatMap((type) => (commit.records[type.name] ? [{ type, changes: commit.records[type.name]! }] : []));
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

const remainingOperation = (operation: Exclude<Operation, { kind: 'create' }>, account: AccountIndex): Operation | undefined => {
  const { type } = operation;
  const current = indexFor(account, type).get(operation.from.id);
  if (!current) return undefined;
  if (operation.kind === 'destroy') return { type, kind: 'destroy', from: current };
  const { from, record: to, additionalWrites } = operation;
  const record = type.records!.merge?.(current, from, to, account) ?? mergeProperties(current, from, to);
  return isSameRecord(record, current) ? undefined : { type, kind: 'update', record, from: current, additionalWrites };
};

/** Prepares the creations again, because the items that `prepare` read may have changed. */
const prepareAgain = async (operations: readonly Operation[], context: AccountContext): Promise<readonly Operation[]> => {
  const sources = Map.groupBy(
    operations.flatMap((each) => (each.kind === 'create' && each.source ? [each] : [])),
    ({ type }) => type,
  );
  const prepared = await Promise.all(
    [...sources].map(([type, each]) =>
      createOperations(
        type,
        each.map(({ source }) => source!),
        context,
      ),
    ),
  );
  const bySource = new Map(prepared.flat().map((each) => [each.source, each]));
  return operations.map((each) => (each.kind === 'create' && each.source ? bySource.get(each.source)! : each));
};

/** Operations that are still possible, and the refused changes. */
type Revalidation = { readonly operations: readonly Operation[]; readonly refused: readonly RefusedChange[] };

/**
 * The remaining operations of a partly written commit, for a newer state of the account. An update merges its
 * differences into the current record, so that changes of other commits are kept. Operations that would change nothing
 * are dropped. Operations that other commits made impossible are returned with the reasons.
 */
export const remainingOperations = async (
  operations: readonly Operation[],
  context: AccountContext,
  revalidateRemaining?: RevalidateRemaining,
): Promise<Revalidation> => {
  let remaining: readonly Operation[] = operations.flatMap((each) => (each.kind === 'create' ? each : (remainingOperation(each, context.account) ?? [])));
  const refused: RefusedChange[] = [];
  // A refused operation may make others impossible, such as the children of a Mailbox that is not created.
  for (;;) {
    const revalidated = revalidate(await prepareAgain(remaining, context), context.account, revalidateRemaining);
    if (revalidated.refused.length === 0) return { operations: revalidated.operations, refused };
    refused.push(...revalidated.refused);
    const refusedIds = new Set(revalidated.refused.map(({ typeName, id }) => `${typeName} ${id}`));
    remaining = remaining.filter((operation) => !refusedIds.has(`${operation.type.name} ${idOf(operation)}`));
  }
};

const idOf = (operation: Operation): string => (operation.kind === 'destroy' ? operation.from.id : operation.record.id);

/** Adapts each creation to the newer state, then revalidates each operation. */
const revalidate = (given: readonly Operation[], indexes: Indexes, revalidateRemaining: RevalidateRemaining | undefined): Revalidation => {
  const planned = plannedCommit(indexes, changedByOperations(given));
  const revalidateFurther = revalidateRemaining?.(indexes, given);
  const operations: Operation[] = [];
  const refused: RefusedChange[] = [];
  for (const each of given) {
    const { type } = each;
    const hooks = type.records!;
    try {
      const operation = each.kind === 'create' ? { ...each, record: hooks.adaptCreation?.(each.record, planned) ?? each.record } : each;
      hooks.revalidate?.(operation, planned);
      revalidateFurther?.(operation);
      operations.push(operation);
    } catch (reason) {
      if (!(reason instanceof RecordRefused)) throw reason;
      refused.push({ typeName: type.name, id: idOf(each), reason });
    }
  }
  return { operations, refused };
};
