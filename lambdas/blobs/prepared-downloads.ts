import { unadvertisedLimits } from '../../contract/jmap/core.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { objectKeys } from '../../core/storage/object-keys.ts';
import type { Objects } from '../../core/storage/objects.ts';

/** Seconds for which the signed URL of a blob is valid. */
export const signedUrlSeconds = 300;

type PreparedDownloadsDependencies = { readonly objects: Pick<Objects, 'list' | 'remove' | 'put' | 'size'>; readonly clock: Clock };

/**
 * Removes the oldest decoded parts of the account, so that one more can be stored. Parts whose URLs may still be valid
 * are kept.
 * @returns whether there is room.
 */
const makeRoom = async (accountId: string, { objects, clock }: PreparedDownloadsDependencies): Promise<boolean> => {
  const prepared = await objects.list(objectKeys.download(accountId, ''));
  const surplus = prepared.length + 1 - unadvertisedLimits.maxPreparedDownloads;
  if (surplus <= 0) return true;
  const validSince = clock().getTime() - signedUrlSeconds * 1000;
  const oldest = prepared.filter(({ modified }) => modified.getTime() <= validSince)
    .toSorted((one, other) => one.modified.getTime() - other.modified.getTime()).slice(0, surplus);
  await objects.remove(oldest.map(({ key }) => key));
  return oldest.length === surplus;
};

/**
 * Stores the decoded content of a part that is too large for a response. Its key is derived from its blob id. The
 * bucket deletes it after a day. Concurrent requests may exceed the account's limit, each by one part.
 * @param decode reads and decodes the part; undefined when its message does not exist. It is called only when the part
 * is not stored and the account has room.
 */
export const prepareDownload = async (
  accountId: string, blobId: string, decode: () => Promise<Buffer | undefined>, dependencies: PreparedDownloadsDependencies,
): Promise<{ readonly key: string } | { readonly refusal: 'no-room' | 'missing' }> => {
  const key = objectKeys.download(accountId, blobId);
  if (await dependencies.objects.size(key) !== undefined) return { key };
  if (!await makeRoom(accountId, dependencies)) return { refusal: 'no-room' };
  const content = await decode();
  if (!content) return { refusal: 'missing' };
  await dependencies.objects.put(key, content);
  return { key };
};
