import { uploadPath } from '../../contract/jmap/blob.ts';
import type { UploadedOctets } from '../../core/blobs/uploaded-octets.ts';
import { admittedPrincipal } from '../../core/directory/users/admitted-principal.ts';
import type { Principals } from '../../core/directory/users/principals.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { failuresAnswered, plainProblem, type HttpRequest, type HttpResponse } from '../../core/runtime/http/http.ts';
import type { JmapGate } from '../../core/runtime/http/jmap-gate.ts';
import { servedByRestApi, type RestRequest } from '../../core/runtime/http/rest-api.ts';
import type { Log } from '../../core/runtime/log.ts';
import type { Objects } from '../../core/storage/objects.ts';
import { uploadBlob } from './upload-blob.ts';

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
