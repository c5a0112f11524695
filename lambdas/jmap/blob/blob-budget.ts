import { unadvertisedLimits } from '../../../contract/jmap/core.ts';
import { readWeight, type BlobRange, type FoundBlob } from '../../../core/blobs/account-blobs.ts';
import { requestWeight } from '../email/header-reader.ts';
import { MethodError } from '../request/jmap-errors.ts';
import { resolveCreationId } from '../request/patch-object.ts';
import type { RequestBudget, RequestContext } from '../request/request-context.ts';

/** A read of a blob's content. */
export type BlobRead = { readonly blob: FoundBlob; readonly range: BlobRange };

export const weightOf = ({ blob, range }: BlobRead): number => readWeight(blob, range) + requestWeight;

export const octetsOf = ({ range: { start, end } }: BlobRead): number => end - start;

/** Counts reads of the bucket. @returns false when the request has exceeded `maxBlobOctetsInRequest`. */
export const spendReads = (reads: readonly BlobRead[], budget: RequestBudget): boolean =>
  budget.spend(
    'maxBlobOctetsInRequest',
    reads.reduce((sum, read) => sum + weightOf(read), 0),
  );

/** Counts reads of the bucket. @throws MethodError requestTooLarge when the calls of the request read too much. */
export const checkReads = (reads: readonly BlobRead[], budget: RequestBudget): void => {
  if (spendReads(reads, budget)) return;
  const { maxBlobOctetsInRequest } = unadvertisedLimits;
  throw new MethodError('requestTooLarge', `The Blob methods of a request may read ${maxBlobOctetsInRequest} octets (maxBlobOctetsInRequest).`);
};

/** A read of the whole content. */
export const wholeOf = (blob: FoundBlob): BlobRead => ({ blob, range: { start: 0, end: blob.size } });

/** Counts blobs. @throws MethodError requestTooLarge when the calls of the request name or create too many blobs. */
export const spendBlobs = (count: number, budget: RequestBudget): void => {
  if (budget.spend('maxBlobsInRequest', count)) return;
  const { maxBlobsInRequest } = unadvertisedLimits;
  throw new MethodError('requestTooLarge', `The Blob methods of a request may name ${maxBlobsInRequest} blobs (maxBlobsInRequest).`);
};

/**
 * The id of a blob in an argument: the argument itself, or the id of the blob with that creation id (RFC 8620 §3.3).
 */
export const resolveBlobId = (given: string, { createdIds }: RequestContext): string => resolveCreationId(given, (creationId) => createdIds.get(creationId));
