import { emailIdOf, parseBlobId, partBlobId, type BlobReference, type NestedPart } from '../mail/email/blob-id.ts';
import { referringEmail, referringEmailIds } from '../mail/email/email-blobs.ts';
import { readEmailContents, type EmailContent } from '../mail/email/email-content.ts';
import { decodeTransferEncoding } from '../mime/encoding/transfer-encoding.ts';
import { parseMessage } from '../mime/parse-message.ts';
import type { BodyPart } from '../mime/parsed-email.ts';
import { mapConcurrently } from '../runtime/map-concurrently.ts';
import { objectKeys } from '../storage/object-keys.ts';
import type { Objects } from '../storage/objects.ts';
import type { Table } from '../storage/table.ts';

/** A range of octets of a blob's content, `end` exclusive. */
export type BlobRange = { readonly start: number; readonly end: number };

/** A blob that exists: an object of the mail bucket, or a part of a message. */
export type FoundBlob = {
  readonly blobId: string;
  readonly kind: BlobReference['kind'];
  /** Octets of the content. */
  readonly size: number;
  /** Key of the object in the mail bucket. */
  readonly objectKey: string;
  /** Set for a part of a message: its range in the object, or in the content of `outer`, and its transfer encoding. */
  readonly part?: { readonly range: BlobRange; readonly encoding: BodyPart['encoding'] };
  /**
   * The blob of the message, if the message is itself a part of another blob. Only a read of the message shows whether
   * it has this part.
   */
  readonly outer?: FoundBlob;
};

/** The blobs of accounts (RFC 8620 §6): messages, their parts, and uploads. */
export type AccountBlobs = {
  /**
   * Finds blobs by id. A message exists while an Email refers to it, a part while such an Email has exactly this part,
   * an upload until it expires, a blob of a ContactCard until it is removed after the card. The caller has checked that the user is a member.
   * @returns the blobs that exist. Whether the part of another blob exists is not checked here: `exists` and `read` check it.
   */
  find(accountId: string, blobIds: readonly string[]): Promise<ReadonlyMap<string, FoundBlob>>;
  /**
   * The ids of the Emails that may refer to a message or to a part of it, including destroyed Emails. Empty for an
   * upload.
   */
  emailIds(accountId: string, blobId: string): Promise<readonly string[]>;
  /** Whether a found blob exists. For a part of another blob, this reads the outer message. */
  exists(blob: FoundBlob): Promise<boolean>;
  /**
   * The decoded content or a range of it.
   * @returns undefined when the object was removed in the meantime, or the outer message does not have exactly this part.
   */
  read(blob: FoundBlob, range?: BlobRange): Promise<Buffer | undefined>;
};

/** Whether the content is stored without a transfer encoding, so that ranges of it can be read from the object. */
export const isStoredAsIs = ({ part, outer }: FoundBlob): boolean => !part || (!outer && (part.encoding === undefined || part.encoding === 'identity'));

/**
 * Octets that must be read from S3 for a range of the content. A part in base64 is read whole. For a part of a message
 * in another blob, that whole blob is read.
 */
export const readWeight = (blob: FoundBlob, { start, end }: BlobRange): number => {
  if (blob.outer) return readWeight(blob.outer, { start: 0, end: blob.outer.size });
  return isStoredAsIs(blob) ? end - start : blob.part!.range.end - blob.part!.range.start;
};

/** Maximum concurrent requests to the bucket or the table. */
const atOnce = 16;

/** Whether the octets are in a message of the account. If not, they are in an upload. */
const isInMessage = (reference: BlobReference): boolean =>
  reference.kind === 'nested' ? isInMessage(parseBlobId(reference.outer)!) : reference.kind !== 'upload' && reference.kind !== 'media';

const objectKeyOf = (accountId: string, kind: Exclude<BlobReference['kind'], 'nested'>, key: string): string => {
  if (kind === 'media') return objectKeys.media(accountId, key);
  return kind === 'upload' ? objectKeys.upload(accountId, key) : objectKeys.message(accountId, key);
};

const leavesOf = (part: BodyPart): readonly BodyPart[] => (part.subParts ? part.subParts.flatMap(leavesOf) : [part]);

/** The part of a message with this blob id. @returns undefined when no part has this range and encoding. */
const findPart = (blobId: string, messageBlob: string, bodyStructure: BodyPart): BodyPart | undefined =>
  leavesOf(bodyStructure).find((part) => partBlobId(messageBlob, part) === blobId);

