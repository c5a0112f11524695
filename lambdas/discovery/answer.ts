import { createHash } from 'node:crypto';
import { discoveryMaxAge, discoveryPaths } from '../../contract/jmap/discovery.ts';
import { header, isPreflight, preflightAnswer, type HttpRequest, type HttpResponse } from '../../core/runtime/http.ts';
import type { Log } from '../../core/runtime/log.ts';
import { plainProblem, problemResponse } from '../../core/runtime/problem.ts';
import { errorLogFields } from '../../core/runtime/errors.ts';
import { authorizationServer, openidConfiguration, protectedResource, type Deployment, type Metadata } from './documents.ts';
import type { Provider } from './provider.ts';

export type Discovery = { readonly deployment: Deployment; readonly provider: Provider; readonly log: Log };

const documents: { readonly [path: string]: (discovery: Discovery) => Promise<Metadata> } = {
  [discoveryPaths.openidConfiguration]: async ({ provider, deployment }) => openidConfiguration(await provider(), deployment),
  [discoveryPaths.authorizationServer]: async ({ provider, deployment }) => authorizationServer(await provider(), deployment),
  [discoveryPaths.protectedResource]: ({ deployment }) => Promise.resolve(protectedResource(deployment)),
};

const allow = 'GET, HEAD, OPTIONS';

/** RFC 9110 §13.1.2, by weak comparison: a cache in between may have marked our tag so. */
const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.trim() === '*' || (ifNoneMatch ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);

/** The document with its tag, by which a cache asks later whether it still holds; 304 when it does. */
const published = (document: Metadata, request: HttpRequest): HttpResponse => {
  const body = JSON.stringify(document);
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  const caching = { 'cache-control': `public, max-age=${discoveryMaxAge}`, etag };
  if (isKnown(header(request, 'if-none-match'), etag)) return { statusCode: 304, headers: caching };
  return { statusCode: 200, headers: { 'content-type': 'application/json', ...caching }, body };
};

const answer = async (discovery: Discovery, request: HttpRequest): Promise<HttpResponse> => {
  const document = Object.hasOwn(documents, request.rawPath) ? documents[request.rawPath] : undefined;
  if (!document) return plainProblem(404, 'There is nothing here.');
  const { method } = request.requestContext.http;
  if (method === 'OPTIONS') return { statusCode: 204, headers: { allow } };
  if (!allow.split(', ').includes(method)) return problemResponse({ type: 'about:blank', status: 405, detail: 'This document is read with GET.' }, { allow });
  try {
    return published(await document(discovery), request);
  } catch (failure) {
    discovery.log.error('the identity provider can not be read', errorLogFields(failure));
    return problemResponse({ type: 'about:blank', status: 503, detail: 'The identity provider can not be reached; try again.' }, { 'retry-after': '30' });
  }
};

/** A discovery document, open to everybody and kept by caches; 404 for any other path, 405 for a verb that does not read. HEAD is answered as GET, without the body. */
export const discoveryAnswerer = (discovery: Discovery) => async (request: HttpRequest): Promise<HttpResponse> => {
  if (isPreflight(request)) return preflightAnswer;
  const { body, ...head } = await answer(discovery, request);
  return request.requestContext.http.method === 'HEAD' || body === undefined ? head : { ...head, body };
};
