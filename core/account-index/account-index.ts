import type { Head } from '../account-log/head.ts';
import { changesOf, type LogEntry, type StoredRecord } from '../account-log/log-entry.ts';
import { parseStateString, stateString } from '../account-log/records/state-string.ts';
import type { Indexes, RecordIndex, StoredType, StoredTypes } from '../account-log/records/stored-type.ts';
import type { AccountView } from './account-view.ts';

/** Maximum changes that stay in memory between requests. Each commit and each changed record counts as one. */
const maxKeptChanges = 1000;

const countChanges = ({ changes }: LogEntry): number =>
  Object.values(changes).reduce((sum, { created, updated, destroyed }) => sum + created.length + updated.length + destroyed.length, 1);

/** Makes the index of one type. @param indexes the indexes of the types that are registered earlier. */
type IndexSource = (type: StoredType & { readonly records: object }, indexes: Indexes) => RecordIndex;

const storesRecords = (type: StoredType): type is StoredType & { readonly records: object } => type.records !== undefined;

/** The types that store records, in the order in which they are registered. */
export const recordTypes = (types: StoredTypes) => [...types.values()].filter(storesRecords);

/** An account in memory, at one commit. Later commits are applied to it. */
export class AccountIndex {
  readonly accountId: string;
  readonly types: StoredTypes;
  #head: Head;
  /** The index of each type, by type name. */
  readonly #indexes = new Map<string, RecordIndex>();
  #isConsistent = true;
  /** The newest log entries, without a gap up to the head. */
  #tail: LogEntry[] = [];

  constructor(accountId: string, types: StoredTypes, head: Head, indexOf: IndexSource) {
    this.accountId = accountId;
    this.types = types;
    this.#head = head;
    for (const type of recordTypes(types)) this.#indexes.set(type.name, indexOf(type, this));
  }

  get head(): Head {
    return this.#head;
  }

  /** The number of records of all types. A record of unusual size counts as several. */
  get weight(): number {
    let weight = 0;
    for (const index of this.#indexes.values()) weight += index.weight ?? index.size;
    return weight;
  }

  /** The newest log entries, without a gap from the one after `tailStart`. */
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
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the index under the name of a type is the one that the type built
    return index as unknown as Index;
  }

  /** False after a commit that could not be applied completely: the index must be loaded again. */
  get isConsistent(): boolean {
    return this.#isConsistent;
  }

  /** Applies the commits that are newer than the index. @param entries the log up to `head`. */
  applyCommits(entries: readonly LogEntry[], head: Head): void {
    if (head.sequence < this.#head.sequence) return;
    const next = entries.filter(({ sequence }) => sequence > this.#head.sequence && sequence <= head.sequence);
    const earlier = entries.filter(({ sequence }) => sequence <= this.tailStart);
    if (earlier.length > 0) this.#tail = [...earlier, ...this.#tail];
    this.#isConsistent = false;
    for (const entry of next) this.#apply(entry);
    this.#head = head;
    this.#isConsistent = true;
  }

  /** Drops the oldest log entries beyond `maxKeptChanges`. */
  trimTail(): void {
    let kept = 0;
    const lastDropped = this.#tail.findLastIndex((entry) => (kept += countChanges(entry)) > maxKeptChanges);
    if (lastDropped >= 0) this.#tail = this.#tail.slice(lastDropped + 1);
  }

  view(): AccountView {
    const { sequence, states, search, sends, sendLimits, keepsRecentContacts } = this.#head;
    return {
      accountId: this.accountId,
      sequence,
      searchManifest: search,
      sending: { sends, sendLimits, ...(keepsRecentContacts === false && { keepsRecentContacts }) },
      state: (type) => stateString(type, { sequence: states[type] ?? 0 }),
      index: (type) => this.index(type),
    };
  }

  #apply(entry: LogEntry): void {
    for (const [name, index] of this.#indexes) index.apply(changesOf(entry, { name }), this);
    this.#tail.push(entry);
  }
}

/** The earliest commit among the states of /changes calls. @returns undefined when no state can be parsed. */
export const earliestSequence = (since: readonly string[]): number | undefined => {
  const sequences = since.flatMap((state) => parseStateString(state)?.sequence ?? []);
  return sequences.length > 0 ? Math.min(...sequences) : undefined;
};
