import { downloadPath } from '../../contract/jmap/blob.ts';
import { admittedPrincipal } from '../../core/directory/users/admitted-principal.ts';
import type { Principals } from '../../core/directory/users/principals.ts';
import { failuresAnswered, plainProblem, type HttpRequest, type StreamedResponse } from '../../core/runtime/http/http.ts';
import type { JmapGate } from '../../core/runtime/http/jmap-gate.ts';
import { servedByRestApi } from '../../core/runtime/http/rest-api.ts';
import type { Log } from '../../core/runtime/log.ts';
import { downloadBlob, type BlobDownloads } from './download-blob.ts';

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
