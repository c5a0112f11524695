import type { AccountView, ChangedRecord, Changes, Commit, RecordChanges } from '../../account-index/account-view.ts';
import type { StoredRecord } from '../../account-log/log-entry.ts';
import type { MemberKey, StoredType } from '../../account-log/records/stored-type.ts';
import type { Write } from '../../storage/table.ts';
import type { EmailStore } from '../email/email-store.ts';
import type { QuotaStore } from '../quota/account-quota.ts';

/** A record that a record commit reads. */
export type RecordName = { readonly accountId: string; readonly type: StoredType; readonly id: string };

/** The named records and the existence of their accounts, at their newest commits. */
export type FoundRecords = {
  /** Whether the account exists. */
  hasAccount(accountId: string): boolean;
  /** @returns undefined when the record does not exist. @throws Error for a record that the request did not name. */
  get<R extends StoredRecord>(accountId: string, type: StoredType<R>, id: string): R | undefined;
};

/** The changes of a record commit, which are one transaction. */
export type RecordCommit = {
  /** Changes by account id, then by type name. Only named records can be changed. */
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
   * Creates the account's head and its first records (the default Mailboxes, and further records by type name), in one
   * transaction with the additional writes.
   * @returns false when the account exists: then nothing is written.
   * @throws WriteRefused when a condition of an additional write does not hold; `failed` has its index in
   * `additionalWrites`.
   */
  createAccount(
    accountId: string,
    additionalWrites?: readonly Write[],
    furtherRecords?: { readonly [type: string]: readonly StoredRecord[] },
  ): Promise<boolean>;
  /**
   * Opens the account at its newest commit, by one strongly consistent read in a warm Lambda.
   * @param since states that `changes` will be called with, so that the same read returns their log.
   * @returns undefined when no such account exists.
   */
  open(accountId: string, since?: readonly string[]): Promise<AccountView | undefined>;
  /** Whether the account is in memory, so that opening it reads only the commits since then. */
  holds(accountId: string): boolean;
  /**
   * The changes since a state.
   * @param member the member of the account who sees the changes. Default: the changes for all members.
   * @returns undefined when they can't be calculated (RFC 8620 §5.2, cannotCalculateChanges).
   */
  changes(view: AccountView, type: string, sinceState: string, maxChanges?: number, member?: MemberKey): Promise<Changes | undefined>;
  /**
   * The records that changed since a state, each with the properties that may have changed.
   * @returns undefined when they can't be calculated (RFC 8620 §5.6, cannotCalculateChanges).
   */
  changedRecords(view: AccountView, type: string, sinceState: string, member?: MemberKey): Promise<readonly ChangedRecord[] | undefined>;
  /**
   * Commits the changes that `plan` returns for the newest view. When another commit is written first, it plans again
   * on a newer view. When a condition of a record's writes does not hold, it reads the items again, calls the commit's
   * `readAgain`, and plans again. `plan` must be pure. It returns undefined (or throws) to change nothing. A commit
   * that exceeds one transaction (98 writes, 256 KB of log or 3.5 MB of items) is split. After its first transaction is
   * written, a conflict with another commit merges the remaining changes into the newer view, so that `plan` never runs
   * on a partly written commit.
   * @returns the view after the commit; the same view when nothing was committed.
   * @throws StoreConflict when each attempt lost the race with another commit. ConditionRefused when the new plan has the
   * condition that did not hold. WriteRefused when a condition of an additional write does not hold; `failed` has its
   * index. PartlyCommitted when a part of the transactions was made; CommitUnconfirmed when it is not known whether one
   * was made. After any other error, nothing was changed.
   */
  commit(view: AccountView, plan: (view: AccountView) => Commit | undefined): Promise<AccountView>;
  /**
   * Commits changes of named records of one or several accounts without loading the accounts: two round trips of reads,
   * then one transaction with the additional writes. When another commit is written first, it reads and plans again.
   * Only for types without rules over several records.
   * @throws StoreConflict when each attempt lost the race with another commit. WriteRefused when a condition of an additional
   * write does not hold; `failed` has its index.
   */
  commitRecords(named: readonly RecordName[], plan: PlanRecordCommit): Promise<RecordCommitOutcome>;
};

/** An account's mail: the records of all types, and the operations that only Emails and quotas have. */
export type MailStore = RecordStore & EmailStore & QuotaStore;
