import type { MailboxCounters } from '../../mailbox/mailbox-record.ts';
import type { EmailColumns } from './email-columns.ts';

type MutableCounters = { -readonly [name in keyof MailboxCounters]: number };

const zeroCounters: MailboxCounters = Object.freeze({ totalEmails: 0, unreadEmails: 0, totalThreads: 0, unreadThreads: 0 });

/** Counters by Mailbox id. */
export type SavedCounters = { readonly [mailboxId: string]: MailboxCounters };

/** Maximum Emails of a Thread whose tally is computed on demand. Tallies of larger Threads stay in memory. */
const defaultSmallThread = 32;

/** The Emails of one Thread by Mailbox. An Email counts once in each of its Mailboxes. */
class ThreadTally {
  readonly emails = new Map<string, number>();
  size = 0;
  unreadInTrash = 0;
  unreadElsewhere = 0;

  add(mailboxIds: readonly string[], isUnread: boolean, trashId: string | undefined, delta: 1 | -1): void {
    this.size += delta;
    for (const id of mailboxIds) {
      const count = (this.emails.get(id) ?? 0) + delta;
      if (count === 0) this.emails.delete(id);
      else this.emails.set(id, count);
      if (!isUnread) continue;
      if (id === trashId) this.unreadInTrash += delta;
      else this.unreadElsewhere += delta;
    }
  }
}

type CounterOptions = {
  readonly smallThread?: number | undefined;
  /** The saved counters of all Mailboxes. If present, nothing is counted, and large Threads are tallied on demand. */
  readonly saved?: SavedCounters | undefined;
};

/**
 * The counters of every Mailbox (RFC 8621 §2). They are updated for one Email at a time, from the other Emails of its
 * Thread. An unread Email makes its Thread unread in every Mailbox of the Thread. The trash is counted separately:
 * Emails only in the trash do not count for other Mailboxes, and Emails outside it do not count for the trash.
 */
export class MailboxCounterTable {
  readonly #columns: EmailColumns;
  readonly #byMailbox = new Map<string, MutableCounters>();
  readonly #trashId: string | undefined;
  readonly #smallThread: number;
  /** Tallies of the large Threads, by Thread slot. */
  readonly #large = new Map<number, ThreadTally>();

  /** Counts all Emails of the columns in one pass, unless their counters were saved. */
  constructor(columns: EmailColumns, trashId: string | undefined, { smallThread = defaultSmallThread, saved }: CounterOptions = {}) {
    this.#columns = columns;
    this.#trashId = trashId;
    this.#smallThread = smallThread;
    if (saved) for (const [mailboxId, counters] of Object.entries(saved)) this.#byMailbox.set(mailboxId, { ...counters });
    else this.#countAll();
  }

