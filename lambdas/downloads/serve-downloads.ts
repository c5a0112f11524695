import { randomBytes } from 'node:crypto';
import { downloadPath, downloadLimits } from '../../contract/jmap/blob.ts';
import { isStoredAsIs, type AccountBlobs, type BlobRange, type FoundBlob } from '../../core/blobs/account-blobs.ts';
import { admittedPrincipal } from '../../core/directory/users/admitted-principal.ts';
import type { Principals, Principal } from '../../core/directory/users/principals.ts';
import { attachmentDisposition, isMediaType } from '../../core/runtime/http/content-headers.ts';
import {
  failuresAnswered,
  plainProblem,
  entityTags,
  hasCurrentTag,
  header,
  problemResponse,
  type HttpRequest,
  type StreamedResponse,
  type HttpResponse,
} from '../../core/runtime/http/http.ts';
import type { JmapGate } from '../../core/runtime/http/jmap-gate.ts';
import { servedByRestApi } from '../../core/runtime/http/rest-api.ts';
import type { Log } from '../../core/runtime/log.ts';
import { mapConcurrently } from '../../core/runtime/map-concurrently.ts';
import { contentRange, requestedRanges } from './byte-ranges.ts';
import type { DownloadSlots } from './download-slots.ts';

/**
 * Evaluates the preconditions of a GET or HEAD request (RFC 9110 §13.2.2). `etag` is a strong entity tag. Conditions
 * with a date are ignored, because blobs have no date.
 * @returns `failed` for a response 412; `not-modified` for 304.
 */
const evaluatePreconditions = (request: HttpRequest, etag: string): 'passed' | 'failed' | 'not-modified' => {
  const ifMatch = header(request, 'if-match')?.trim();
  if (ifMatch !== undefined && ifMatch !== '*' && !entityTags(ifMatch).includes(etag)) return 'failed';
  return hasCurrentTag(request, etag) ? 'not-modified' : 'passed';
};

/** Whether the Range field applies (RFC 9110 §13.1.5): there is no If-Range, or it has the same strong tag. */
const rangeApplies = (request: HttpRequest, etag: string): boolean => {
  const ifRange = header(request, 'if-range')?.trim();
  return ifRange === undefined || ifRange === etag;
};

type BlobDownloads = { readonly blobs: AccountBlobs; readonly slots: DownloadSlots };

/** A blob that was found, with the requested media type and disposition of the response. */
type Requested = { readonly blob: FoundBlob; readonly type: string; readonly disposition: string; readonly blobs: AccountBlobs };

const notFound = (): HttpResponse => plainProblem(404, 'There is no such blob in that account.');

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
  'content-security-policy': "default-src 'none'",
});

/**
 * Downloads a message, a part of a message, or an upload (RFC 8620 §6.2), with exactly the requested media type, and
 * with the ranges and preconditions of HTTP. The response is 404 if the principal is not a member of the account, and
 * for a message to which no Email refers any more.
 */
const downloadBlob = async (request: HttpRequest, principal: Principal, { blobs, slots }: BlobDownloads): Promise<StreamedResponse> => {
  const { accountId = '', blobId = '', type = '', name = '' } = request.queryStringParameters ?? {};
  if (!principal.memberships.some((membership) => membership.accountId === accountId)) return notFound();
  if (type !== '' && !isMediaType(type)) return plainProblem(400, 'The type is not a media type.');
  const blob = (await blobs.find(accountId, [blobId])).get(blobId);
  if (!blob) return notFound();
  const requested = { blob, type: type || 'application/octet-stream', disposition: attachmentDisposition(name), blobs };
  const preconditions = evaluatePreconditions(request, entityTag(blob));
  if (preconditions === 'failed') return plainProblem(412, 'The blob does not match If-Match.');
  if (preconditions === 'not-modified') return ifExists(requested, { statusCode: 304, headers: cacheHeaders(blob) });
  if (isHead(request)) {
    return ifExists(requested, { statusCode: 200, headers: { ...contentHeaders(requested), 'content-length': String(blob.size) } });
  }
  const ranges = rangeApplies(request, entityTag(blob)) ? requestedRanges(header(request, 'range'), blob.size) : undefined;
  if (ranges?.length === 0) return ifExists(requested, notSatisfiable(blob));
  const octets = (ranges ?? [{ start: 0, end: blob.size }]).reduce((sum, { start, end }) => sum + end - start, 0);
  const slot = await slots.take(principal.principalId, octets);
  if (!slot) return tooManyDownloads();
  try {
    return { ...(await respond(requested, ranges)), ...slot };
  } catch (error) {
    await slot.release();
    throw error;
  }
};

