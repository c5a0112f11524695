import type { Write } from '../storage/table.ts';
import type { EmailRecord, EmailRow, MailboxCounters, MailboxRecord } from './email/email-record.ts';

/** The types that have a state of their own in the store. */
export type StoredType = 'Email' | 'Mailbox' | 'Thread';

/** RFC 8620 §5.2, before it is cut to maxChanges. Ids appear in one list at most. */
export type Changes = {
  readonly oldState: string;
  readonly newState: string;
  readonly hasMoreChanges: boolean;
  readonly created: readonly string[];
  readonly updated: readonly string[];
  readonly destroyed: readonly string[];
  /** Mailbox only: nothing but counters changed in the updated ones (RFC 8621 §2.2). */
  readonly onlyCounters?: boolean;
};

/** A decoded Email/query filter: conditions of one object all hold (RFC 8621 §4.4.1); times in milliseconds. */
export type EmailFilter =
  | { readonly operator: 'AND' | 'OR' | 'NOT'; readonly conditions: readonly EmailFilter[] }
  | {
    readonly inMailbox?: string;
    readonly inMailboxOtherThan?: readonly string[];
    readonly hasKeyword?: string;
    readonly notKeyword?: string;
    /** receivedAt before this (exclusive). */
    readonly before?: number;
    /** receivedAt at or after this (inclusive). */
    readonly after?: number;
    readonly minSize?: number;
    readonly maxSize?: number;
  };
export type EmailSort = { readonly property: 'receivedAt' | 'sentAt' | 'size'; readonly isAscending: boolean };

/** Email ids in order. Told apart from an array because a mailbox of 100,000 is counted and cut, seldom spelt out. */
export type EmailIdList = Pick<readonly string[], 'length' | 'slice' | 'indexOf'> & Iterable<string>;

/** An account's mail at one commit, in memory. Reading it costs nothing; it holds until the same store's next open or commit of the account. */
export type AccountView = {
  readonly accountId: string;
  /** Sequence number of the newest commit seen. */
  readonly sequence: number;
  /** The type's state string: it moves only when something of that type did. */
  state(type: StoredType): string;
  email(id: string): EmailRow | undefined;
  emailCount(): number;
  /** Every Email's id, in no order that means anything. */
  emailIds(): readonly string[];
  /** The thread's Emails by receivedAt, then id; empty when there is no such thread. */
  threadEmailIds(threadId: string): readonly string[];
  threadIds(): readonly string[];
  mailbox(id: string): MailboxRecord | undefined;
  mailboxes(): readonly MailboxRecord[];
  counters(mailboxId: string): MailboxCounters;
  /**
   * Everything that matches, in order; equal keys by id, ascending. `undefined` filter: all. Empty sort: receivedAt, newest first.
   * @param collapseThreads keeps the first Email of each Thread only (RFC 8621 §4.4.3).
   */
  queryEmails(filter: EmailFilter | undefined, sort: readonly EmailSort[], collapseThreads?: boolean): EmailIdList;
};

/** What a commit does. Emails and mailboxes move together, in one transaction (more than fits one: several, each whole). */
export type Commit = {
  /** The Emails' new state; the Email must exist. */
  readonly updateEmails?: readonly EmailRow[];
  readonly destroyEmails?: readonly string[];
  readonly putMailboxes?: readonly MailboxRecord[];
  readonly destroyMailboxes?: readonly string[];
};

/** A message to add. Its id is derived from what arrived (see `deliver`), so that adding it again is noticed. */
export type NewEmail = {
  readonly record: EmailRecord;
  readonly keywords: readonly string[];
  /** Role of the default mailbox it goes to. */
  readonly mailboxRole: 'inbox' | 'junk';
  readonly receivedAt: number;
  readonly sentAt?: number;
  readonly size: number;
  /** Its own Message-ID first, then In-Reply-To and References; with `baseSubject` these find its thread (RFC 8621 §3). */
  readonly threadMessageIds: readonly string[];
  readonly baseSubject: string;
};

export type MailStore = {
  /**
   * Makes the account's HEAD and default mailboxes (Inbox, Drafts, Sent, Archive, Junk, Trash), in one transaction with what is to be written also.
   * @returns false when it has them: then nothing is written.
   * @throws WriteRefused when a condition of what is to be written also does not hold, with its place there.
   */
  createAccount(accountId: string, also?: readonly Write[]): Promise<boolean>;
  /**
   * The account at its newest commit: one strongly consistent read when this Lambda is warm.
   * @param since states that /changes will be asked about, so that the same read brings their log.
   * @returns undefined when no such account exists.
   */
  open(accountId: string, since?: readonly string[]): Promise<AccountView | undefined>;
  /** What changed since the state; undefined when that can't be told (RFC 8620 §5.2 cannotCalculateChanges). */
  changes(view: AccountView, type: StoredType, sinceState: string, maxChanges?: number): Promise<Changes | undefined>;
  /** The immutable halves, by id, in one BatchGet (100 a request, side by side); unknown ones are left out. */
  emailRecords(accountId: string, ids: readonly string[]): Promise<ReadonlyMap<string, EmailRecord>>;
  /**
   * Commits what `plan` makes of the newest view; a lost race plans again on a newer one. `plan` must be pure and answer undefined
   * (or throw) to change nothing.
   * A commit of more Emails than fit one transaction (about 98 updated or 49 destroyed) is several; once the first of them is in,
   * a lost race carries the rest over to the newer view, so that `plan` never meets its own half-done work.
   * @returns the view after the commit; its own when nothing was committed.
   * @throws StoreConflict when other writers were faster every time.
   */
  commit(view: AccountView, plan: (view: AccountView) => Commit | undefined): Promise<AccountView>;
  /**
   * Adds a message in two trips without the index; `duplicate` when that id was added before, `unknown-account` when there is no such account.
   * @throws StoreConflict as `commit` does: nothing was added, and delivering again is right.
   */
  deliver(accountId: string, email: NewEmail): Promise<'delivered' | 'duplicate' | 'unknown-account'>;
};