  /** The counters of all Mailboxes, for a snapshot. */
  save(): SavedCounters {
    return Object.fromEntries(this.#byMailbox);
  }

  /** The counters when another Mailbox is the trash. */
  recounted(trashId: string | undefined): MailboxCounterTable {
    return new MailboxCounterTable(this.#columns, trashId, { smallThread: this.#smallThread });
  }

  get trashId(): string | undefined {
    return this.#trashId;
  }

  get(mailboxId: string): MailboxCounters {
    return { ...(this.#byMailbox.get(mailboxId) ?? zeroCounters) };
  }

  /** Counts an Email that was added to the columns. */
  add(slot: number): void {
    const thread = this.#columns.thread[slot]!;
    const large = this.#large.get(thread);
    const others = large ?? this.#tally(thread, slot);
    this.#adjust(others, slot, 1);
    if (!large && others.size < this.#smallThread) return;
    this.#addTo(others, slot, 1);
    this.#large.set(thread, others);
  }

  /** Subtracts an Email that is about to be changed or removed. */
  subtract(slot: number): void {
    const thread = this.#columns.thread[slot]!;
    const large = this.#large.get(thread);
    if (large) this.#addTo(large, slot, -1);
    const others = large ?? this.#tally(thread, slot);
    this.#adjust(others, slot, -1);
    // The tally is dropped at half of the limit, so that a Thread near the limit is not tallied again and again.
    if (others.size <= this.#smallThread / 2) this.#large.delete(thread);
  }

  /** The number of Emails in a Thread, and the ids of their Mailboxes. */
  thread(thread: number): { readonly size: number; readonly mailboxIds: Iterable<string> } {
    const { size, emails } = this.#large.get(thread) ?? this.#tally(thread);
    return { size, mailboxIds: emails.keys() };
  }

  /** The Emails of a Thread by Mailbox, except for the Email in slot `except`. */
  #tally(thread: number, except?: number): ThreadTally {
    const tally = new ThreadTally();
    for (const slot of this.#columns.emailsOfThread(thread)) if (slot !== except) this.#addTo(tally, slot, 1);
    return tally;
  }

  #addTo(tally: ThreadTally, slot: number, delta: 1 | -1): void {
    tally.add(this.#columns.mailboxIds(slot), this.#columns.isUnread(slot), this.#trashId, delta);
  }

  #countAll(): void {
    const columns = this.#columns;
    /** Counts of Emails that are alone in their Thread, by set of Mailboxes: read ones, then unread ones. */
    const alone = [new Uint32Array(columns.mailboxSets.size), new Uint32Array(columns.mailboxSets.size)] as const;
    for (const thread of columns.threads.slots()) {
      const slot = columns.onlyEmailOfThread(thread);
      if (slot >= 0) alone[columns.isUnread(slot) ? 1 : 0][columns.mailboxSet[slot]!]!++;
      else this.#countThread(thread);
    }
    for (const [unread, counts] of alone.entries()) counts.forEach((count, set) => this.#countAlone(set, unread, count));
  }

  #countThread(thread: number): void {
    const tally = new ThreadTally();
    for (const slot of this.#columns.emailsOfThread(thread)) {
      this.#adjust(tally, slot, 1);
      this.#addTo(tally, slot, 1);
    }
    if (tally.size > this.#smallThread) this.#large.set(thread, tally);
  }

  #countAlone(mailboxSet: number, unread: number, count: number): void {
    if (count === 0) return;
    for (const id of this.#columns.mailboxSets.members(mailboxSet)) {
      const counters = this.#countersOf(id);
      counters.totalEmails += count;
      counters.totalThreads += count;
      counters.unreadEmails += unread * count;
      counters.unreadThreads += unread * count;
    }
  }

  /** Adds or subtracts the contribution of one Email, given the other Emails of its Thread. */
  #adjust(others: ThreadTally, slot: number, delta: 1 | -1): void {
    const mailboxIds = this.#columns.mailboxIds(slot);
    const isUnread = this.#columns.isUnread(slot);
    const [wasUnread, wasUnreadInTrash] = [others.unreadElsewhere > 0, others.unreadInTrash > 0];
    const unread = wasUnread || (isUnread && mailboxIds.some((id) => id !== this.#trashId));
    const unreadInTrash = wasUnreadInTrash || (isUnread && mailboxIds.some((id) => id === this.#trashId));
    for (const id of mailboxIds) {
      const counters = this.#countersOf(id);
      counters.totalEmails += delta;
      if (isUnread) counters.unreadEmails += delta;
      if (others.emails.has(id)) continue;
      counters.totalThreads += delta;
      if (id === this.#trashId ? unreadInTrash : unread) counters.unreadThreads += delta;
    }
    if (unread === wasUnread && unreadInTrash === wasUnreadInTrash) return;
    for (const id of others.emails.keys()) {
      if (id === this.#trashId ? unreadInTrash !== wasUnreadInTrash : unread !== wasUnread) this.#countersOf(id).unreadThreads += delta;
    }
  }

  #countersOf(mailboxId: string): MutableCounters {
    const known = this.#byMailbox.get(mailboxId);
    if (known) return known;
    const counters = { ...zeroCounters };
    this.#byMailbox.set(mailboxId, counters);
    return counters;
  }
}
