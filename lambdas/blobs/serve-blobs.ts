import { isRevoked, type Principals } from '../../core/directory/users/principals.ts';
import { errorLogFields } from '../../core/runtime/errors.ts';
import { failureResponse, plainProblem, type HttpRequest, type HttpResponse } from '../../core/runtime/http/http.ts';
import { unauthorized, unknownPrincipal, type JmapGate } from '../../core/runtime/http/jmap-gate.ts';
import type { Log } from '../../core/runtime/log.ts';
import { downloadBlob, type DownloadConnections } from './download-blob.ts';
import { uploadBlob } from './upload-blob.ts';

export type BlobsConnections = DownloadConnections & {
  readonly gate: JmapGate;
  readonly principals: Principals;
  readonly jmapUrl: string;
  readonly log: Log;
};

/**
 * Serves upload and download (RFC 8620 §6). Reads the principal before it reads the request's body. The response to an
 * unexpected error has no details.
 */
export const serveBlobs = (connections: BlobsConnections) => async (request: HttpRequest): Promise<HttpResponse> => {
  try {
    return await route(request, connections);
  } catch (error) {
    connections.log.error('a request failed', { route: request.routeKey, ...errorLogFields(error) });
    return failureResponse(error);
  }
};

const route = async (request: HttpRequest, connections: BlobsConnections): Promise<HttpResponse> => {
  const { gate, principals, jmapUrl } = connections;
  const { token, refusal } = await gate(request);
  if (!token) return refusal;
  const principal = await principals.find(token);
  if (!principal?.isActive) return unknownPrincipal({ jmapUrl, request });
  if (isRevoked(token, principal)) return unauthorized({ jmapUrl, request }, true);
  if (request.routeKey === 'POST /upload/{accountId}') return uploadBlob(request, token, principal, connections);
  if (request.routeKey === 'GET /download' || request.routeKey === 'HEAD /download') return downloadBlob(request, principal, connections);
  return plainProblem(404, 'There is nothing here.');
};
