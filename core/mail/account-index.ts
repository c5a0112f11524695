import { placeOf, stateAt } from './state-string.ts';
import type { Head } from './head.ts';
import { EmailIndex } from './email/email-index.ts';
import { statesAfter, type LogEntry } from './log.ts';
import type { AccountView, StoredType } from './mail-store.ts';
import type { EmailRow, MailboxRecord } from './email/email-record.ts';

/** What is kept in memory of the log between requests, so that /changes from a recent state reads nothing more: changed records, and one for each commit. */
const keptChanges = 1000;
const changesIn = ({ created, updated, destroyed }: LogEntry): number => 1 + created.length + updated.length + destroyed.length;

/** An account in memory, as it was after one commit and moved along by each further one. */
export class AccountIndex {
  readonly accountId: string;
  #head: Head;
  readonly #emails: EmailIndex;
  readonly #mailboxes: Map<string, MailboxRecord>;
  /** The newest log entries, whole up to the head. */
  #tail: LogEntry[] = [];

  constructor(accountId: string, head: Head, rows: readonly EmailRow[], mailboxes: readonly MailboxRecord[]) {
    this.accountId = accountId;
    this.#head = head;
    this.#mailboxes = new Map(mailboxes.map((mailbox) => [mailbox.id, mailbox]));
    this.#emails = new EmailIndex(rows.length);
    // In this order neighbours in a list are neighbours in memory, too.
    this.#emails.load({ put: rows.toSorted((a, b) => a.receivedAt - b.receivedAt), remove: [] });
    this.#emails.settle(this.#trashId);
  }

  get head(): Head {
    return this.#head;
  }

  get emails(): EmailIndex {
    return this.#emails;
  }

  get mailboxes(): ReadonlyMap<string, MailboxRecord> {
    return this.#mailboxes;
  }

  /** The newest log entries; whole from the one after `tailStart`. */
  get tail(): readonly LogEntry[] {
    return this.#tail;
  }

  get tailStart(): number {
    return this.#head.sequence - this.#tail.length;
  }

  /** Follows the commits after the newest one held, whose head is given; earlier ones that are not in memory any more are kept too. */
  follow(entries: readonly LogEntry[], head: Head): void {
    if (head.sequence < this.#head.sequence) return;
    const next = entries.filter(({ sequence }) => sequence > this.#head.sequence && sequence <= head.sequence);
    const earlier = entries.filter(({ sequence }) => sequence <= this.tailStart);
    if (earlier.length > 0) this.#tail = [...earlier, ...this.#tail];
    for (const entry of next) this.#apply(entry);
    this.#head = head;
  }

  /** Forgets log entries that no request has asked for lately. */
  shorten(): void {
    let kept = 0;
    const newest = this.#tail.findLastIndex((entry) => (kept += changesIn(entry)) > keptChanges);
    if (newest >= 0) this.#tail = this.#tail.slice(newest + 1);
  }

  view(): AccountView {
    const { sequence, states } = this.#head;
    const emails = this.#emails;
    const mailboxes = this.#mailboxes;
    return {
      accountId: this.accountId,
      sequence,
      state: (type: StoredType) => stateAt(type, { sequence: states[type] }),
      email: (id) => emails.row(id),
      emailCount: () => emails.size,
      emailIds: () => emails.ids(),
      threadEmailIds: (threadId) => emails.emailsOfThread(threadId).map(({ id }) => id),
      threadIds: () => emails.threadIds(),
      mailbox: (id) => mailboxes.get(id),
      mailboxes: () => [...mailboxes.values()],
      counters: (mailboxId) => emails.counters(mailboxId),
      queryEmails: (filter, sort, collapseThreads = false) => emails.query(filter, sort, collapseThreads),
    };
  }

  get #trashId(): string | undefined {
    for (const { id, role } of this.#mailboxes.values()) if (role === 'trash') return id;
    return undefined;
  }

  #apply(entry: LogEntry): void {
    for (const mailbox of [...entry.createdMailboxes, ...entry.updatedMailboxes]) this.#mailboxes.set(mailbox.id, mailbox);
    for (const id of entry.destroyedMailboxes) this.#mailboxes.delete(id);
    this.#emails.apply({
      put: [...entry.created, ...entry.updated.map(({ row }) => row)],
      remove: entry.destroyed.map(({ id }) => id),
    }, this.#trashId);
    this.#tail.push(entry);
  }
}

/** The head after a commit on top of it. */
export const headAfter = (head: Head, entry: LogEntry, roles: Head['roles'], bytes: number): Head =>
  ({ ...head, sequence: entry.sequence, states: statesAfter(head.states, entry), roles, bytes });

/** The earliest place that /changes will be asked about and that this account could answer for; undefined when there is none. */
export const earliestPlace = (since: readonly string[]): number | undefined => {
  const sequences = since.flatMap((state) => placeOf(state)?.sequence ?? []);
  return sequences.length > 0 ? Math.min(...sequences) : undefined;
};
