import { unadvertisedLimits } from '../../contract/jmap/core.ts';
import type { Principal } from '../../core/directory/principals.ts';
import { parseBlobId, type BlobReference } from '../../core/mail/blob-id.ts';
import { decodeTransferEncoding } from '../../core/mime/transfer-encoding.ts';
import { plainProblem, type HttpRequest, type HttpResponse } from '../../core/runtime/http.ts';
import { objectKeys } from '../../core/storage/object-keys.ts';
import type { Objects } from '../../core/storage/objects.ts';
import { attachmentDisposition, isMediaType } from './content-headers.ts';

/**
 * Octets of content that fit into a response of this Lambda, which carries them in base64 besides its header fields.
 */
const maxResponseContent = Math.floor((unadvertisedLimits.maxSizeResponse - 4096) / 4) * 3;

/** Seconds for which the URL of a larger blob is valid. */
const signedUrlSeconds = 300;

/** A blob of an account, with the media type and the disposition of the response. */
type RequestedBlob = {
  readonly accountId: string;
  readonly blobId: string;
  readonly blob: BlobReference;
  readonly type: string;
  readonly disposition: string;
};

const notFound = (): HttpResponse => plainProblem(404, 'There is no such blob in that account.');

/**
 * Downloads a message, a part of a message, or an upload (RFC 8620 §6.2), with exactly the requested media type. A blob
 * of an account that the principal is not a member of is 404. A blob that is too large for a Lambda response is a
 * redirect to a signed URL of the bucket.
 */
export const downloadBlob = async (request: HttpRequest, principal: Principal, objects: Objects): Promise<HttpResponse> => {
  const { accountId = '', blobId = '', type = '', name = '' } = request.queryStringParameters ?? {};
  const blob = parseBlobId(blobId);
  if (!blob || !principal.memberships.some((membership) => membership.accountId === accountId)) return notFound();
  if (type !== '' && !isMediaType(type)) return plainProblem(400, 'The type is not a media type.');
  const requested = { accountId, blobId, blob, type: type || 'application/octet-stream', disposition: attachmentDisposition(name) };
  return blob.kind === 'part' ? downloadPart(requested, blob, objects) : downloadObject(requested, blob, objects);
};

/** Downloads a message or an upload: a whole object of the bucket. */
const downloadObject = async (
  requested: RequestedBlob, { kind, key }: Exclude<BlobReference, { kind: 'part' }>, objects: Objects,
): Promise<HttpResponse> => {
  const objectKey = kind === 'message' ? objectKeys.message(requested.accountId, key) : objectKeys.upload(requested.accountId, key);
  const size = await objects.size(objectKey);
  if (size === undefined) return notFound();
  if (size > maxResponseContent) return redirectTo(objectKey, requested, objects);
  const object = await objects.get(objectKey);
  return object ? contentResponse(object.bytes, requested) : notFound();
};

/**
 * Downloads a part: a range of its message, decoded. At its first download, a part that is too large for a response is
 * stored decoded; the bucket deletes it after a day.
 */
const downloadPart = async (
  requested: RequestedBlob, { key, start, end, encoding }: Extract<BlobReference, { kind: 'part' }>, objects: Objects,
): Promise<HttpResponse> => {
  const decodedKey = objectKeys.download(requested.accountId, requested.blobId);
  if (end - start > maxResponseContent && await objects.size(decodedKey) !== undefined) return redirectTo(decodedKey, requested, objects);
  const object = await objects.get(objectKeys.message(requested.accountId, key), { start, end });
  if (!object || object.size < end) return notFound();
  const content = decodeTransferEncoding(object.bytes, encoding);
  if (content.length <= maxResponseContent) return contentResponse(content, requested);
  await objects.put(decodedKey, content);
  return redirectTo(decodedKey, requested, objects);
};

/**
 * A blob never changes, so the client may cache it, but no shared cache may. The other fields keep a browser from
 * rendering its content.
 */
const contentResponse = (content: Buffer, { type, disposition }: RequestedBlob): HttpResponse => ({
  statusCode: 200,
  headers: {
    'content-type': type,
    'content-disposition': disposition,
    'cache-control': 'private, immutable, max-age=31536000',
    'x-content-type-options': 'nosniff',
    'content-security-policy': 'default-src \'none\'',
  },
  body: content.toString('base64'),
  isBase64Encoded: true,
});

const redirectTo = async (key: string, { type, disposition }: RequestedBlob, objects: Objects): Promise<HttpResponse> => ({
  statusCode: 302,
  headers: { location: await objects.signedUrl(key, { type, disposition, seconds: signedUrlSeconds }), 'cache-control': 'no-store' },
});
