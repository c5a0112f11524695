import { InternedSets, isUnread } from '../../../account-index/columns/interned-sets.ts';
import { PackedIds, withCapacity, type SavedIds } from '../../../account-index/columns/packed-ids.ts';
import type { EmailRow } from '../email-content.ts';

/** Marks the last Email in a Thread's linked list. */
const endOfChain = 0xffff_ffff;

/**
 * The content of {@link EmailColumns} without free slots, for a snapshot. Arrays of Emails may be longer than needed.
 */
type SavedColumns = {
  readonly ids: SavedIds;
  readonly threads: SavedIds;
  /** The sets of Mailboxes, by set number. */
  readonly mailboxSets: readonly (readonly string[])[];
  readonly keywordSets: readonly (readonly string[])[];
  readonly thread: Uint32Array;
  readonly mailboxSet: Uint32Array;
  readonly keywordSet: Uint32Array;
  readonly receivedAt: Float64Array;
  readonly sentAt: Float64Array;
  readonly emailSize: Uint32Array;
};

/**
 * Renumbers the values of a column in the order of their first occurrence.
 * @returns the old numbers, in the order of the new ones.
 */
const renumber = (column: Uint32Array): Uint32Array => {
  const newNumbers = new Map<number, number>();
  for (let i = 0; i < column.length; i++) {
    const old = column[i]!;
    let number = newNumbers.get(old);
    if (number === undefined) newNumbers.set(old, (number = newNumbers.size));
    column[i] = number;
  }
  return Uint32Array.from(newNumbers.keys());
};

/** An account's Emails as columns by slot: about 90 bytes each instead of 1000 as an object. */
export class EmailColumns {
  readonly ids: PackedIds;
  readonly threads: PackedIds;
  readonly mailboxSets = new InternedSets();
  readonly keywordSets = new InternedSets();
  /** Slot of the Thread, by Email slot. */
  thread: Uint32Array = new Uint32Array(0);
  mailboxSet: Uint32Array = new Uint32Array(0);
  keywordSet: Uint32Array = new Uint32Array(0);
  receivedAt: Float64Array = new Float64Array(0);
  /** Time of the Date header. -Infinity for an Email without one. */
  sentAt: Float64Array = new Float64Array(0);
  emailSize: Uint32Array = new Uint32Array(0);
  /** Ranks by Email slot, for each name of a text sort. They are dropped when an Email is added. */
  readonly textRanks = new Map<string, Uint32Array>();
  /** The next Email of the same Thread in no particular order, by Email slot. */
  #nextInThread = new Uint32Array(0);
  /** The first Email of the Thread's linked list, by Thread slot. */
  #firstEmail = new Uint32Array(0);
  /** Whether Emails with the keyword set are unread, by set number. */
  readonly #unread: boolean[] = [];

  constructor(ids = new PackedIds(), threads = new PackedIds()) {
    this.ids = ids;
    this.threads = threads;
    this.#grow();
  }

  /** @param saved the saved columns. Their arrays are used without a copy. */
  static restore(saved: SavedColumns): EmailColumns {
    const columns = new EmailColumns(PackedIds.restore(saved.ids), PackedIds.restore(saved.threads));
    for (const set of saved.mailboxSets) columns.mailboxSets.intern(set);
    for (const set of saved.keywordSets) columns.keywordSets.intern(set);
    columns.thread = saved.thread;
    columns.mailboxSet = saved.mailboxSet;
    columns.keywordSet = saved.keywordSet;
    columns.receivedAt = saved.receivedAt;
    columns.sentAt = saved.sentAt;
    columns.emailSize = saved.emailSize;
    columns.#grow();
    columns.#findUnread();
    columns.#linkThreads();
    return columns;
  }

  /** @throws Error when a slot is free. */
  save(): SavedColumns {
    const end = this.ids.size;
    return {
      ids: this.ids.save(),
      threads: this.threads.save(),
      mailboxSets: this.mailboxSets.all(),
      keywordSets: this.keywordSets.all(),
      thread: this.thread.subarray(0, end),
      mailboxSet: this.mailboxSet.subarray(0, end),
      keywordSet: this.keywordSet.subarray(0, end),
      receivedAt: this.receivedAt.subarray(0, end),
      sentAt: this.sentAt.subarray(0, end),
      emailSize: this.emailSize.subarray(0, end),
    };
  }

  /** A copy of the columns, with Emails ordered by receivedAt, then id, without free slots and unused sets. */
  sortedCopy(): EmailColumns {
    const { receivedAt, ids } = this;
    // An array is sorted in linear time when it is almost in order, as after a load; a typed array is not.
    const slots = Uint32Array.from(Array.from(ids.slots()).sort((a, b) => receivedAt[a]! - receivedAt[b]! || ids.compare(a, b)));
    const thread = slots.map((slot) => this.thread[slot]!);
    const threads = this.threads.copyOf(renumber(thread));
    const mailboxSet = slots.map((slot) => this.mailboxSet[slot]!);
    const keywordSet = slots.map((slot) => this.keywordSet[slot]!);
    return EmailColumns.restore({
      ids: ids.copyOf(slots).save(),
      threads: threads.save(),
      mailboxSets: Array.from(renumber(mailboxSet), (number) => this.mailboxSets.members(number)),
      keywordSets: Array.from(renumber(keywordSet), (number) => this.keywordSets.members(number)),
      thread,
      mailboxSet,
      keywordSet,
      receivedAt: Float64Array.from(slots, (slot) => this.receivedAt[slot]!),
      sentAt: Float64Array.from(slots, (slot) => this.sentAt[slot]!),
      emailSize: slots.map((slot) => this.emailSize[slot]!),
    });
  }

