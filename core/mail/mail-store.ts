import type { Write } from '../storage/table.ts';
import type { EmailStore } from './email/email-store.ts';
import type { StoredRecord } from './log-entry.ts';
import type { Head } from './head.ts';
import type { QuotaStore } from './quota/quota-store.ts';
import type { Indexes, JudgeRemaining, MemberKey, RecordEvent, StoredType } from './stored-type.ts';

/** The changes of a type's records since a state (RFC 8620 §5.2). An id is in one list at most. */
export type Changes = {
  readonly oldState: string;
  readonly newState: string;
  readonly hasMoreChanges: boolean;
  readonly created: readonly string[];
  readonly updated: readonly string[];
  readonly destroyed: readonly string[];
  /**
   * True when at least one record is updated and only computed properties changed, such as the counters of Mailboxes
   * (RFC 8621 §2.2).
   */
  readonly onlyComputed: boolean;
};

/** A record that changed since a state, for the changes of a query (RFC 8620 §5.6). */
export type ChangedRecord = Pick<RecordEvent, 'id' | 'kind' | 'properties' | 'groupId'>;

/**
 * An account's mail at one commit, in memory, so that reading it needs no round trip. A view is valid until the same
 * store opens the account or commits to it again. `emailsOf(view)` and `mailboxesOf(view)` give typed access to its
 * records.
 */
export type AccountView = Indexes & {
  readonly accountId: string;
  /** Sequence number of the newest commit in the view. */
  readonly sequence: number;
  /** The name of the newest manifest of the search index; undefined while there is none. */
  readonly searchManifest: string | undefined;
  /** The account's counts of sent mail, and its own limits of sending. */
  readonly sending: Pick<Head, 'sends' | 'sendLimits'>;
  /** The state string of a type. It changes only when records of that type change. */
  state(type: string): string;
};

/** The changes that a commit makes to the records of one type. */
export type RecordChanges = {
  /** Whole records, new or updated. Of a type with a `prepare` hook, only existing records can be put. */
  readonly put?: readonly StoredRecord[];
  /** New records, in the form that the type's `prepare` hook takes; for Email: `NewEmail`. */
  readonly create?: readonly object[];
  readonly destroy?: readonly string[];
  /** Further writes in the transaction of a record in `put`, by its id. */
  readonly additionalWrites?: ReadonlyMap<string, readonly Write[]>;
};

/**
 * The changes of a commit. They are written in one transaction or, if they exceed its limits, in several; a record is
 * never split.
 */
export type Commit = {
  /** By type name. */
  readonly records: { readonly [type: string]: RecordChanges };
  /** Writes to other tables, in the same transaction as the first records. */
  readonly additionalWrites?: readonly Write[];
  /**
   * Reads again what the plan used besides the view, before it runs again because a condition of a record's writes did
   * not hold. Default: it used only the view.
   */
  readonly readAgain?: () => Promise<void>;
  /** A rule that what remains must keep when other commits come between the transactions, besides those of its types. */
  readonly judgeRemaining?: JudgeRemaining;
};

/** A record that a record commit reads. */
export type RecordName = { readonly accountId: string; readonly type: StoredType; readonly id: string };

/** The named records and their accounts, at their newest commits. */
export type FoundRecords = {
  /** Whether the account exists. */
  hasAccount(accountId: string): boolean;
  /** @returns undefined when there is no such record. @throws Error for a record that was not named. */
  get<R extends StoredRecord>(accountId: string, type: StoredType<R>, id: string): R | undefined;
};

/** The changes of a record commit, which are one transaction. */
export type RecordCommit = {
  /** By account id, then by type name. Only named records can be changed. */
  readonly accounts: { readonly [accountId: string]: { readonly [type: string]: Omit<RecordChanges, 'create'> } };
  /** Writes to other items or tables, in the same transaction. */
  readonly additionalWrites?: readonly Write[];
};

/** The outcome: `unchanged` when the plan changes no record. */
export type RecordCommitOutcome = 'committed' | 'unchanged';

/** Plans a record commit. It may read other items, and runs again after each conflict. */
export type PlanRecordCommit = (found: FoundRecords) => RecordCommit | undefined | Promise<RecordCommit | undefined>;

/** The records of all types, account by account. */
export type RecordStore = {
  /**
   * Creates the account's head and its first records (the default Mailboxes, and the further records by type name), in
   * one transaction with the additional writes.
   * @returns false when the account exists: then nothing is written.
   * @throws WriteRefused when a condition of an additional write does not hold; `failed` has its index in
   * `additionalWrites`.
   */
  createAccount(
    accountId: string, additionalWrites?: readonly Write[], furtherRecords?: { readonly [type: string]: readonly StoredRecord[] },
  ): Promise<boolean>;
  /**
   * The account at its newest commit: one strongly consistent read in a warm Lambda.
   * @param since states that `changes` will be called with, so that the same read returns their log.
   * @returns undefined when no such account exists.
   */
  open(accountId: string, since?: readonly string[]): Promise<AccountView | undefined>;
  /** Whether the account is in memory, so that opening it loads nothing but the commits since. */
  holds(accountId: string): boolean;
  /**
   * The changes since a state.
   * @param member the member of the account to whom they are shown. Default: the changes of all.
   * @returns undefined when they can't be calculated (RFC 8620 §5.2, cannotCalculateChanges).
   */
  changes(
    view: AccountView, type: string, sinceState: string, maxChanges?: number, member?: MemberKey,
  ): Promise<Changes | undefined>;
  /**
   * The records that changed since a state, each with the properties that may have changed.
   * @returns undefined when they can't be calculated (RFC 8620 §5.6, cannotCalculateChanges).
   */
  changedRecords(view: AccountView, type: string, sinceState: string, member?: MemberKey): Promise<readonly ChangedRecord[] | undefined>;
  /**
   * Commits the changes that `plan` returns for the newest view. When another commit is first, it plans again on a
   * newer view; when a condition of a record's writes does not hold, it plans again from items that it reads again, and
   * from what the commit's `readAgain` reads. `plan` must be pure. It returns undefined (or throws) to change nothing. A commit that exceeds one
   * transaction (98 writes, 256 KB of log or 3.5 MB of items) is split. After its first transaction is written, a
   * conflict with another commit merges the remaining changes into the newer view, so that `plan` never runs on a partly
   * written commit.
   * @returns the view after the commit; the same view when nothing was committed.
   * @throws StoreConflict when other commits were first in every try. ConditionRefused when the new plan has the
   * condition that did not hold. WriteRefused when a condition of an additional write does not hold; `failed` has its
   * index. PartlyCommitted when a part of the transactions was made; CommitUnconfirmed when it is not known whether
   * one was made. After any other error, nothing was changed.
   */
  commit(view: AccountView, plan: (view: AccountView) => Commit | undefined): Promise<AccountView>;
  /**
   * Commits changes of named records of one or several accounts without loading the accounts: two trips of reads, then
   * one transaction with the additional writes. When another commit is first, it reads and plans again. Only for types
   * without rules over several records.
   * @throws StoreConflict when other commits were first in every try. WriteRefused when a condition of an additional
   * write does not hold; `failed` has its index.
   */
  commitRecords(named: readonly RecordName[], plan: PlanRecordCommit): Promise<RecordCommitOutcome>;
};

/** An account's mail: the records of all types, and the operations that only Emails and quotas have. */
export type MailStore = RecordStore & EmailStore & QuotaStore;
