import type { ParsedEmail } from '../../mime/parsed-email.ts';

/** What the mail store keeps of an account (docs/architecture.md). Ids are JMAP Ids (RFC 8620 §1.2). */

/** Small and mutable: the truth about an Email's state. Held in memory by every warm Lambda. */
export type EmailRow = {
  readonly id: string;
  readonly threadId: string;
  /** Never empty. */
  readonly mailboxIds: readonly string[];
  /** Lower case (RFC 8621 §4.1.1). */
  readonly keywords: readonly string[];
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** Milliseconds since 1970 of the Date header; absent when it has none that can be read. */
  readonly sentAt?: number;
  /** Octets of the raw message. */
  readonly size: number;
};

/** Larger than the row and immutable: what the message says, parsed once at delivery. */
export type EmailRecord = ParsedEmail & {
  readonly id: string;
  /** Blob of the whole raw message. */
  readonly blobId: string;
};

/** RFC 8621 §2, without what is derived (counters, rights). */
export type MailboxRecord = {
  readonly id: string;
  readonly name: string;
  readonly parentId: string | null;
  readonly role: string | null;
  readonly sortOrder: number;
  readonly isSubscribed: boolean;
};

/** RFC 8621 §2: the four counters, derived from the rows and so never out of step. */
export type MailboxCounters = {
  readonly totalEmails: number;
  readonly unreadEmails: number;
  readonly totalThreads: number;
  readonly unreadThreads: number;
};
