import { accountPartitions } from '../../../contract/deployment/keys.ts';
import type { RecordType } from '../../../contract/jmap/record.ts';
import type { Table, Write } from '../../storage/table.ts';
import type { Head } from '../head.ts';
import type { LogEntry, StoredRecord, TypeChanges } from '../log-entry.ts';
import { propertiesCodec, type RecordCodec } from './record-codec.ts';

/** The records of one type of an account, in memory. */
export type RecordIndex<R extends StoredRecord = StoredRecord> = {
  readonly size: number;
  /** Number of records of usual size whose memory is about that of the index. Default: `size`. */
  readonly weight?: number;
  has(id: string): boolean;
  get(id: string): R | undefined;
  /** Every id, in no particular order. */
  ids(): readonly string[];
  all(): readonly R[];
  /** Applies one commit. It is called for every commit, in the order in which the types are registered. */
  apply(changes: TypeChanges<R>, indexes: Indexes): void;
};

/** The indexes of one account. */
export type Indexes = {
  /** @throws Error for a type that stores no records. */
  index<R extends StoredRecord, Index extends RecordIndex<R>>(type: StoredType<R, Index>): Index;
};

/** Builds an index while the records are read, so that the records of a large account are never in memory together. */
export type IndexBuilder<R extends StoredRecord = StoredRecord, Index extends RecordIndex<R> = RecordIndex<R>> = {
  /** Adds records with ids that were not added before. */
  add(records: readonly R[]): void;
  /** @param indexes the indexes of the types that are registered earlier. */
  finish(indexes: Indexes): Index;
};

/** An array of numbers in a snapshot. In a Uint8Array of packed ids, several elements make one value. */
export type SnapshotArray = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** The data of one type in a snapshot: JSON, and arrays that are copied without conversion. */
export type SavedIndex = {
  readonly json: object;
  /** `capacity`: the length of the array in memory. Default: the number of its elements. */
  readonly arrays: { readonly [name: string]: { readonly values: SnapshotArray; readonly capacity?: number } };
};

/** A saved index, as its type saved it. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/no-unnecessary-type-parameters -- a type restores only what it saved in the same version of the format
export const savedAs = <Saved extends SavedIndex>(saved: SavedIndex): Saved => saved as Saved;

/** Writes an index to a snapshot and reads it. A change of the format needs a new `snapshotVersion`. */
export type IndexSnapshots<Index extends RecordIndex> = {
  save(index: Index, indexes: Indexes): SavedIndex;
  restore(saved: SavedIndex, indexes: Indexes): Index;
};

/** A member of the account, by principal id; null: the account's owner. */
export type MemberKey = string | null;

/** A change of one record by one commit, as /changes reports it. */
export type RecordEvent = {
  readonly id: string;
  readonly kind: 'created' | 'updated' | 'destroyed';
  /** Whether the change may affect only computed properties, such as a Mailbox's counters. */
  readonly onlyComputed?: boolean;
  /** The properties that an update may have changed. Default: any. */
  readonly properties?: readonly string[] | undefined;
  /** The id of the group to which the record belongs in some queries: the Thread of an Email. */
  readonly groupId?: string | undefined;
  /** The members who can see the change, such as the member whose subscription changed. Default: all members. */
  readonly onlyFor?: readonly MemberKey[];
};

/**
 * A change of one record in a commit. `from` is the record before the change, so that an update can be merged into a
 * newer record.
 */
export type Operation<R extends StoredRecord = StoredRecord> = { readonly type: StoredType<R> } &
  /** `source`: the object from which the type's `prepare` hook made the record. */
  (
    | { readonly kind: 'create'; readonly record: R; readonly source?: object; readonly additionalWrites?: readonly Write[] }
    | { readonly kind: 'update'; readonly record: R; readonly from: R; readonly additionalWrites?: readonly Write[] }
    | { readonly kind: 'destroy'; readonly from: R }
  );

