import type { EmailContent, EmailRow } from './email-content.ts';

/** The content of a message to store, and the references that determine its Thread. Keywords are in any letter case. */
export type EmailToStore = Pick<EmailRow, 'keywords' | 'receivedAt' | 'sentAt' | 'size'> & {
  readonly record: EmailContent;
  /**
   * The message's own Message-ID, then In-Reply-To and References. With `baseSubject` they determine its Thread (RFC
   * 8621 §3).
   */
  readonly threadMessageIds: readonly string[];
  readonly baseSubject: string;
};

/** An Email that a commit creates. */
export type NewEmail = EmailToStore & { readonly mailboxIds: readonly string[] };

/** A received message. Its id is derived from the delivery, so that duplicates are detected. */
export type DeliveredEmail = EmailToStore & {
  /** Role of the Mailbox to add it to. */
  readonly mailboxRole: 'inbox' | 'junk';
  /**
   * Whether it is added although the account is full, such as a report that a message of the account was not delivered.
   */
  readonly ignoresQuota?: boolean;
};
