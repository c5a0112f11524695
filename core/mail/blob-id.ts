import { createHash } from 'node:crypto';
import type { BodyPart, ContentTransferEncoding } from '../mime/parsed-email.ts';

/**
 * Blob ids say where the bytes are, so that a download needs no look-up (RFC 8620 §6). They name things within one account: whoever may read
 * the account may read them. `key` is the last part of the object's key in the mail bucket.
 */
export type BlobReference =
  | { readonly kind: 'message'; readonly key: string }
  | { readonly kind: 'part'; readonly key: string; /** In the raw message, `end` exclusive. */ readonly start: number; readonly end: number; readonly encoding: ContentTransferEncoding }
  | { readonly kind: 'upload'; readonly key: string };

const letters = { identity: 'i', base64: 'b', 'quoted-printable': 'q' } as const satisfies Record<ContentTransferEncoding, string>;
const encodings = { i: 'identity', b: 'base64', q: 'quoted-printable' } as const;

/** 22 characters of base64url: 132 bits, so that neither chance nor intent finds two contents with one key. */
const digest = (content: string | Buffer): string => createHash('sha256').update(content).digest('base64url').slice(0, 22);

/** The key of an account's copy of what SES received as `messageId`: the same however often SES says so. */
export const messageKey = (accountId: string, messageId: string): string => digest(`${accountId}/${messageId}`);
export const emailIdOf = (key: string): string => `M${key}`;
export const messageBlobId = (key: string): string => `B${key}`;

export const uploadKey = (content: Buffer): string => digest(content);
export const uploadBlobId = (key: string): string => `U${key}`;

/** The blob id of a part of the message with that blob id; undefined for a multipart, which is no blob (RFC 8621 §4.1.4). */
export const partBlobId = (messageBlob: string, part: BodyPart): string | undefined => part.range
  && `P${messageBlob.slice(1)}_${part.range.start.toString(36)}_${part.range.end.toString(36)}_${letters[part.encoding ?? 'identity']}`;

const shape = /^(?:([BU])([\w-]{22})|P([\w-]{22})_([0-9a-z]{1,8})_([0-9a-z]{1,8})_([ibq]))$/;

/** What a blob id names; undefined for a text that is none of ours. */
export const parseBlobId = (blobId: string): BlobReference | undefined => {
  const [, whole, wholeKey = '', key = '', start = '', end = '', letter] = shape.exec(blobId) ?? [];
  if (whole) return { kind: whole === 'B' ? 'message' : 'upload', key: wholeKey };
  if (!letter) return undefined;
  const range = { start: Number.parseInt(start, 36), end: Number.parseInt(end, 36) };
  return range.start <= range.end ? { kind: 'part', key, ...range, encoding: encodings[letter as keyof typeof encodings] } : undefined;
};
