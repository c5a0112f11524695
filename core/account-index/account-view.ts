import type { Head } from '../account-log/head.ts';
import type { StoredRecord } from '../account-log/log-entry.ts';
import type { Indexes, RevalidateRemaining, RecordEvent } from '../account-log/records/stored-type.ts';
import type { Write } from '../storage/table.ts';

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

/** A record that changed since a state, for calculating the changes of a query (RFC 8620 §5.6). */
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
  /** The account's counts of sent mail, its own limits of sending, and whether it keeps recent contacts. */
  readonly sending: Pick<Head, 'sends' | 'sendLimits' | 'keepsRecentContacts'>;
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
  /** The changes of records, by type name. */
  readonly records: { readonly [type: string]: RecordChanges };
  /** The principal who requested the changes. Absent for changes that a Lambda makes on its own. */
  readonly principalId?: string | undefined;
  /** Writes to other tables, in the same transaction as the first records. */
  readonly additionalWrites?: readonly Write[];
  /**
   * Reads the plan's other inputs again, after a condition of a record's writes did not hold. Default: the plan uses
   * only the view.
   */
  readonly readAgain?: () => Promise<void>;
  /** Revalidates the remaining operations when other commits were written between the transactions of this one. */
  readonly revalidateRemaining?: RevalidateRemaining;
};
