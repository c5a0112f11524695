import { createHash } from 'node:crypto';
import { discoveryMaxAge, discoveryPaths, isProtectedUrl } from '../../contract/jmap/discovery.ts';
import { errorLogFields } from '../../core/runtime/error-log-fields.ts';
import {
  hasCurrentTag,
  isPreflight,
  plainProblem,
  preflightAnswer,
  problemResponse,
  type HttpRequest,
  type HttpResponse,
} from '../../core/runtime/http/http.ts';
import type { Log } from '../../core/runtime/log.ts';
import { authorize, authorizationPathOf } from './authorize.ts';
import {
  authorizationServer,
  openidConfiguration,
  protectedResource,
  type Deployment,
  type ServerMetadata,
  type ReadProviderMetadata,
} from './discovery-documents.ts';
import { signOut, type SignOutDeployment } from './sign-out.ts';

type DiscoveryDependencies = {
  readonly deployment: Deployment & SignOutDeployment;
  /** The id of the API of the authorization endpoint. Another API would add CORS headers, which this endpoint must not have. */
  readonly authorizationApiId: string;
  readonly readProviderMetadata: ReadProviderMetadata;
  readonly log: Log;
};

type ReadDocument = (dependencies: DiscoveryDependencies) => Promise<ServerMetadata>;

const documents: { readonly [path: string]: ReadDocument } = {
  [discoveryPaths.openidConfiguration]: async ({ readProviderMetadata, deployment }) => openidConfiguration(await readProviderMetadata(), deployment),
  [discoveryPaths.authorizationServer]: async ({ readProviderMetadata, deployment }) => authorizationServer(await readProviderMetadata(), deployment),
  [discoveryPaths.protectedResource]: ({ deployment }) => Promise.resolve(protectedResource(deployment)),
};

/** The metadata of one protected URL, whose path and query follow the path of the document (RFC 9728 §3.1). */
const findResourceDocument = ({ rawPath, rawQueryString }: HttpRequest): ReadDocument | undefined => {
  if (!rawPath.startsWith(`${discoveryPaths.protectedResource}/`)) return undefined;
  const pathAndQuery = rawPath.slice(discoveryPaths.protectedResource.length) + (rawQueryString ? `?${rawQueryString}` : '');
  return isProtectedUrl(pathAndQuery) ? ({ deployment }) => Promise.resolve(protectedResource(deployment, pathAndQuery)) : undefined;
};

const findDocument = (request: HttpRequest): ReadDocument | undefined =>
  Object.hasOwn(documents, request.rawPath) ? documents[request.rawPath] : findResourceDocument(request);

const allow = 'GET, HEAD, OPTIONS';

/** The response with the document and its ETag, or 304 when the client's cached document has the same tag. */
const documentResponse = (document: ServerMetadata, request: HttpRequest): HttpResponse => {
  const body = JSON.stringify(document);
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  const caching = { 'cache-control': `public, max-age=${discoveryMaxAge}`, etag };
  if (hasCurrentTag(request, etag)) return { statusCode: 304, headers: caching };
  return { statusCode: 200, headers: { 'content-type': 'application/json', ...caching }, body };
};

const respond = async (dependencies: DiscoveryDependencies, request: HttpRequest): Promise<HttpResponse> => {
  const isAuthorizationApi = request.requestContext.apiId === dependencies.authorizationApiId;
  const authorizationPath = isAuthorizationApi ? authorizationPathOf(request.rawPath) : undefined;
  const readDocument = isAuthorizationApi ? undefined : findDocument(request);
  const signOutResponse = isAuthorizationApi ? undefined : signOut(dependencies.deployment, request.rawPath);
  if (!readDocument && !authorizationPath && !signOutResponse) return plainProblem(404, 'There is nothing at this path.');
  const { method } = request.requestContext.http;
  if (method === 'OPTIONS') return { statusCode: 204, headers: { allow } };
  if (!allow.split(', ').includes(method)) {
    const what = authorizationPath || signOutResponse ? 'This page is opened' : 'This document is read';
    return problemResponse({ type: 'about:blank', status: 405, detail: `${what} with GET.` }, { allow });
  }
  if (authorizationPath) return authorize(dependencies.deployment, authorizationPath, request.rawQueryString);
  if (signOutResponse) return signOutResponse;
  try {
    return documentResponse(await readDocument!(dependencies), request);
  } catch (failure) {
    dependencies.log.error('the identity provider cannot be read', errorLogFields(failure));
    return problemResponse({ type: 'about:blank', status: 503, detail: 'The identity provider cannot be reached; try again.' }, { 'retry-after': '30' });
  }
};

/**
 * Serves a discovery document, the authorization endpoint, or the sign-out of a browser. The response is 404 for another path, and 405 for a method
 * other than GET and HEAD.
 */
export const discoveryHandler =
  (dependencies: DiscoveryDependencies) =>
  async (request: HttpRequest): Promise<HttpResponse> => {
    if (isPreflight(request)) return preflightAnswer;
    const { body, ...head } = await respond(dependencies, request);
    return request.requestContext.http.method === 'HEAD' || body === undefined ? head : { ...head, body };
  };
