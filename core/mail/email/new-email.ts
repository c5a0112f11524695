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
