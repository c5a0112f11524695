import type { VacationWindow } from '../../account-log/head.ts';
import type { EmailContent, EmailRow } from './email-content.ts';

/** The content of a message to store, and the references that determine its Thread. Keywords are in any letter case. */
export type EmailToStore = Pick<EmailRow, 'keywords' | 'receivedAt' | 'sentAt' | 'size'> & {
  readonly content: EmailContent;
  /**
   * The message's own Message-ID, then In-Reply-To and References. With `baseSubject` they determine its Thread (RFC
   * 8621 §3).
   */
  readonly threadMessageIds: readonly string[];
  readonly baseSubject: string;
};

/** An Email that a commit creates. */
export type NewEmail = EmailToStore & {
  readonly mailboxIds: readonly string[];
  /** Present for a destroyed Email that is restored: its tombstone, and its former Thread. */
  readonly restored?: { readonly threadId: string; readonly destruction: string; readonly recoverableUntil: number };
};

/** A received message. Its id is derived from the delivery, so that duplicates are detected. */
export type DeliveredEmail = EmailToStore & {
  /** Role of the Mailbox to which the message is added. */
  readonly mailboxRole: 'inbox' | 'junk';
  /**
   * Whether the message is added even if the account is full: for reports that a message of the account was not
   * delivered.
   */
  readonly ignoresQuota?: boolean;
};

/** The result of a delivery. */
export type DeliveryOutcome = 'delivered' | 'duplicate' | 'unknown-account' | 'account-full';

/** The result of a delivery of several messages to one account. */
export type DeliveryResult = {
  /** One outcome for each message, in the order of the messages. */
  readonly outcomes: readonly DeliveryOutcome[];
  /** The window of the account's VacationResponse; undefined while it is not enabled. */
  readonly vacation?: VacationWindow | undefined;
};

/** The operations of the store that only Emails have. */
export type EmailStore = {
  /**
   * The immutable parts of Emails by id. Those that are not in memory are read by BatchGet (100 Emails a request,
   * requests in parallel). Unknown ids are omitted.
   */
  emailContents(accountId: string, ids: readonly string[]): Promise<ReadonlyMap<string, EmailContent>>;
  /**
   * Adds a delivered message in two round trips, without loading the account. `duplicate`: an Email with this id was
   * added before. `account-full`: the account's quota has no room for it, and nothing was added.
   * @throws StoreConflict when each attempt lost the race with another commit: nothing was added, and the caller should deliver
   * again.
   */
  deliver(accountId: string, email: DeliveredEmail): Promise<DeliveryOutcome>;
  /**
   * Adds delivered messages, in one transaction if they fit.
   * @throws StoreConflict as `deliver`. Some messages may have been added: they are duplicates in the next delivery.
   */
  deliverAll(accountId: string, emails: readonly DeliveredEmail[]): Promise<DeliveryResult>;
};
