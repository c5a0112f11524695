import type { EmailRecord } from './email-record.ts';

/** The content of a message to store, and the references that determine its Thread. */
export type EmailContent = {
  readonly record: EmailRecord;
  /** In any letter case; they are stored in lower case. */
  readonly keywords: readonly string[];
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** Milliseconds since 1970. */
  readonly sentAt?: number;
  /** Octets of the raw message. */
  readonly size: number;
  /**
   * The message's own Message-ID, then In-Reply-To and References. With `baseSubject` they determine its Thread (RFC
   * 8621 §3).
   */
  readonly threadMessageIds: readonly string[];
  readonly baseSubject: string;
};

/** An Email that a commit creates. */
export type NewEmail = EmailContent & { readonly mailboxIds: readonly string[] };

/** A received message. Its id is derived from the delivery, so that duplicates are detected. */
export type DeliveredEmail = EmailContent & {
  /** Role of the Mailbox to add it to. */
  readonly mailboxRole: 'inbox' | 'junk';
};
