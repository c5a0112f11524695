import type { MailboxCounters } from '../mailbox/mailbox-record.ts';
import type { EmailColumns } from './email-columns.ts';

type MutableCounters = { -readonly [name in keyof MailboxCounters]: number };

const zeroCounters: MailboxCounters = Object.freeze({ totalEmails: 0, unreadEmails: 0, totalThreads: 0, unreadThreads: 0 });

/**
 * The counters of every Mailbox (RFC 8621 §2). They are updated one Thread at a time: a Thread is subtracted before it
 * changes and added again afterwards. An unread Email makes its Thread unread in every Mailbox of the Thread. The trash
 * is counted separately: Emails only in the trash do not count for other Mailboxes, and Emails outside it do not count
 * for the trash.
 */
export class MailboxCounterTable {
  readonly #columns: EmailColumns;
  readonly #byMailbox = new Map<string, MutableCounters>();
  readonly #trashId: string | undefined;

  constructor(columns: EmailColumns, trashId: string | undefined) {
    this.#columns = columns;
    this.#trashId = trashId;
    for (const thread of columns.threads.slots()) this.addThread(thread);
  }

  get trashId(): string | undefined {
    return this.#trashId;
  }

  get(mailboxId: string): MailboxCounters {
    return { ...(this.#byMailbox.get(mailboxId) ?? zeroCounters) };
  }

  addThread(thread: number): void {
    this.#adjust(thread, 1);
  }

  subtractThread(thread: number): void {
    this.#adjust(thread, -1);
  }

  #adjust(thread: number, delta: 1 | -1): void {
    const columns = this.#columns;
    const mailboxesOfThread = new Set<string>();
    let unreadInTrash = false;
    let unreadElsewhere = false;
    for (const slot of columns.emailsOfThread(thread)) {
      const unread = columns.isUnread(slot);
      for (const mailboxId of columns.mailboxIds(slot)) {
        const counters = this.#countersOf(mailboxId);
        mailboxesOfThread.add(mailboxId);
        counters.totalEmails += delta;
        if (!unread) continue;
        counters.unreadEmails += delta;
        if (mailboxId === this.#trashId) unreadInTrash = true;
        else unreadElsewhere = true;
      }
    }
    for (const mailboxId of mailboxesOfThread) {
      const counters = this.#countersOf(mailboxId);
      counters.totalThreads += delta;
      if (mailboxId === this.#trashId ? unreadInTrash : unreadElsewhere) counters.unreadThreads += delta;
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
