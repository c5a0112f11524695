import { createHash, randomBytes } from 'node:crypto';
import type { BodyPart, ContentTransferEncoding } from '../mime/parsed-email.ts';

/**
 * The content of a blob within an account (RFC 8620 §6). A blob id encodes it, so a download needs no look-up. Every
 * member of the account may read all of its blobs. `key` is the last part of the object's key in the mail bucket.
 */
export type BlobReference =
  | { readonly kind: 'message'; readonly key: string }
  | BlobPart
  | { readonly kind: 'upload'; readonly key: string };

/** A part of a message: a range of octets of the raw message, `end` exclusive. */
type BlobPart = {
  readonly kind: 'part';
  readonly key: string;
  readonly start: number;
  readonly end: number;
  readonly encoding: ContentTransferEncoding;
};

const encodingLetters = { identity: 'i', base64: 'b', 'quoted-printable': 'q' } as const satisfies Record<ContentTransferEncoding, string>;
const encodings = { i: 'identity', b: 'base64', q: 'quoted-printable' } as const;

/** 22 characters of base64url: 132 bits of SHA-256, so that different contents have different keys. */
const digest = (content: string | Buffer): string => createHash('sha256').update(content).digest('base64url').slice(0, 22);

/**
 * The key of an account's copy of the message that SES received as `messageId`. A duplicate delivery has the same key.
 */
export const messageKey = (accountId: string, messageId: string): string => digest(`${accountId}/${messageId}`);
/** Random octets of a key: 22 characters of base64url. */
const keyBytes = 16;

/** The key of a message that is no copy of another one, such as a draft. */
export const randomMessageKey = (): string => randomBytes(keyBytes).toString('base64url');

/**
 * The key of a message that derives from its origin, so that the same message is not added twice. The account's earlier
 * Emails of that origin, which are destroyed, had the generations before.
 */
export const originMessageKey = (accountId: string, origin: string, generation: number): string =>
  messageKey(accountId, `${origin}/${generation}`);

export const emailIdOf = (key: string): string => `M${key}`;
export const messageBlobId = (key: string): string => `B${key}`;

export const uploadKey = (content: Buffer): string => digest(content);
export const uploadBlobId = (key: string): string => `U${key}`;

/**
 * The blob id of a part of the message with that blob id; undefined for a multipart, which is not a blob (RFC 8621
 * §4.1.4).
 */
export const partBlobId = (messageBlob: string, part: BodyPart): string | undefined => {
  if (!part.range) return undefined;
  const { start, end } = part.range;
  return `P${messageBlob.slice(1)}_${start.toString(36)}_${end.toString(36)}_${encodingLetters[part.encoding ?? 'identity']}`;
};

const syntax = /^(?:([BU])([\w-]{22})|P([\w-]{22})_([0-9a-z]{1,8})_([0-9a-z]{1,8})_([ibq]))$/;

/** Parses a blob id. @returns undefined when it is not valid. */
export const parseBlobId = (blobId: string): BlobReference | undefined => {
  const [, whole, wholeKey = '', key = '', start = '', end = '', letter] = syntax.exec(blobId) ?? [];
  if (whole) return { kind: whole === 'B' ? 'message' : 'upload', key: wholeKey };
  if (!letter) return undefined;
  const range = { start: Number.parseInt(start, 36), end: Number.parseInt(end, 36) };
  return range.start <= range.end ? { kind: 'part', key, ...range, encoding: encodings[letter as keyof typeof encodings] } : undefined;
};
