import { uploadPath } from '../../contract/jmap/blob.ts';
import type { UploadedOctets } from '../../core/blobs/uploaded-octets.ts';
import { isRevoked, type Principals } from '../../core/directory/users/principals.ts';
import { errorLogFields } from '../../core/runtime/errors.ts';
import { failureResponse, isPreflight, plainProblem, type HttpRequest, type HttpResponse } from '../../core/runtime/http/http.ts';
import { unauthorized, unknownPrincipal, type JmapGate } from '../../core/runtime/http/jmap-gate.ts';
import {
  crossOriginPreflight, fromRestApi, isRestRequest, withCrossOriginHeaders, type RestRequest,
} from '../../core/runtime/http/rest-api.ts';
import type { Log } from '../../core/runtime/log.ts';
import { downloadBlob, type DownloadDependencies } from './download-blob.ts';
import { uploadBlob } from './upload-blob.ts';

type BlobsDependencies = DownloadDependencies & {
  readonly gate: JmapGate;
  readonly principals: Principals;
  readonly uploadedOctets: UploadedOctets;
  readonly jmapUrl: string;
  readonly log: Log;
};

/**
 * Serves upload and download (RFC 8620 §6). The principal is read before the body of the request. Uploads come from a
 * REST API, which passes every body as octets, and from the HTTP API of older sessions.
 */
export const serveBlobs = (dependencies: BlobsDependencies) => async (event: HttpRequest | RestRequest): Promise<HttpResponse> => {
  if (!isRestRequest(event)) return serve(event, dependencies);
  const request = fromRestApi(event, uploadPath);
  return isPreflight(request) ? crossOriginPreflight : withCrossOriginHeaders(await serve(request, dependencies));
};

const serve = async (request: HttpRequest, dependencies: BlobsDependencies): Promise<HttpResponse> => {
  try {
    return await route(request, dependencies);
  } catch (error) {
    dependencies.log.error('a request failed', { route: request.routeKey, ...errorLogFields(error) });
    return failureResponse(error);
  }
};

const route = async (request: HttpRequest, dependencies: BlobsDependencies): Promise<HttpResponse> => {
  const { gate, principals, uploadedOctets, jmapUrl } = dependencies;
  const { token, refusal } = await gate(request);
  if (!token) return refusal;
  const isUpload = request.routeKey === `POST ${uploadPath}/{accountId}`;
  const reading = isUpload ? uploadedOctets.read(request.pathParameters?.['accountId'] ?? '') : undefined;
  // A failure is reported when the upload needs the value.
  reading?.catch(() => undefined);
  const principal = await principals.find(token);
  if (!principal?.isActive) return unknownPrincipal({ jmapUrl, request });
  if (isRevoked(token, principal)) return unauthorized({ jmapUrl, request }, true);
  if (reading) return uploadBlob(request, token, principal, reading, dependencies);
  if (request.routeKey === 'GET /download' || request.routeKey === 'HEAD /download') return downloadBlob(request, principal, dependencies);
  return plainProblem(404, 'There is nothing here.');
};
