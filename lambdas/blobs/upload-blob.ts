import { coreLimits, problemType } from '../../contract/jmap/core.ts';
import { scopes } from '../../contract/oauth.ts';
import { uploadBlobId, uploadKey } from '../../core/mail/blob-id.ts';
import type { AccessToken } from '../../core/runtime/access-token.ts';
import { bodyBytes, header, json, type HttpRequest, type HttpResponse } from '../../core/runtime/http.ts';
import { forbidden, insufficientScope } from '../../core/runtime/jmap-gate.ts';
import { plainProblem, problemResponse } from '../../core/runtime/problem.ts';
import type { Principal } from '../../core/directory/principal.ts';
import { objectKeys } from '../../core/storage/object-keys.ts';
import type { Objects } from '../../core/storage/objects.ts';
import { isMediaType } from './content-headers.ts';

/** What an upload is judged by and where it goes. */
type Place = { readonly objects: Objects; readonly jmapUrl: string };

/** Why the caller may not upload into the account; undefined when they may. */
const refusal = (accountId: string, token: AccessToken, principal: Principal, jmapUrl: string): HttpResponse | undefined => {
  if (!token.scopes.has(scopes.MAIL_WRITE)) return insufficientScope(jmapUrl, scopes.MAIL_WRITE);
  const membership = principal.memberships.find((candidate) => candidate.accountId === accountId);
  if (!membership) return plainProblem(404, 'There is no such account.');
  if (membership.role !== 'READ') return undefined;
  return forbidden(jmapUrl, 'The account may only be read.');
};

/** The gateway hands a body over as text when its media type looks like text; octets that are not UTF-8 do not survive that. */
const wasDamaged = (request: HttpRequest, content: Buffer): boolean =>
  !request.isBase64Encoded && content.includes('\uFFFD') && Number(header(request, 'content-length') ?? content.length) !== content.length;

/**
 * RFC 8620 §6.1: keeps the body for the account, by the digest of its content, until its folder expires or something is made of it. The same content
 * is the same blob, however often it comes.
 */
export const uploadBlob = async (request: HttpRequest, token: AccessToken, principal: Principal, { objects, jmapUrl }: Place): Promise<HttpResponse> => {
  const accountId = request.pathParameters?.['accountId'] ?? '';
  const refused = refusal(accountId, token, principal, jmapUrl);
  if (refused) return refused;
  const content = bodyBytes(request);
  if (content.length > coreLimits.maxSizeUpload) {
    return problemResponse({ type: problemType.limit, limit: 'maxSizeUpload', status: 413, detail: `An upload has ${coreLimits.maxSizeUpload} octets at most.` });
  }
  if (wasDamaged(request, content)) return plainProblem(400, 'Text that is not UTF-8 has to be uploaded as application/octet-stream.');
  const given = header(request, 'content-type')?.trim() ?? '';
  const type = isMediaType(given) ? given : 'application/octet-stream';
  const key = uploadKey(content);
  await objects.put(objectKeys.upload(accountId, key), content, type);
  return json(201, { accountId, blobId: uploadBlobId(key), type, size: content.length });
};
