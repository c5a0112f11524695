import { randomBytes } from 'node:crypto';
import { unadvertisedLimits } from '../../contract/jmap/core.ts';
import type { Principal } from '../../core/directory/users/principals.ts';
import { readWeight, type AccountBlobs, type BlobRange, type FoundBlob } from '../../core/blobs/account-blobs.ts';
import { attachmentDisposition, isMediaType } from '../../core/runtime/http/content-headers.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { header, plainProblem, problemResponse, type HttpRequest, type HttpResponse } from '../../core/runtime/http/http.ts';
import { mapConcurrently } from '../../core/runtime/concurrency/map-concurrently.ts';
import type { Objects } from '../../core/storage/objects.ts';
import { contentRange, requestedRanges } from './byte-ranges.ts';
import { evaluatePreconditions, rangeApplies } from './preconditions.ts';
import { prepareDownload, signedUrlSeconds } from './prepared-downloads.ts';

export type DownloadDependencies = { readonly objects: Objects; readonly blobs: AccountBlobs; readonly clock: Clock };

/**
 * Maximum octets of content in a response of this Lambda. The response has the content in base64, and header fields.
 */
const maxResponseContent = Math.floor((unadvertisedLimits.maxSizeResponse - 4096) / 4) * 3;

/** Maximum octets of the boundary and header fields of one range, in a response with several ranges. */
const rangeOverhead = 512;

/** A blob of an account, with the requested media type and disposition of the response. */
type Requested = {
  readonly accountId: string;
  readonly blob: FoundBlob;
  readonly type: string;
  readonly disposition: string;
  readonly dependencies: DownloadDependencies;
};

const notFound = (): HttpResponse => plainProblem(404, 'There is no such blob in that account.');

const tooManyPrepared = (): HttpResponse => problemResponse({
  type: 'about:blank', status: 429, detail: 'Too many large parts of this account are being downloaded. Try again later.',
}, { 'retry-after': String(signedUrlSeconds) });

/** The strong entity tag of a blob is its id, because a blob never changes. */
const entityTag = ({ blobId }: FoundBlob): string => `"${blobId}"`;

/** Headers by which the client, but no shared cache, may cache the blob, which never changes. */
const cacheHeaders = (blob: FoundBlob) => ({ etag: entityTag(blob), 'cache-control': 'private, immutable, max-age=31536000' });

/** The header fields of a response with content. The last fields prevent a browser from rendering the content. */
const contentHeaders = ({ blob, type, disposition }: Requested) => ({
  'content-type': type,
  'content-disposition': disposition,
  'accept-ranges': 'bytes',
  ...cacheHeaders(blob),
  'x-content-type-options': 'nosniff',
  'content-security-policy': 'default-src \'none\'',
});

/**
 * Downloads a message, a part of a message, or an upload (RFC 8620 §6.2), with exactly the requested media type, and
 * with the ranges and preconditions of HTTP. The response is 404 if the principal is not a member of the account, and
 * for a message to which no Email refers any more. If the content is too large for a Lambda response, it is a redirect
 * to a signed URL of the bucket.
 */
export const downloadBlob = async (
  request: HttpRequest, principal: Principal, dependencies: DownloadDependencies,
): Promise<HttpResponse> => {
  const { accountId = '', blobId = '', type = '', name = '' } = request.queryStringParameters ?? {};
  if (!principal.memberships.some((membership) => membership.accountId === accountId)) return notFound();
  if (type !== '' && !isMediaType(type)) return plainProblem(400, 'The type is not a media type.');
  const blob = (await dependencies.blobs.find(accountId, [blobId])).get(blobId);
  if (!blob) return notFound();
  const requested = { accountId, blob, type: type || 'application/octet-stream', disposition: attachmentDisposition(name), dependencies };
  const preconditions = evaluatePreconditions(request, entityTag(blob));
  if (preconditions === 'failed') return plainProblem(412, 'The blob does not match If-Match.');
  if (preconditions === 'not-modified') return ifExists(requested, { statusCode: 304, headers: cacheHeaders(blob) });
  if (isHead(request)) {
    return ifExists(requested, { statusCode: 200, headers: { ...contentHeaders(requested), 'content-length': String(blob.size) } });
  }
  const ranges = rangeApplies(request, entityTag(blob)) ? requestedRanges(header(request, 'range'), blob.size) : undefined;
  if (!ranges) return blob.size > maxResponseContent ? redirect(requested) : respond(requested, undefined);
  if (ranges.length === 0) return ifExists(requested, notSatisfiable(blob));
  return fits(ranges) ? respond(requested, ranges) : redirect(requested);
};

