import { furtherLimits } from '../../contract/jmap/core.ts';
import { parseBlobId, type BlobReference } from '../../core/mail/blob-id.ts';
import { decodeTransferEncoding } from '../../core/mime/transfer-encoding.ts';
import type { HttpRequest, HttpResponse } from '../../core/runtime/http.ts';
import { plainProblem } from '../../core/runtime/problem.ts';
import type { Principal } from '../../core/directory/principal.ts';
import { objectKeys } from '../../core/storage/object-keys.ts';
import type { Objects } from '../../core/storage/objects.ts';
import { attachmentNamed, isMediaType } from './content-headers.ts';

/** Octets that fit an answer: it carries them in base64, and its own fields. */
const largestAnswer = Math.floor((furtherLimits.maxSizeAnswer - 4096) / 4) * 3;

/** Seconds for which a URL to a larger blob can be followed. */
const signedUrlSeconds = 300;

/** A blob of an account, and how the caller wants to have it. */
type Wanted = { readonly accountId: string; readonly blobId: string; readonly blob: BlobReference; readonly type: string; readonly disposition: string };

const notFound = (): HttpResponse => plainProblem(404, 'There is no such blob in that account.');

/**
 * RFC 8620 §6.2: a message, a part of one, or an upload, with exactly the media type that was asked for. Whatever the caller may not see is not
 * there. What is larger than a Lambda may answer with is fetched from the bucket by a URL that is good for some minutes.
 */
export const downloadBlob = async (request: HttpRequest, principal: Principal, objects: Objects): Promise<HttpResponse> => {
  const { accountId = '', blobId = '', type = '', name = '' } = request.queryStringParameters ?? {};
  const blob = parseBlobId(blobId);
  if (!blob || !principal.memberships.some((membership) => membership.accountId === accountId)) return notFound();
  if (type !== '' && !isMediaType(type)) return plainProblem(400, 'The type is not a media type.');
  const wanted: Wanted = { accountId, blobId, blob, type: type || 'application/octet-stream', disposition: attachmentNamed(name) };
  return (blob.kind === 'part' ? answerPart(wanted, blob, objects) : answerObject(wanted, blob, objects));
};

const answerObject = async (wanted: Wanted, { kind, key }: Exclude<BlobReference, { kind: 'part' }>, objects: Objects): Promise<HttpResponse> => {
  const place = kind === 'message' ? objectKeys.message(wanted.accountId, key) : objectKeys.upload(wanted.accountId, key);
  const size = await objects.size(place);
  if (size === undefined) return notFound();
  if (size > largestAnswer) return elsewhere(place, wanted, objects);
  const found = await objects.get(place);
  return found ? answer(found.bytes, wanted) : notFound();
};

/** A part is a range of its message, decoded. One that is too large for an answer is prepared once, and found prepared from then on. */
const answerPart = async (wanted: Wanted, { key, start, end, encoding }: Extract<BlobReference, { kind: 'part' }>, objects: Objects): Promise<HttpResponse> => {
  const prepared = objectKeys.download(wanted.accountId, wanted.blobId);
  if (end - start > largestAnswer && await objects.size(prepared) !== undefined) return elsewhere(prepared, wanted, objects);
  const found = await objects.get(objectKeys.message(wanted.accountId, key), { start, end });
  if (!found || found.size < end) return notFound();
  const content = decodeTransferEncoding(found.bytes, encoding);
  if (content.length <= largestAnswer) return answer(content, wanted);
  await objects.put(prepared, content);
  return elsewhere(prepared, wanted, objects);
};

/** A blob never changes; but it is the caller's alone, and no browser may take it for anything but a file. */
const answer = (content: Buffer, { type, disposition }: Wanted): HttpResponse => ({
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

const elsewhere = async (key: string, { type, disposition }: Wanted, objects: Objects): Promise<HttpResponse> => ({
  statusCode: 302,
  headers: { location: await objects.signedUrl(key, { type, disposition, seconds: signedUrlSeconds }), 'cache-control': 'no-store' },
});
