import type { Head } from './head.ts';
import { changesOf, type LogEntry, type StoredRecord } from './log-entry.ts';
import type { AccountView } from './mail-store.ts';
import { parseStateString, stateString } from './state-string.ts';
import type { RecordIndex, StoredType, StoredTypes } from './stored-type.ts';

/** Changes of the log that are kept in memory between requests (each changed record and each commit counts), so that /changes from a recent state reads nothing. */
const maxKeptChanges = 1000;

const countChanges = ({ changes }: LogEntry): number =>
  Object.values(changes).reduce((sum, { created, updated, destroyed }) => sum + created.length + updated.length + destroyed.length, 1);

/** The records of an account by type name, as they were read. */
export type LoadedRecords = ReadonlyMap<string, readonly StoredRecord[]>;

/** An account in memory: as it was after one commit, and updated by every further one. */
export class AccountIndex {
  readonly accountId: string;
  readonly types: StoredTypes;
  #head: Head;
  readonly #indexes = new Map<string, RecordIndex>();
  /** The newest log entries, without a gap up to the head. */
  #tail: LogEntry[] = [];

  constructor(accountId: string, types: StoredTypes, head: Head, records: LoadedRecords) {
    this.accountId = accountId;
    this.types = types;
    this.#head = head;
    for (const { name, records: storage } of types.values()) if (storage) this.#indexes.set(name, storage.createIndex(records.get(name) ?? [], this));
  }

  get head(): Head {
    return this.#head;
  }

  /** Records of all types in memory. */
  get size(): number {
    let size = 0;
    for (const index of this.#indexes.values()) size += index.size;
    return size;
  }

  /** The newest log entries: all from the one after `tailStart`. */
  get tail(): readonly LogEntry[] {
    return this.#tail;
  }

  get tailStart(): number {
    return this.#head.sequence - this.#tail.length;
  }

  /** @throws Error for a type that stores no records. */
  index<R extends StoredRecord, Index extends RecordIndex<R>>(type: StoredType<R, Index>): Index {
    const index = this.#indexes.get(type.name);
    if (!index) throw new Error(`the type ${type.name} stores no records`);
    return index as unknown as Index;
  }

  /** Applies the commits after the newest one held. Earlier entries that are no longer in memory are kept as well. */
  applyCommits(entries: readonly LogEntry[], head: Head): void {
    if (head.sequence < this.#head.sequence) return;
    const next = entries.filter(({ sequence }) => sequence > this.#head.sequence && sequence <= head.sequence);
    const earlier = entries.filter(({ sequence }) => sequence <= this.tailStart);
    if (earlier.length > 0) this.#tail = [...earlier, ...this.#tail];
    for (const entry of next) this.#apply(entry);
    this.#head = head;
  }

  /** Drops log entries that no request has asked for lately. */
  trimTail(): void {
    let kept = 0;
    const oldest = this.#tail.findLastIndex((entry) => (kept += countChanges(entry)) > maxKeptChanges);
    if (oldest >= 0) this.#tail = this.#tail.slice(oldest + 1);
  }

  view(): AccountView {
    const { sequence, states } = this.#head;
    return {
      accountId: this.accountId,
      sequence,
      state: (type) => stateString(type, { sequence: states[type] ?? 0 }),
      index: (type) => this.index(type),
    };
  }

  #apply(entry: LogEntry): void {
    for (const [name, index] of this.#indexes) index.apply(changesOf(entry, { name }), this);
    this.#tail.push(entry);
  }
}

/** The earliest commit that /changes will be asked about; undefined when none of the states can be parsed. */
export const earliestSequence = (since: readonly string[]): number | undefined => {
  const sequences = since.flatMap((state) => parseStateString(state)?.sequence ?? []);
  return sequences.length > 0 ? Math.min(...sequences) : undefined;
};