const tooManyDownloads = (): HttpResponse => {
  const { atOnce, countedOctets, retryAfter } = downloadLimits;
  const detail = `You have ${atOnce} downloads of ${countedOctets / 1_000_000} MB or more at the same time. Begin this one when one of them has ended.`;
  return problemResponse({ type: 'about:blank', status: 429, detail }, { 'retry-after': String(retryAfter) });
};

/** Checks that the blob exists, for a response without content. */
const ifExists = async ({ blob, blobs }: Requested, response: HttpResponse): Promise<HttpResponse> => ((await blobs.exists(blob)) ? response : notFound());

const isHead = (request: HttpRequest): boolean => request.routeKey.startsWith('HEAD ');

const notSatisfiable = (blob: FoundBlob): HttpResponse =>
  problemResponse(
    { type: 'about:blank', status: 416, detail: `The blob has ${blob.size} octets.` },
    { 'content-range': contentRange(undefined, blob.size), etag: entityTag(blob) },
  );

/** The octets of the ranges. Content that has to be decoded is read once. */
const readRanges = async ({ blob, blobs }: Requested, ranges: readonly BlobRange[]): Promise<readonly Buffer[] | undefined> => {
  if (ranges.length > 1 && !isStoredAsIs(blob)) {
    const content = await blobs.read(blob);
    return content && ranges.map(({ start, end }) => content.subarray(start, end));
  }
  const read = await mapConcurrently(ranges, (range) => blobs.read(blob, range));
  return read.every((octets) => octets !== undefined) ? read : undefined;
};

/** A response 200 with the content, or 206 with ranges. */
const respond = async (requested: Requested, ranges: readonly BlobRange[] | undefined): Promise<StreamedResponse> => {
  const { size } = requested.blob;
  const contents = await readRanges(requested, ranges ?? [{ start: 0, end: size }]);
  if (!contents) return notFound();
  if (!ranges) return withContent(200, contentHeaders(requested), contents);
  return ranges.length === 1
    ? withContent(206, { ...contentHeaders(requested), 'content-range': contentRange(ranges[0], size) }, contents)
    : severalRanges(requested, ranges, contents);
};

const withContent = (statusCode: number, headers: Record<string, string>, content: readonly Buffer[]): StreamedResponse => ({
  statusCode,
  headers: { ...headers, 'content-length': String(content.reduce((sum, { length }) => sum + length, 0)) },
  content,
});

/** The response 206 with several ranges, as multipart/byteranges (RFC 9110 §14.6). */
const severalRanges = (requested: Requested, ranges: readonly BlobRange[], contents: readonly Buffer[]): StreamedResponse => {
  const boundary = randomBytes(18).toString('base64url');
  const parts = ranges.flatMap((range, index) => [
    Buffer.from(`--${boundary}\r\nContent-Type: ${requested.type}\r\nContent-Range: ${contentRange(range, requested.blob.size)}\r\n\r\n`),
    contents[index]!,
    Buffer.from('\r\n'),
  ]);
  const headers = { ...contentHeaders(requested), 'content-type': `multipart/byteranges; boundary=${boundary}` };
  return withContent(206, headers, [...parts, Buffer.from(`--${boundary}--\r\n`)]);
};

type DownloadsDependencies = BlobDownloads & { readonly gate: JmapGate; readonly principals: Principals; readonly jmapUrl: string; readonly log: Log };

/** Serves downloads (RFC 8620 §6.2), whose content a REST API passes on as a stream. */
export const serveDownloads = (dependencies: DownloadsDependencies) =>
  servedByRestApi(
    downloadPath,
    failuresAnswered(dependencies.log, (request: HttpRequest) => download(request, dependencies)),
  );

const download = async (request: HttpRequest, dependencies: DownloadsDependencies): Promise<StreamedResponse> => {
  const { gate, principals, jmapUrl } = dependencies;
  const { token, refusal } = await gate(request);
  if (!token) return refusal;
  const admitted = await admittedPrincipal(token, principals, { jmapUrl, request });
  if (!admitted.principal) return admitted.refusal;
  if (request.routeKey !== `GET ${downloadPath}` && request.routeKey !== `HEAD ${downloadPath}`) return plainProblem(404, 'There is nothing here.');
  return downloadBlob(request, admitted.principal, dependencies);
};
