/** RFC 8621 §4.1.2.3. */
export type EmailAddress = { readonly name: string | null; readonly email: string };

export type ContentTransferEncoding = 'identity' | 'base64' | 'quoted-printable';

/** A MIME part (RFC 8621 §4.1.4). A multipart has `subParts` and no range. */
export type BodyPart = {
  readonly partId?: string;
  /** The part's body in the raw message, `end` exclusive. */
  readonly range?: { readonly start: number; readonly end: number };
  /** Absent for an unknown encoding: the body is then used as it is, undecoded. */
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

/** The properties of an Email (RFC 8621 §4.1) that the parser reads out of the raw message. A property that the message does not have is absent. */
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
  /** The Date header with its own offset, as JMAP's Date: `2026-11-21T08:38:00+01:00`. */
  readonly sentAt?: string;
  /** At most 256 characters. */
  readonly preview: string;
  readonly hasAttachment: boolean;
  readonly bodyStructure: BodyPart;
};
