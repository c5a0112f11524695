import type { MailboxCounters } from '../mailbox/mailbox-record.ts';
import type { EmailColumns } from './email-columns.ts';

type Counts = { -readonly [name in keyof MailboxCounters]: number };

const nothing: MailboxCounters = Object.freeze({ totalEmails: 0, unreadEmails: 0, totalThreads: 0, unreadThreads: 0 });

/**
 * Every mailbox's counters (RFC 8621 §2), moved along a Thread at a time: taken out before the Thread changes, put back after.
 * A Thread is unread where one of its Emails is, whichever mailbox that one is in; but mail in the trash is a Thread of its own: Emails
 * only there don't count for other mailboxes, Emails elsewhere not for the trash.
 */
export class CountedMailboxes {
  readonly #columns: EmailColumns;
  readonly #byMailbox = new Map<string, Counts>();
  readonly #trashId: string | undefined;

  constructor(columns: EmailColumns, trashId: string | undefined) {
    this.#columns = columns;
    this.#trashId = trashId;
    for (const thread of columns.threads.slots()) this.add(thread);
  }

  get trashId(): string | undefined {
    return this.#trashId;
  }

  of(mailboxId: string): MailboxCounters {
    return { ...(this.#byMailbox.get(mailboxId) ?? nothing) };
  }

  add(thread: number): void {
    this.#move(thread, 1);
  }

  subtract(thread: number): void {
    this.#move(thread, -1);
  }

  #move(thread: number, by: 1 | -1): void {
    const columns = this.#columns;
    const holding = new Set<string>();
    let unreadInTrash = false;
    let unreadElsewhere = false;
    for (const slot of columns.emailsOf(thread)) {
      const unread = columns.isUnread(slot);
      for (const mailboxId of columns.mailboxIds(slot)) {
        const counts = this.#counts(mailboxId);
        holding.add(mailboxId);
        counts.totalEmails += by;
        if (!unread) continue;
        counts.unreadEmails += by;
        if (mailboxId === this.#trashId) unreadInTrash = true;
        else unreadElsewhere = true;
      }
    }
    for (const mailboxId of holding) {
      const counts = this.#counts(mailboxId);
      counts.totalThreads += by;
      if (mailboxId === this.#trashId ? unreadInTrash : unreadElsewhere) counts.unreadThreads += by;
    }
  }

  #counts(mailboxId: string): Counts {
    const known = this.#byMailbox.get(mailboxId);
    if (known) return known;
    const counts = { ...nothing };
    this.#byMailbox.set(mailboxId, counts);
    return counts;
  }
}
