import type { Write } from '../storage/table.ts';
import type { EmailStore } from './email/email-store.ts';
import type { StoredRecord } from './log-entry.ts';
import type { Indexes } from './stored-type.ts';

/** What changed of a type since a state (RFC 8620 §5.2). An id is in one list at most. */
export type Changes = {
  readonly oldState: string;
  readonly newState: string;
  readonly hasMoreChanges: boolean;
  readonly created: readonly string[];
  readonly updated: readonly string[];
  readonly destroyed: readonly string[];
  /** There are updated records, and only computed properties changed in all of them, such as the counters of Mailboxes (RFC 8621 §2.2). */
  readonly onlyComputed: boolean;
};

/**
 * An account's mail at one commit, in memory. Reading it needs no trip. It is valid until the same store opens the account or commits to it again.
 * `emailsOf(view)` and `mailboxesOf(view)` are the typed ways to its records.
 */
export type AccountView = Indexes & {
  readonly accountId: string;
  /** Sequence number of the newest commit in the view. */
  readonly sequence: number;
  /** The state string of a type. It changes only when something of that type did. */
  state(type: string): string;
};

/** What a commit does to the records of one type. */
export type RecordChanges = {
  /** Whole records as they are to be. One that does not exist is created, unless its type has a `prepare` hook. */
  readonly put?: readonly StoredRecord[];
  /** New records, in the form that the type's `prepare` hook takes; for Email: `NewEmail`. */
  readonly create?: readonly object[];
  readonly destroy?: readonly string[];
};

/** What a commit does. Records of all types are changed in one transaction; if they don't fit one, in several, each of them whole records. */
export type Commit = {
  /** By type name. */
  readonly records: { readonly [type: string]: RecordChanges };
  /** Writes for other tables, in the same transaction as the first records. */
  readonly additionalWrites?: readonly Write[];
};

/** The records of all types, account by account. */
export type RecordStore = {
  /**
   * Creates the account's head and its first records (the default Mailboxes), in one transaction with the additional writes.
   * @returns false when the account exists: then nothing is written.
   * @throws WriteRefused when a condition of an additional write does not hold, with its place in `additionalWrites`.
   */
  createAccount(accountId: string, additionalWrites?: readonly Write[]): Promise<boolean>;
  /**
   * The account at its newest commit: one strongly consistent read in a warm Lambda.
   * @param since states that /changes will be called with, so that the same read brings their log.
   * @returns undefined when no such account exists.
   */
  open(accountId: string, since?: readonly string[]): Promise<AccountView | undefined>;
  /** What changed since the state; undefined when that can't be calculated (RFC 8620 §5.2 cannotCalculateChanges). */
  changes(view: AccountView, type: string, sinceState: string, maxChanges?: number): Promise<Changes | undefined>;
  /**
   * Commits what `plan` returns for the newest view; after a lost race it plans again on a newer one. `plan` must be pure; it returns undefined
   * (or throws) to change nothing.
   * A commit that exceeds one transaction (98 writes or 256 KB of log) is split. Once the first transaction is written, a lost race merges the rest
   * into the newer view, so that `plan` never sees its own half-finished work.
   * @returns the view after the commit; the same view when nothing was committed.
   * @throws StoreConflict when every try lost its race. WriteRefused when a condition of an additional write does not hold, with its place.
   */
  commit(view: AccountView, plan: (view: AccountView) => Commit | undefined): Promise<AccountView>;
};

/** An account's mail: its records, and what Emails need beyond them. */
export type MailStore = RecordStore & EmailStore;
