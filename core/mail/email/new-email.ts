import type { EmailRecord } from './email-record.ts';

/** The content of a message to store, and what its Thread is found by. */
export type EmailContent = {
  readonly record: EmailRecord;
  /** In any case; they are stored in lower case. */
  readonly keywords: readonly string[];
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** Milliseconds since 1970. */
  readonly sentAt?: number;
  /** Octets of the raw message. */
  readonly size: number;
  /** Its own Message-ID first, then In-Reply-To and References; with `baseSubject` they lead to its Thread (RFC 8621 §3). */
  readonly threadMessageIds: readonly string[];
  readonly baseSubject: string;
};

/** An Email that a commit creates. */
export type NewEmail = EmailContent & { readonly mailboxIds: readonly string[] };

/** A message that arrived. Its id is derived from the delivery, so that a duplicate is noticed. */
export type DeliveredEmail = EmailContent & {
  /** Role of the Mailbox that it is put into. */
  readonly mailboxRole: 'inbox' | 'junk';
};