export const accountBlobs = (table: Table, objects: Pick<Objects, 'get' | 'size'>): AccountBlobs => {
  /** Reads Emails by the keys of their messages in one BatchGet, except for messages of copies. */
  const emailsOfKeys = async (accountId: string, keys: readonly string[]): Promise<ReadonlyMap<string, EmailContent>> => {
    if (keys.length === 0) return new Map();
    const records = await readEmailContents(table, accountId, keys.map(emailIdOf));
    const emails = await mapConcurrently(keys, async (key) => [key, records.get(emailIdOf(key)) ?? (await referringEmail(table, accountId, key))] as const, {
      atOnce,
    });
    return new Map(emails.flatMap(([key, email]) => (email ? [[key, email] as const] : [])));
  };

  const findNested = async (
    accountId: string,
    blobId: string,
    { outer: outerId, start, end, encoding, size }: NestedPart,
    email: EmailContent | undefined,
  ): Promise<FoundBlob | undefined> => {
    const outer = await findOne(accountId, outerId, parseBlobId(outerId)!, email);
    // No part is larger than its message, so an invented size can't exceed it either.
    if (!outer || Math.max(end, size) > outer.size) return undefined;
    return { blobId, kind: 'nested', size, objectKey: outer.objectKey, part: { range: { start, end }, encoding }, outer };
  };

  const findOne = async (accountId: string, blobId: string, reference: BlobReference, email: EmailContent | undefined): Promise<FoundBlob | undefined> => {
    if (reference.kind === 'nested') return findNested(accountId, blobId, reference, email);
    const { kind, key } = reference;
    if (isInMessage(reference) && !email) return undefined;
    const objectKey = objectKeyOf(accountId, kind, key);
    if (kind === 'part') {
      const part = findPart(blobId, email!.blobId, email!.bodyStructure);
      return part?.range && { blobId, kind, size: part.size, objectKey, part: { range: part.range, encoding: part.encoding } };
    }
    const size = await objects.size(objectKey);
    return size === undefined ? undefined : { blobId, kind, size, objectKey };
  };

  const read: AccountBlobs['read'] = async (blob, range = { start: 0, end: blob.size }) => {
    const { objectKey, part, outer } = blob;
    if (outer) return (await readNested(blob, outer))?.subarray(range.start, range.end);
    if (!part) return (await objects.get(objectKey, range.end - range.start === blob.size ? undefined : range))?.bytes;
    const { start, end } = part.range;
    if (isStoredAsIs(blob)) return (await objects.get(objectKey, { start: start + range.start, end: start + range.end }))?.bytes;
    const encoded = await objects.get(objectKey, { start, end });
    return encoded && decodeTransferEncoding(encoded.bytes, part.encoding).subarray(range.start, range.end);
  };

  /** Reads the decoded part of the message in the outer blob, if the message has exactly this part. */
  const readNested = async ({ blobId }: FoundBlob, outer: FoundBlob): Promise<Buffer | undefined> => {
    const message = await read(outer);
    const part = message && findPart(blobId, outer.blobId, parseMessage(message).email.bodyStructure);
    return part?.range && decodeTransferEncoding(message!.subarray(part.range.start, part.range.end), part.encoding);
  };

  return {
    async find(accountId, blobIds) {
      const references = [...new Set(blobIds)].flatMap((blobId) => {
        const reference = parseBlobId(blobId);
        return reference ? [{ blobId, reference }] : [];
      });
      const messageKeys = new Set(references.flatMap(({ reference }) => (isInMessage(reference) ? [reference.key] : [])));
      const emails = await emailsOfKeys(accountId, [...messageKeys]);
      const found = await mapConcurrently(references, async ({ blobId, reference }) => findOne(accountId, blobId, reference, emails.get(reference.key)), {
        atOnce,
      });
      return new Map(found.flatMap((blob) => (blob ? [[blob.blobId, blob] as const] : [])));
    },

    exists: async (blob) => !blob.outer || (await read(blob)) !== undefined,

    async emailIds(accountId, blobId) {
      const reference = parseBlobId(blobId);
      if (!reference || !isInMessage(reference)) return [];
      return [emailIdOf(reference.key), ...(await referringEmailIds(table, accountId, reference.key))];
    },

    read,
  };
};