/**
 * An additional rule for the remaining operations of a partly written commit, in a newer state of the account.
 * @returns a function that throws RecordRefused for an operation that is not possible any more. It is called for each
 * operation, in order.
 */
export type RevalidateRemaining = (account: Indexes, remaining: readonly Operation[]) => (operation: Operation) => void;

/** The commit to which a transaction belongs, for the hooks that return writes. */
export type CommitContext = {
  readonly sequence: number;
  readonly now: Date;
  /** The principal who requested the changes. Undefined for changes that a Lambda makes on its own. */
  readonly principalId?: string | undefined;
  /** Seconds for which destroyed Emails can be restored; 0: they can't. */
  readonly recoverableSeconds: number;
};

/** A new record, with additional writes that the same transaction must contain. */
export type PreparedRecord<R extends StoredRecord> = { readonly record: R; readonly additionalWrites: readonly Write[] };

/**
 * How the records of a type are stored and held in memory. `partition`, `codec` and `indexBuilder` are required;
 * the other members are hooks.
 */
export type RecordStorage<R extends StoredRecord, Index extends RecordIndex<R>> = {
  /** The name of the partition of these records. It is part of every stored key, so it must never change. */
  readonly partition: string;
  /** Further partitions of the account with items of this type. They are deleted with the account. */
  readonly otherPartitions?: readonly string[];
  readonly codec: RecordCodec<R>;
  indexBuilder(): IndexBuilder<R, Index>;
  /** The form of the index in snapshots. Default: all records, encoded by the codec, as JSON. */
  readonly snapshots?: IndexSnapshots<Index>;
  /** The records of a new account. */
  initialRecords?(newId: () => string): readonly R[];
  /**
   * The record in its stored form, for example with sorted sets.
   * @throws Error when the commit breaks a rule of the type.
   */
  normalize?(record: R, planned: PlannedCommit): R;
  /** @throws Error when the commit may not destroy the record. */
  checkDestroy?(record: R, planned: PlannedCommit): void;
  /**
   * Prepares the new records and reads their inputs, such as the Thread of an Email.
   * @param created the objects in the commit's `create`.
   */
  prepare?(created: readonly object[], account: { readonly table: Table; readonly accountId: string }): Promise<readonly PreparedRecord<R>[]>;
  /**
   * Applies the difference between `from` and `to` to the current record, after a conflict with another commit.
   * Default: property by property.
   */
  merge?(current: R, from: R, to: R, indexes: Indexes): R;
  /**
   * Adapts the creation of a partly written commit to a newer state of the account. Default: the record is unchanged.
   */
  adaptCreation?(record: R, planned: PlannedCommit): R;
  /**
   * Validates an operation of a partly written commit in a newer state of the account. `adaptCreation` and `merge` were
   * called before.
   * @throws RecordRefused when the operation is not possible any more. Default: it is possible.
   */
  revalidate?(operation: Operation<R>, planned: PlannedCommit): void;
  /**
   * Properties of the record before the change that the log stores, because the events of other types need them.
   * @param to undefined when the record is destroyed.
   */
  before?(from: R, to: R | undefined, context: CommitContext): object | undefined;
  /**
   * The fields of the head that the operations change.
   * @param indexes the account before the commit; undefined when it is not in memory.
   */
  headFields?(head: Head, operations: readonly Operation<R>[], indexes: Indexes | undefined): Partial<Head>;
  /**
   * Further writes of a transaction, for items that several of its operations change: at most one write for each
   * operation.
   * @param operations the operations of the transaction on records of this type.
   */
  transactionWrites?(accountId: string, operations: readonly Operation<R>[], context: CommitContext): readonly Write[];
  /** Writes of an operation, besides the write of the record's own item. */
  additionalWrites?(accountId: string, operation: Operation<R>, context: CommitContext): readonly Write[];
};

