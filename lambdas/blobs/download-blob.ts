import { unadvertisedLimits } from '../../contract/jmap/core.ts';
import type { Principal } from '../../core/directory/principals.ts';
import { parseBlobId, partBlobId, type BlobReference } from '../../core/mail/blob-id.ts';
import type { EmailRecord } from '../../core/mail/email/email-record.ts';
import type { BodyPart } from '../../core/mime/parsed-email.ts';
import { decodeTransferEncoding } from '../../core/mime/transfer-encoding.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { plainProblem, problemResponse, type HttpRequest, type HttpResponse } from '../../core/runtime/http.ts';
import { objectKeys } from '../../core/storage/object-keys.ts';
import type { Objects } from '../../core/storage/objects.ts';
import { attachmentDisposition, isMediaType } from './content-headers.ts';
import { prepareDownload, signedUrlSeconds } from './prepared-downloads.ts';

export type DownloadConnections = {
  readonly objects: Objects;
  /** The record of an Email that refers to the message with this key; undefined when there is none. */
  readonly emailOfBlob: (accountId: string, blobKey: string) => Promise<EmailRecord | undefined>;
  readonly clock: Clock;
};

/**
 * Octets of content that fit into a response of this Lambda, which carries them in base64 besides its header fields.
 */
const maxResponseContent = Math.floor((unadvertisedLimits.maxSizeResponse - 4096) / 4) * 3;

/** A blob of an account, with the media type and the disposition of the response. */
type RequestedBlob = {
  readonly accountId: string;
  readonly blobId: string;
  readonly blob: BlobReference;
  readonly type: string;
  readonly disposition: string;
};

const notFound = (): HttpResponse => plainProblem(404, 'There is no such blob in that account.');

const tooManyPrepared = (): HttpResponse => problemResponse({
  type: 'about:blank', status: 429, detail: 'Too many large parts of this account are being downloaded. Try again later.',
}, { 'retry-after': String(signedUrlSeconds) });

/**
 * Downloads a message, a part of a message, or an upload (RFC 8620 §6.2), with exactly the requested media type. A blob
 * of an account that the principal is not a member of is 404, and so is a message that no Email refers to any more. A blob that is too large for a Lambda response is a
 * redirect to a signed URL of the bucket.
 */
export const downloadBlob = async (
  request: HttpRequest, principal: Principal, connections: DownloadConnections,
): Promise<HttpResponse> => {
  const { accountId = '', blobId = '', type = '', name = '' } = request.queryStringParameters ?? {};
  const blob = parseBlobId(blobId);
  if (!blob || !principal.memberships.some((membership) => membership.accountId === accountId)) return notFound();
  if (type !== '' && !isMediaType(type)) return plainProblem(400, 'The type is not a media type.');
  const requested = { accountId, blobId, blob, type: type || 'application/octet-stream', disposition: attachmentDisposition(name) };
  if (blob.kind === 'upload') return downloadObject(requested, blob, connections.objects);
  const email = await connections.emailOfBlob(accountId, blob.key);
  if (!email) return notFound();
  return blob.kind === 'part'
    ? downloadPart(requested, { email, key: blob.key }, connections)
    : downloadObject(requested, blob, connections.objects);
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

const leavesOf = (part: BodyPart): readonly BodyPart[] => (part.subParts ? part.subParts.flatMap(leavesOf) : [part]);

/**
 * The part of a message with that blob id, from the record of its Email. A range that is no part, or that is encoded
 * otherwise, has none.
 */
const findPart = ({ blobId }: RequestedBlob, { bodyStructure, blobId: messageBlob }: EmailRecord): BodyPart | undefined =>
  leavesOf(bodyStructure).find((part) => partBlobId(messageBlob, part) === blobId);

/**
 * Downloads a part: a range of its message, decoded. At its first download, a part that is too large for a response is
 * stored decoded.
 */
const downloadPart = async (
  requested: RequestedBlob, { email, key }: { readonly email: EmailRecord; readonly key: string }, connections: DownloadConnections,
): Promise<HttpResponse> => {
  const { objects } = connections;
  const part = findPart(requested, email);
  if (!part) return notFound();
  const decode = async (): Promise<Buffer | undefined> => {
    const object = await objects.get(objectKeys.message(requested.accountId, key), part.range);
    return object && decodeTransferEncoding(object.bytes, part.encoding);
  };
  if (part.size <= maxResponseContent) {
    const content = await decode();
    return content ? contentResponse(content, requested) : notFound();
  }
  const prepared = await prepareDownload(requested.accountId, requested.blobId, decode, connections);
  if ('key' in prepared) return redirectTo(prepared.key, requested, objects);
  return prepared.refusal === 'no-room' ? tooManyPrepared() : notFound();
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
