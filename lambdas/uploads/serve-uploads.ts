import { uploadPath } from '../../contract/jmap/blob.ts';
import { coreLimits, problemType } from '../../contract/jmap/core.ts';
import { scopes } from '../../contract/oauth/oauth.ts';
import { uploadsExceeded, type UploadedOctets, type UploadUse } from '../../core/blobs/uploaded-octets.ts';
import { admittedPrincipal } from '../../core/directory/users/admitted-principal.ts';
import { mayWrite, type Principals, type Principal } from '../../core/directory/users/principals.ts';
import { uploadBlobId, uploadKey } from '../../core/mail/email/blob-id.ts';
import { secondsNow, type Clock } from '../../core/runtime/clock.ts';
import type { AccessToken } from '../../core/runtime/http/access-token.ts';
import { isMediaType } from '../../core/runtime/http/content-headers.ts';
import { failuresAnswered, plainProblem, bodyBytes, header, json, problemResponse, type HttpRequest, type HttpResponse } from '../../core/runtime/http/http.ts';
import { forbidden, insufficientScope, type JmapGate, type Refused } from '../../core/runtime/http/jmap-gate.ts';
import { servedByRestApi, type RestRequest } from '../../core/runtime/http/rest-api.ts';
import type { Log } from '../../core/runtime/log.ts';
import { objectKeys } from '../../core/storage/object-keys.ts';
import type { Objects } from '../../core/storage/objects.ts';

type UploadDependencies = { readonly objects: Objects; readonly uploadedOctets: UploadedOctets; readonly clock: Clock; readonly jmapUrl: string };

const daySeconds = 86_400;

/** The response to a caller who may not upload to the account. Undefined for other callers. */
const refusalOf = (accountId: string, token: AccessToken, principal: Principal, upload: Refused): HttpResponse | undefined => {
  if (!token.scopes.has(scopes.MAIL_WRITE)) return insufficientScope(upload, scopes.MAIL_WRITE);
  const membership = principal.memberships.find((candidate) => candidate.accountId === accountId);
  if (!membership) return plainProblem(404, 'There is no such account.');
  if (mayWrite(membership.role)) return undefined;
  return forbidden(upload, 'The account may only be read.');
};

/** The refusal of an upload above the limit of the day. The condition is temporary (RFC 9110 §15.5.14). */
const tooMuchForToday = (limit: number, clock: Clock): HttpResponse =>
  problemResponse(
    { type: problemType.limit, limit: 'maxSizeUploadsPerDay', status: 413, detail: uploadsExceeded(limit) },
    { 'retry-after': String(daySeconds - (secondsNow(clock) % daySeconds)) },
  );

/**
 * Stores the body as an upload (RFC 8620 §6.1). Its key is the digest of its content. It expires after two days.
 * @param reading the account's use of uploads, which is read while the caller is looked up.
 */
const uploadBlob = async (
  request: HttpRequest,
  token: AccessToken,
  principal: Principal,
  reading: Promise<UploadUse>,
  { objects, uploadedOctets, clock, jmapUrl }: UploadDependencies,
): Promise<HttpResponse> => {
  const accountId = request.pathParameters?.['accountId'] ?? '';
  const refusal = refusalOf(accountId, token, principal, { jmapUrl, request });
  if (refusal) return refusal;
  const content = bodyBytes(request);
  if (content.length > coreLimits.maxSizeUpload) {
    const detail = `An upload has at most ${coreLimits.maxSizeUpload} octets.`;
    return problemResponse({ type: problemType.limit, limit: 'maxSizeUpload', status: 413, detail });
  }
  const { used, limit } = await reading;
  if (used + content.length > limit) return tooMuchForToday(limit, clock);
  const contentType = header(request, 'content-type')?.trim() ?? '';
  const type = isMediaType(contentType) ? contentType : 'application/octet-stream';
  const key = uploadKey(content);
  // Counted at the same time: a race exceeds the limit by the uploads that are under way, and refuses the next ones.
  const [counted, stored] = await Promise.allSettled([
    uploadedOctets.add(accountId, content.length, limit),
    objects.put(objectKeys.upload(accountId, key), content, type),
  ]);
  if (counted.status === 'rejected') throw counted.reason;
  if (!counted.value) return tooMuchForToday(limit, clock);
  if (stored.status === 'rejected') {
    await uploadedOctets.add(accountId, -content.length, limit);
    throw stored.reason;
  }
  return json(200, { accountId, blobId: uploadBlobId(key), type, size: content.length });
};

type UploadsDependencies = {
  readonly gate: JmapGate;
  readonly principals: Principals;
  readonly objects: Objects;
  readonly uploadedOctets: UploadedOctets;
  readonly clock: Clock;
  readonly jmapUrl: string;
  readonly log: Log;
};

/**
 * Serves uploads (RFC 8620 §6.1). The principal is read before the body of the request. A REST API calls it, which
 * passes every body as octets.
 */
export const serveUploads = (dependencies: UploadsDependencies): ((event: RestRequest) => Promise<HttpResponse>) =>
  servedByRestApi(
    uploadPath,
    failuresAnswered(dependencies.log, (request: HttpRequest) => upload(request, dependencies)),
  );

const upload = async (request: HttpRequest, dependencies: UploadsDependencies): Promise<HttpResponse> => {
  const { gate, principals, uploadedOctets, jmapUrl } = dependencies;
  const { token, refusal } = await gate(request);
  if (!token) return refusal;
  if (request.routeKey !== `POST ${uploadPath}/{accountId}`) return plainProblem(404, 'There is nothing here.');
  const reading = uploadedOctets.read(request.pathParameters?.['accountId'] ?? '');
  // A failure is reported when the upload needs the value.
  reading.catch(() => undefined);
  const admitted = await admittedPrincipal(token, principals, { jmapUrl, request });
  return admitted.principal ? uploadBlob(request, token, admitted.principal, reading, dependencies) : admitted.refusal;
};
