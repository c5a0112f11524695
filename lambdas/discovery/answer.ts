import { discoveryMaxAge, discoveryPaths } from '../../contract/jmap/discovery.ts';
import { isPreflight, json, preflightAnswer, type HttpRequest, type HttpResponse } from '../platform/http.ts';
import type { Log } from '../platform/log.ts';
import { plainProblem, problemResponse } from '../platform/problem.ts';
import { traceOf } from '../platform/trouble.ts';
import { authorizationServer, openidConfiguration, protectedResource, type Deployment, type Metadata } from './documents.ts';
import type { Provider } from './provider.ts';

export type Discovery = { readonly deployment: Deployment; readonly provider: Provider; readonly log: Log };

const documents: { readonly [path: string]: (discovery: Discovery) => Promise<Metadata> } = {
  [discoveryPaths.openidConfiguration]: async ({ provider, deployment }) => openidConfiguration(await provider(), deployment),
  [discoveryPaths.authorizationServer]: async ({ provider, deployment }) => authorizationServer(await provider(), deployment),
  [discoveryPaths.protectedResource]: ({ deployment }) => Promise.resolve(protectedResource(deployment)),
};

const readingVerbs = ['GET', 'HEAD'];

/** A discovery document, open to everybody and kept by caches; 404 for any other path, 405 for a verb that does not read. */
export const discoveryAnswerer = (discovery: Discovery) => async (request: HttpRequest): Promise<HttpResponse> => {
  if (isPreflight(request)) return preflightAnswer;
  const document = Object.hasOwn(documents, request.rawPath) ? documents[request.rawPath] : undefined;
  if (!document) return plainProblem(404, 'There is nothing here.');
  if (!readingVerbs.includes(request.requestContext.http.method)) {
    return problemResponse({ type: 'about:blank', status: 405, detail: 'This document is read with GET.' }, { allow: readingVerbs.join(', ') });
  }
  try {
    return json(200, await document(discovery), { 'cache-control': `public, max-age=${discoveryMaxAge}` });
  } catch (failure) {
    discovery.log.error('the identity provider can not be read', traceOf(failure));
    return problemResponse({ type: 'about:blank', status: 503, detail: 'The identity provider can not be reached; try again.' }, { 'retry-after': '30' });
  }
};
