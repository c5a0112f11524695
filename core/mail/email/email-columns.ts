import type { EmailRow } from './email-record.ts';
import { InternedSets, isUnread } from './interned-sets.ts';
import { PackedIds, withCapacity } from './packed-ids.ts';

/** Marks the last Email in a Thread's linked list. */
const endOfChain = 0xFFFF_FFFF;

/**
 * An account's Emails as columns, indexed by slot. An Email takes about 90 bytes; as an object it would take about
 * 1000.
 */
export class EmailColumns {
  readonly ids: PackedIds;
  readonly threads: PackedIds;
  readonly mailboxSets = new InternedSets();
  readonly keywordSets = new InternedSets();
  /** By Email slot: its Thread's slot. */
  thread = new Uint32Array(0);
  mailboxSet = new Uint32Array(0);
  keywordSet = new Uint32Array(0);
  receivedAt = new Float64Array(0);
  /** -Infinity for an Email without a date. */
  sentAt = new Float64Array(0);
  emailSize = new Uint32Array(0);
  /** By Email slot: the next Email of the same Thread, in no particular order. */
  #nextInThread = new Uint32Array(0);
  /** By Thread slot: the first Email of its linked list. */
  #firstEmail = new Uint32Array(0);
  /** By keyword set: whether its Emails are unread. */
  readonly #unread: boolean[] = [];

  constructor(expected = 0) {
    this.ids = new PackedIds(expected);
    this.threads = new PackedIds();
    this.#grow();
  }

  get bytes(): number {
    const columns = [
      this.thread, this.mailboxSet, this.keywordSet, this.receivedAt, this.sentAt, this.emailSize, this.#nextInThread, this.#firstEmail,
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
    while (this.#unread.length < this.keywordSets.size) this.#unread.push(isUnread(this.keywordSets.members(this.#unread.length)));
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
  * emailsOfThread(thread: number): Generator<number, void, undefined> {
    for (let slot = this.#firstEmail[thread]!; slot !== endOfChain; slot = this.#nextInThread[slot]!) yield slot;
  }

  #grow(): void {
    const emails = this.ids.capacity;
    const threads = this.threads.capacity;
    if (this.thread.length < emails) {
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
