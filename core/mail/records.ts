/** What the mail store keeps of an account (design: docs/architecture.md). Ids are JMAP Ids (RFC 8620 §1.2). */

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

export type EmailAddress = { readonly name: string | null; readonly email: string };

export type ContentTransferEncoding = 'identity' | 'base64' | 'quoted-printable';

/** A MIME part (RFC 8621 §4.1.4). A multipart has `subParts` and no range; its blobId is derived: `message/blob-id.ts`. */
export type BodyPart = {
  readonly partId?: string;
  /** The part's body in the raw message, `end` exclusive. */
  readonly range?: { readonly start: number; readonly end: number };
  /** Absent when it names one that nobody can undo: the body is then kept as it stands. */
  readonly encoding?: ContentTransferEncoding;
  /** The part's header fields in the raw message, `end` exclusive. */
  readonly headers: { readonly start: number; readonly end: number };
  /** Octets after decoding. */
  readonly size: number;
  readonly type: string;
  readonly name?: string;
  readonly charset?: string;
  readonly disposition?: string;
  readonly cid?: string;
  readonly language?: readonly string[];
  readonly location?: string;
  readonly subParts?: readonly BodyPart[];
};

/** Larger and immutable: what the message says, read out of it once at delivery. */
export type EmailRecord = {
  readonly id: string;
  /** Blob of the whole raw message. */
  readonly blobId: string;
  readonly messageId?: readonly string[];
  readonly inReplyTo?: readonly string[];
  readonly references?: readonly string[];
  readonly sender?: readonly EmailAddress[];
  readonly from?: readonly EmailAddress[];
  readonly to?: readonly EmailAddress[];
  readonly cc?: readonly EmailAddress[];
  readonly bcc?: readonly EmailAddress[];
  readonly replyTo?: readonly EmailAddress[];
  readonly subject?: string;
  /** The Date header with its own offset, as JMAP's Date: `2026-11-21T08:38:00+01:00`. */
  readonly sentAt?: string;
  /** At most 256 characters. */
  readonly preview: string;
  readonly hasAttachment: boolean;
  readonly bodyStructure: BodyPart;
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