/** A commit before it is written, for rules that concern several types. */
export type PlannedCommit = {
  readonly indexes: Indexes;
  /** The record as it will be after the commit. @returns undefined when it will not exist. */
  after<R extends StoredRecord>(type: StoredType<R>, id: string): R | undefined;
  /** All records of the type, as they will be after the commit. */
  allAfter<R extends StoredRecord>(type: StoredType<R>): readonly R[];
};

/**
 * A type with a state in the store. Either it stores records, or its state is derived from the records of other types.
 * Its changes are pushed (RFC 8620 §7).
 */
export type StoredType<R extends StoredRecord = StoredRecord, Index extends RecordIndex<R> = RecordIndex<R>> = {
  readonly name: string;
  /** The stored form of records. Undefined for a derived type, which stores no records: Thread, EmailDelivery. */
  readonly records?: RecordStorage<R, Index>;
  /** Whether a commit changes the type's state. Default: whether it changes one of the type's records. */
  isChangedBy?(entry: LogEntry): boolean;
  /**
   * The events of the type by commit, in the order of the entries. Default: the changes in the entries.
   * @param entries the log up to the account's head, without a gap.
   */
  events?(entries: readonly LogEntry[], indexes: Indexes): readonly (readonly RecordEvent[])[];
};

/** Records by id in a map: the index of a type without special queries. */
export class RecordMap<R extends StoredRecord> implements RecordIndex<R> {
  readonly #records: Map<string, R>;

  constructor(records: readonly R[]) {
    this.#records = new Map(records.map((record) => [record.id, record]));
  }

  get size(): number {
    return this.#records.size;
  }

  has(id: string): boolean {
    return this.#records.has(id);
  }

  get(id: string): R | undefined {
    return this.#records.get(id);
  }

  ids(): readonly string[] {
    return [...this.#records.keys()];
  }

  all(): readonly R[] {
    return [...this.#records.values()];
  }

  apply({ created, updated, destroyed }: TypeChanges<R>): void {
    for (const record of created) this.#records.set(record.id, record);
    for (const { record } of updated) this.#records.set(record.id, record);
    for (const { id } of destroyed) this.#records.delete(id);
  }
}

/** Builds an index from all records, collected in a list. */
export const indexOfRecords = <R extends StoredRecord, Index extends RecordIndex<R> = RecordIndex<R>>(
  createIndex: (records: readonly R[]) => Index,
): IndexBuilder<R, Index> => {
  const all: R[] = [];
  return {
    add(records) {
      for (const record of records) all.push(record);
    },
    finish: () => createIndex(all),
  };
};

/** A type whose records are stored property by property as its contract defines them, and held in a map. */
export const plainStoredType = <R extends StoredRecord = StoredRecord>(
  type: RecordType,
  version?: number,
): StoredType<R> & { readonly records: RecordStorage<R, RecordIndex<R>> } => ({
  name: type.name,
  records: {
    partition: type.name.toLowerCase(),
    codec: propertiesCodec<R>(type, version),
    indexBuilder: () => indexOfRecords((records) => new RecordMap(records)),
  },
});

/**
 * Types by name. Commits are applied to the indexes and records are written in this order; records are destroyed in the
 * opposite order.
 */
export type StoredTypes = ReadonlyMap<string, StoredType>;

/** The partitions of an account's mail: those of the log and of all types with records. */
export const partitionsOfTypes = (types: Iterable<StoredType>): readonly string[] => [
  accountPartitions.log,
  ...[...types].flatMap(({ records }) => (records ? [records.partition, ...(records.otherPartitions ?? [])] : [])),
];

/** @throws Error when two types have the same name or partition. */
export const storedTypeTable = (types: readonly StoredType[]): StoredTypes => {
  const table = new Map(types.map((type) => [type.name, type]));
  const partitions = partitionsOfTypes(types);
  if (table.size !== types.length || new Set(partitions).size !== partitions.length) {
    throw new Error('two stored types have the same name or partition');
  }
  return table;
};