/** Checks that the blob exists, for a response without content. */
const ifExists = async ({ blob, dependencies: { blobs } }: Requested, response: HttpResponse): Promise<HttpResponse> =>
  (await blobs.exists(blob) ? response : notFound());

const isHead = (request: HttpRequest): boolean => request.routeKey.startsWith('HEAD ');

const fits = (ranges: readonly BlobRange[]): boolean =>
  ranges.reduce((sum, { start, end }) => sum + end - start + rangeOverhead, 0) <= maxResponseContent;

const notSatisfiable = (blob: FoundBlob): HttpResponse => problemResponse(
  { type: 'about:blank', status: 416, detail: `The blob has ${blob.size} octets.` },
  { 'content-range': contentRange(undefined, blob.size), etag: entityTag(blob) },
);

/**
 * The part as a decoded object, which the first download stores.
 * @returns the error response when the object can't be stored.
 */
const preparedPart = async ({ accountId, blob, dependencies }: Requested): Promise<FoundBlob | HttpResponse> => {
  const prepared = await prepareDownload(accountId, blob.blobId, () => dependencies.blobs.read(blob), dependencies);
  if ('key' in prepared) return { blobId: blob.blobId, kind: blob.kind, size: blob.size, objectKey: prepared.key };
  return prepared.refusal === 'no-room' ? tooManyPrepared() : notFound();
};

/** A redirect to a signed URL, at which S3 responds, with its own ranges and preconditions. */
const redirect = async (requested: Requested): Promise<HttpResponse> => {
  const { type, disposition, dependencies: { objects } } = requested;
  const blob = requested.blob.part ? await preparedPart(requested) : requested.blob;
  if (!('objectKey' in blob)) return blob;
  const location = await objects.signedUrl(blob.objectKey, { type, disposition, seconds: signedUrlSeconds });
  return { statusCode: 302, headers: { location, 'cache-control': 'no-store' } };
};

/** The octets of the ranges. A blob that fits into a response is read once. */
const readRanges = async (
  blob: FoundBlob, ranges: readonly BlobRange[], { blobs }: DownloadDependencies,
): Promise<readonly Buffer[] | undefined> => {
  if (ranges.length > 1 && blob.size <= maxResponseContent) {
    const content = await blobs.read(blob);
    return content && ranges.map(({ start, end }) => content.subarray(start, end));
  }
  const read = await mapConcurrently(ranges, (range) => blobs.read(blob, range));
  return read.every((octets) => octets !== undefined) ? read : undefined;
};

/** A response 200 with the content, or 206 with ranges. Ranges of a large encoded part are read from a decoded copy. */
const respond = async (requested: Requested, ranges: readonly BlobRange[] | undefined): Promise<HttpResponse> => {
  const { dependencies } = requested;
  const isLargeToRead = ranges?.some((range) => readWeight(requested.blob, range) > 2 * maxResponseContent);
  const blob = isLargeToRead ? await preparedPart(requested) : requested.blob;
  if (!('objectKey' in blob)) return blob;
  const contents = await readRanges(blob, ranges ?? [{ start: 0, end: blob.size }], dependencies);
  if (!contents) return notFound();
  if (!ranges) return binary(200, contentHeaders(requested), contents);
  return ranges.length === 1
    ? binary(206, { ...contentHeaders(requested), 'content-range': contentRange(ranges[0], blob.size) }, contents)
    : severalRanges(requested, ranges, contents);
};

const binary = (statusCode: number, headers: Record<string, string>, content: readonly Buffer[]): HttpResponse =>
  ({ statusCode, headers, body: Buffer.concat(content).toString('base64'), isBase64Encoded: true });

/** The response 206 with several ranges, as multipart/byteranges (RFC 9110 §14.6). */
const severalRanges = (requested: Requested, ranges: readonly BlobRange[], contents: readonly Buffer[]): HttpResponse => {
  const boundary = randomBytes(18).toString('base64url');
  const parts = ranges.flatMap((range, index) => [
    Buffer.from(`--${boundary}\r\nContent-Type: ${requested.type}\r\nContent-Range: ${contentRange(range, requested.blob.size)}\r\n\r\n`),
    contents[index]!,
    Buffer.from('\r\n'),
  ]);
  const headers = { ...contentHeaders(requested), 'content-type': `multipart/byteranges; boundary=${boundary}` };
  return binary(206, headers, [...parts, Buffer.from(`--${boundary}--\r\n`)]);
};
