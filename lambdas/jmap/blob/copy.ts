import type { blobCopy } from '../../../contract/jmap/blob.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { ArgumentsOf } from '../../../contract/jmap/record.ts';
import type { FoundBlob } from '../../../core/blobs/account-blobs.ts';
import { uploadsExceeded } from '../../../core/blobs/uploaded-octets.ts';
import { parseBlobId, uploadBlobId, uploadKey } from '../../../core/mail/email/blob-id.ts';
import { mapConcurrently } from '../../../core/runtime/map-concurrently.ts';
import { weightGroups } from '../../../core/runtime/weight-groups.ts';
import { objectKeys } from '../../../core/storage/object-keys.ts';
import { objectOrNull } from '../request/create-records.ts';
import { SetError } from '../request/jmap-errors.ts';
import type { OpenAccount, RequestContext } from '../request/request-context.ts';
import { openFromAccount } from '../request/standard-copy.ts';
import { checkReads, octetsOf, spendBlobs, weightOf, wholeOf, type BlobRead } from './blob-budget.ts';

type Args = ArgumentsOf<typeof blobCopy.arguments>;

/**
 * The key for the copy of a whole object. The copy of an upload has the same key; the key for a copy of a message is
 * derived from its blob id.
 */
const keyOfCopy = ({ blobId, kind }: FoundBlob): string => (kind === 'upload' ? parseBlobId(blobId)!.key : uploadKey(Buffer.from(blobId)));

/** Copies a blob. @returns the id of the copy; undefined when the original was removed in the meantime. */
const copyBlob = async ({ blob, range }: BlobRead, accountId: string, { dependencies: { objects, blobs } }: RequestContext): Promise<string | undefined> => {
  if (!blob.part) {
    const key = keyOfCopy(blob);
    return (await objects.copy(blob.objectKey, objectKeys.upload(accountId, key))) ? uploadBlobId(key) : undefined;
  }
  const content = await blobs.read(blob, range);
  if (!content) return undefined;
  const key = uploadKey(content);
  await objects.put(objectKeys.upload(accountId, key), content);
  return uploadBlobId(key);
};

/**
 * Blob/copy (RFC 8620 §6.3). A copy is an upload, which expires unless it is used. Copying it again extends its time.
 */
export const copyBlobs = async (args: Args, { accountId }: OpenAccount, context: RequestContext): Promise<JsonObject> => {
  const from = await openFromAccount(args, context);
  const blobIds = [...new Set(args.blobIds)];
  spendBlobs(blobIds.length, context.budget);
  const found = await context.dependencies.blobs.find(from.accountId, blobIds);
  const room = await context.uploadRoom(accountId);
  const fits = new Map([...found.values()].map(wholeOf).map((copy) => [copy, room.take(octetsOf(copy))]));
  const copies = [...fits.keys()].filter((copy) => fits.get(copy));
  // Whole objects are copied within the bucket, so only parts are read.
  checkReads(
    copies.filter(({ blob }) => blob.part),
    context.budget,
  );
  const copied = new Map<string, string>();
  const copyAll = async (): Promise<void> => {
    for (const group of weightGroups(copies, (copy) => (copy.blob.part ? weightOf(copy) : 0))) {
      const ids = await mapConcurrently(group, (copy) => copyBlob(copy, accountId, context));
      for (const [index, { blob }] of group.entries()) if (ids[index] !== undefined) copied.set(blob.blobId, ids[index]);
    }
  };
  const [isCounted] = await Promise.all([room.count(copies.reduce((sum, copy) => sum + octetsOf(copy), 0)), copyAll()]);
  if (!isCounted) copied.clear();
  const exceeding = new Set([...fits].filter(([, fitsIn]) => !isCounted || !fitsIn).map(([{ blob }]) => blob.blobId));
  const notCopied = new Map(
    blobIds
      .filter((blobId) => !copied.has(blobId))
      .map((blobId) => [
        blobId,
        exceeding.has(blobId) ? new SetError('overQuota', uploadsExceeded(room.limit)) : new SetError('notFound', 'There is no such blob in the account.'),
      ]),
  );
  return { fromAccountId: args.fromAccountId, accountId, copied: objectOrNull(copied), notCopied: objectOrNull(notCopied) };
};
