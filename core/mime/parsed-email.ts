/** An EmailAddress (RFC 8621 §4.1.2.3). */
export type EmailAddress = { readonly name: string | null; readonly email: string };

/** The encodings that this code decodes; `identity` means 7bit, 8bit and binary. */
export type ContentTransferEncoding = 'identity' | 'base64' | 'quoted-printable';

/** A MIME part (RFC 8621 §4.1.4). A multipart has `subParts` and neither `partId` nor `range`. */
export type BodyPart = {
  readonly partId?: string;
  /** The octets of the part's body in the raw message, `end` exclusive. */
  readonly range?: { readonly start: number; readonly end: number };
  /** The transfer encoding. Absent for an unknown encoding; then the body is not decoded. */
  readonly encoding?: ContentTransferEncoding;
  /** The octets of the part's header block in the raw message, `end` exclusive. */
  readonly headers: { readonly start: number; readonly end: number };
  /** Octets of the decoded body. */
  readonly size: number;
  readonly type: string;
  readonly name?: string;
  readonly charset?: string;
  readonly disposition?: string;
  readonly cid?: string;
  readonly language?: readonly string[];
  readonly location?: string;
  readonly subParts?: readonly BodyPart[];
  /** The index of the part that a multipart/related names as its root by the parameter `start`. */
  readonly root?: number;
};

/**
 * The properties of an Email that come from its raw message (RFC 8621 §4.1). Properties that the message lacks are
 * absent.
 */
export type ParsedEmail = {
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
  /** The Date field as a JMAP Date, with the UTC offset of the field: `2026-11-21T08:38:00+01:00`. */
  readonly sentAt?: string;
  /** The beginning of the text, at most 256 characters. */
  readonly preview: string;
  readonly hasAttachment: boolean;
  readonly bodyStructure: BodyPart;
};
