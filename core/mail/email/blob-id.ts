import { createHash, randomBytes } from 'node:crypto';
import type { BodyPart, ContentTransferEncoding } from '../../mime/parsed-email.ts';

/**
 * The content of a blob within an account (RFC 8620 §6). The blob id encodes it, so a download needs no look-up. Every
 * member of the account may read all of its blobs. `key` is the last component of the object's key in the mail bucket.
 */
export type BlobReference =
  | { readonly kind: 'message'; readonly key: string }
  | BlobPart
  | NestedPart
  | { readonly kind: 'upload'; readonly key: string }
  /** A blob in the `media` of a ContactCard. */
  | { readonly kind: 'media'; readonly key: string };

/** A part of a message: a range of octets of the raw message, `end` exclusive. */
type BlobPart = { readonly kind: 'part'; readonly key: string; readonly start: number; readonly end: number; readonly encoding: ContentTransferEncoding };

/** A part within another blob: within an upload, or within a part such as an attached message (RFC 8621 §4.9). */
export type NestedPart = Omit<BlobPart, 'kind'> & {
  readonly kind: 'nested';
  readonly outer: string;
  /** Octets of the decoded part, stated by the blob id. */
  readonly size: number;
};

const encodingLetters = { identity: 'i', base64: 'b', 'quoted-printable': 'q' } as const satisfies Record<ContentTransferEncoding, string>;
const encodings: { readonly [letter: string]: ContentTransferEncoding } = { i: 'identity', b: 'base64', q: 'quoted-printable' };

/** 22 characters of base64url: 132 bits of SHA-256, so that different contents have different keys. */
const digest = (content: string | Buffer): string => createHash('sha256').update(content).digest('base64url').slice(0, 22);

/**
 * The key of an account's copy of the message that SES received as `messageId`. A duplicate delivery has the same key.
 */
export const messageKey = (accountId: string, messageId: string): string => digest(`${accountId}/${messageId}`);
/** Random octets in a key, which are 22 characters of base64url. */
const keyBytes = 16;

/** The key of a message that is not a copy of another one, such as a draft. */
export const randomMessageKey = (): string => randomBytes(keyBytes).toString('base64url');

/** The key of a message from its origin. `generation` counts the destroyed Emails of that origin in the account. */
export const originMessageKey = (accountId: string, origin: string, generation: number): string => messageKey(accountId, `${origin}/${generation}`);

export const emailIdOf = (key: string): string => `M${key}`;
export const messageBlobId = (key: string): string => `B${key}`;

export const uploadKey = (content: Buffer): string => digest(content);
export const uploadBlobId = (key: string): string => `U${key}`;
export const mediaBlobId = (key: string): string => `C${key}`;

/** Maximum characters of a blob id (RFC 8620 §1.2). */
const maxIdLength = 255;

const base36 = (value: number): string => value.toString(36);

/**
 * The blob id of a part of a message. Undefined for a multipart (RFC 8621 §4.1.4) and for a part that is nested too
 * deeply.
 */
export const partBlobId = (messageBlob: string, part: BodyPart): string | undefined => {
  if (!part.range) return undefined;
  const { start, end } = part.range;
  const place = `${base36(start)}_${base36(end)}_${encodingLetters[part.encoding ?? 'identity']}`;
  if (messageBlob.startsWith('B')) return `P${messageBlob.slice(1)}_${place}`;
  const nested = `N${messageBlob}_${place}_${base36(part.size)}`;
  return nested.length <= maxIdLength ? nested : undefined;
};

const syntax = /^(?:([BUC])([\w-]{22})|P([\w-]{22})_([0-9a-z]{1,8})_([0-9a-z]{1,8})_([ibq]))$/;
const nestedSyntax = /^N([UPN][\w-]+)_([0-9a-z]{1,8})_([0-9a-z]{1,8})_([ibq])_([0-9a-z]{1,8})$/;

const wholeKinds: { readonly [letter: string]: 'message' | 'upload' | 'media' } = { B: 'message', U: 'upload', C: 'media' };

const rangeOf = (start: string, end: string, letter: string) => ({
  start: Number.parseInt(start, 36),
  end: Number.parseInt(end, 36),
  encoding: encodings[letter]!,
});

const parseNestedPart = (blobId: string): NestedPart | undefined => {
  const [, outer = '', start = '', end = '', letter, size = ''] = nestedSyntax.exec(blobId) ?? [];
  const key = letter === undefined ? undefined : parseBlobId(outer)?.key;
  if (key === undefined) return undefined;
  return { kind: 'nested', key, outer, ...rangeOf(start, end, letter!), size: Number.parseInt(size, 36) };
};

/** @returns undefined when the blob id is not valid. */
export const parseBlobId = (blobId: string): BlobReference | undefined => {
  if (blobId.length > maxIdLength) return undefined;
  const [, whole, wholeKey = '', key = '', start = '', end = '', letter] = syntax.exec(blobId) ?? [];
  if (whole) return { kind: wholeKinds[whole]!, key: wholeKey };
  const part = letter ? { kind: 'part' as const, key, ...rangeOf(start, end, letter) } : parseNestedPart(blobId);
  return part && part.start <= part.end ? part : undefined;
};
