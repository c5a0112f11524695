import type { OriginalUse } from '../context/composers.ts';
import type { EmailAddress, Id } from '../jmap/types.ts';

/** A file of a message that is written: an attachment, or an image in its HTML, which names it by its Content-ID. */
export type DraftPart = {
  readonly blobId: Id;
  readonly type: string;
  readonly name: string | null;
  readonly size: number;
  /** The Content-ID of an image in the HTML. Null for an attachment. */
  readonly cid: string | null;
};

/** The message that is quoted, as one block below what the person writes: with who wrote it, sanitized, and never edited. */
export type Quote = {
  readonly html: string;
  /** The same in the text part, with quote marks where it is a reply. */
  readonly text: string;
};

/** A message that a person writes. */
export type Draft = {
  /** The Message-ID, without angle brackets: the same from the first save on, so that a draft is found after a lost response. */
  readonly messageId: string;
  /** Undefined until the identities are known. */
  readonly identityId: Id | undefined;
  readonly to: readonly EmailAddress[];
  readonly cc: readonly EmailAddress[];
  readonly bcc: readonly EmailAddress[];
  readonly subject: string;
  /** The person's own text, as HTML of the editor. Null for a message in plain text. */
  readonly html: string | null;
  /** The same as text. A message in plain text has its quote in it. */
  readonly text: string;
  readonly quote: Quote | undefined;
  readonly parts: readonly DraftPart[];
  /** Message-IDs without angle brackets (RFC 5322 §3.6.4). */
  readonly inReplyTo: readonly string[];
  readonly references: readonly string[];
  /** The message that it answers or forwards, which gets `$answered` or `$forwarded` when it is sent. */
  readonly original: { readonly emailId: Id; readonly use: OriginalUse } | undefined;
};

/** A draft as a device keeps it, from the first letter until the server has it or it is sent. */
export type DeviceDraft = { readonly owner: string; readonly accountId: Id; readonly draft: Draft };
