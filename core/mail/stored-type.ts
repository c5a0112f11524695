import type { RecordType } from '../../contract/jmap/record.ts';
import type { Table, Write } from '../storage/table.ts';
import type { Head } from './head.ts';
import type { LogEntry, StoredRecord, TypeChanges } from './log-entry.ts';
import { propertiesCodec, type RecordCodec } from './record-codec.ts';

/** The records of one type of an account, in memory. */
export type RecordIndex<R extends StoredRecord = StoredRecord> = {
  readonly size: number;
  has(id: string): boolean;
  get(id: string): R | undefined;
  /** Every id, in no particular order. */
  ids(): readonly string[];
  all(): readonly R[];
  /** Follows one commit. It is called for every commit, after the types that are registered earlier have followed it. */
  apply(changes: TypeChanges<R>, indexes: Indexes): void;
};

/** The indexes of one account. */
export type Indexes = {
  /** @throws Error for a type that stores no records. */
  index<R extends StoredRecord, Index extends RecordIndex<R>>(type: StoredType<R, Index>): Index;
};

/** What a commit did to one record, seen from one type. */
export type RecordEvent = {
  readonly id: string;
  readonly kind: 'created' | 'updated' | 'destroyed';
  /** Only computed properties may have changed, such as a Mailbox's counters. */
  readonly onlyComputed?: boolean;
};

/** The part of one commit that concerns one record. An update keeps what it started from, so that it can be merged into a newer record. */
export type Operation<R extends StoredRecord = StoredRecord> = { readonly type: StoredType<R> } & (
  /** `source`: what the type's `prepare` hook made the record from. */
  | { readonly kind: 'create'; readonly record: R; readonly source?: object; readonly additionalWrites?: readonly Write[] }
  | { readonly kind: 'update'; readonly record: R; readonly from: R }
  | { readonly kind: 'destroy'; readonly from: R }
);

/** A new record with the writes beyond its own item that must be in the same transaction. */
export type PreparedRecord<R extends StoredRecord> = { readonly record: R; readonly additionalWrites: readonly Write[] };

/** How the records of a type are stored and held in memory. Only `partition`, `codec` and `createIndex` are needed; the rest are hooks. */
export type RecordStorage<R extends StoredRecord, Index extends RecordIndex<R>> = {
  /** Names the account's partition of these items. Part of every stored key: it never changes. */
  readonly partition: string;
  /** Further partitions of the account that hold items of this type. They are removed with the account. */
  readonly otherPartitions?: readonly string[];
  readonly codec: RecordCodec<R>;
  /** @param indexes those of the types that are registered earlier. */
  createIndex(records: readonly R[], indexes: Indexes): Index;
  /** The records that every account begins with. */
  initialRecords?(newId: () => string): readonly R[];
  /** A record as it is to be stored, such as sets in order. @throws Error when a commit breaks a rule that its caller had to check. */
  normalize?(record: R, planned: PlannedCommit): R;
  /** @throws Error when the commit may not destroy the record. */
  checkDestroy?(record: R, planned: PlannedCommit): void;
  /** Reads what new records need, such as the Thread of an Email. @param created as the caller of `commit` gave them. */
  prepare?(created: readonly object[], account: { readonly table: Table; readonly accountId: string }): Promise<readonly PreparedRecord<R>[]>;
  /** Applies the difference between `from` and `to` to the current record, for an update whose commit lost a race. Default: property by property. */
  merge?(current: R, from: R, to: R, indexes: Indexes): R;
  /** Whether the rest of a partly committed change may still destroy the record. */
  mayDestroy?(record: R, indexes: Indexes): boolean;
  /** What the log must keep of a record as it was before, for events of other types; undefined for nothing. @param to undefined: it is destroyed. */
  before?(from: R, to: R | undefined): object | undefined;
  /** Fields of the head that follow from a commit. */
  headFields?(head: Head, operations: readonly Operation<R>[]): Partial<Head>;
  /** Writes beyond the record's own item. */
  additionalWrites?(accountId: string, operation: Operation<R>, now: Date): readonly Write[];
};

/** What a commit is about to do, for the rules that span types. */
export type PlannedCommit = {
  readonly indexes: Indexes;
  /** The record as it will be after the commit; undefined when there will be none. */
  after<R extends StoredRecord>(type: StoredType<R>, id: string): R | undefined;
};

/** A type with a state in the store: records that it stores, or a state that follows from other types' records. Its changes are pushed (RFC 8620 §7). */
export type StoredType<R extends StoredRecord = StoredRecord, Index extends RecordIndex<R> = RecordIndex<R>> = {
  readonly name: string;
  /** Undefined for a type that stores nothing itself: Thread, EmailDelivery. */
  readonly records?: RecordStorage<R, Index>;
  /** Whether a commit moves the type's state. Default: when it changed one of the type's records. */
  isChangedBy?(entry: LogEntry): boolean;
  /**
   * What each commit did to the type's records, in the order of the entries. Default: what the entries say of the type.
   * @param entries the log up to the account's head, without a gap.
   */
  events?(entries: readonly LogEntry[], indexes: Indexes): readonly (readonly RecordEvent[])[];
};

/** Records in a map: the index of a type that needs no other. */
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

/** A type whose records are stored as its contract states them, property by property, and held in a map. */
export const plainStoredType = <R extends StoredRecord = StoredRecord>(type: RecordType): StoredType<R> & { readonly records: RecordStorage<R, RecordIndex<R>> } => ({
  name: type.name,
  records: {
    partition: type.name.toLowerCase(),
    codec: propertiesCodec<R>(type),
    createIndex: (records) => new RecordMap(records),
  },
});

/** Types by name. Indexes follow a commit in this order; records are put in this order and destroyed in the opposite one. */
export type StoredTypes = ReadonlyMap<string, StoredType>;

/** @throws Error when two types have the same name or partition. */
export const storedTypeTable = (types: readonly StoredType[]): StoredTypes => {
  const table = new Map(types.map((type) => [type.name, type]));
  const partitions = types.flatMap(({ records }) => (records ? [records.partition, ...records.otherPartitions ?? []] : []));
  if (table.size !== types.length || new Set(partitions).size !== partitions.length) throw new Error('two stored types have the same name or partition');
  return table;
};