  get bytes(): number {
    const columns = [
      this.thread,
      this.mailboxSet,
      this.keywordSet,
      this.receivedAt,
      this.sentAt,
      this.emailSize,
      this.#nextInThread,
      this.#firstEmail,
      ...this.textRanks.values(),
    ];
    return columns.reduce((sum, column) => sum + column.byteLength, this.ids.bytes + this.threads.bytes);
  }

  /** Adds an Email that must be absent. @returns its slot. */
  add(row: EmailRow): number {
    const slot = this.ids.add(row.id);
    let thread = this.threads.find(row.threadId);
    const isNewThread = thread < 0;
    if (isNewThread) thread = this.threads.add(row.threadId);
    this.#grow();
    this.thread[slot] = thread;
    this.#nextInThread[slot] = isNewThread ? endOfChain : this.#firstEmail[thread]!;
    this.#firstEmail[thread] = slot;
    this.receivedAt[slot] = row.receivedAt;
    this.sentAt[slot] = row.sentAt ?? -Infinity;
    this.emailSize[slot] = row.size;
    this.update(slot, row);
    return slot;
  }

  /** Sets the mutable properties of an Email: its Mailboxes and keywords. */
  update(slot: number, row: Pick<EmailRow, 'mailboxIds' | 'keywords'>): void {
    this.mailboxSet[slot] = this.mailboxSets.intern(row.mailboxIds);
    this.keywordSet[slot] = this.keywordSets.intern(row.keywords);
    this.#findUnread();
  }

  remove(slot: number): void {
    const thread = this.thread[slot]!;
    let before = this.#firstEmail[thread]!;
    if (before === slot) {
      this.#firstEmail[thread] = this.#nextInThread[slot]!;
      if (this.#firstEmail[thread] === endOfChain) this.threads.remove(thread);
    } else {
      while (this.#nextInThread[before] !== slot) before = this.#nextInThread[before]!;
      this.#nextInThread[before] = this.#nextInThread[slot]!;
    }
    this.ids.remove(slot);
  }

  row(slot: number): EmailRow {
    const sentAt = this.sentAt[slot]!;
    return {
      id: this.ids.id(slot),
      threadId: this.threads.id(this.thread[slot]!),
      mailboxIds: this.mailboxSets.members(this.mailboxSet[slot]!),
      keywords: this.keywordSets.members(this.keywordSet[slot]!),
      receivedAt: this.receivedAt[slot]!,
      ...(sentAt !== -Infinity && { sentAt }),
      size: this.emailSize[slot]!,
    };
  }

  isUnread(slot: number): boolean {
    return this.#unread[this.keywordSet[slot]!]!;
  }

  mailboxIds(slot: number): readonly string[] {
    return this.mailboxSets.members(this.mailboxSet[slot]!);
  }

  /** The slot of a Thread's Email, if it has only one; -1 if it has several. */
  onlyEmailOfThread(thread: number): number {
    const slot = this.#firstEmail[thread]!;
    return this.#nextInThread[slot] === endOfChain ? slot : -1;
  }

  /** The slots of a Thread's Emails, in no particular order. */
  *emailsOfThread(thread: number): Generator<number, void, undefined> {
    for (let slot = this.#firstEmail[thread]!; slot !== endOfChain; slot = this.#nextInThread[slot]!) yield slot;
  }

  #findUnread(): void {
    while (this.#unread.length < this.keywordSets.size) this.#unread.push(isUnread(this.keywordSets.members(this.#unread.length)));
  }

  /** Builds the linked lists of all Threads. No slot may be free. */
  #linkThreads(): void {
    this.#firstEmail.fill(endOfChain);
    for (let slot = 0; slot < this.ids.size; slot++) {
      const thread = this.thread[slot]!;
      this.#nextInThread[slot] = this.#firstEmail[thread]!;
      this.#firstEmail[thread] = slot;
    }
  }

  #grow(): void {
    const emails = this.ids.capacity;
    const threads = this.threads.capacity;
    if (this.#nextInThread.length < emails) {
      this.thread = withCapacity(this.thread, emails);
      this.mailboxSet = withCapacity(this.mailboxSet, emails);
      this.keywordSet = withCapacity(this.keywordSet, emails);
      this.receivedAt = withCapacity(this.receivedAt, emails);
      this.sentAt = withCapacity(this.sentAt, emails);
      this.emailSize = withCapacity(this.emailSize, emails);
      this.#nextInThread = withCapacity(this.#nextInThread, emails);
    }
    this.#firstEmail = withCapacity(this.#firstEmail, threads);
  }
}
