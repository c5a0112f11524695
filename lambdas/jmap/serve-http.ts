import { eventSourcePath } from '../../contract/jmap/push.ts';
import { accessTokenParameter } from '../../contract/jmap/web-socket.ts';
import { errorLogFields } from '../../core/runtime/error-log-fields.ts';
import type { AccessToken } from '../../core/runtime/http/access-token.ts';
import { compressed } from '../../core/runtime/http/compression.ts';
import { bodyBytes, failureResponse, header, json, plainProblem, problemResponse, type HttpRequest, type HttpResponse } from '../../core/runtime/http/http.ts';
import { challenge, endedSignIn, type JmapGate } from '../../core/runtime/http/jmap-gate.ts';
import { eventSourceHandler } from './event-source/event-source.ts';
import { answerRequest, getCaller, type JmapDependencies } from './request/answer-request.ts';
import { parseJsonBody } from './request/api-request.ts';
import { RequestProblem } from './request/jmap-errors.ts';
import { sessionResource, sessionWithWebPush } from './request/session-resource.ts';

type RouteHandler = (jmap: JmapDependencies, token: AccessToken, request: HttpRequest) => Promise<HttpResponse>;

/** The VAPID public key. Undefined when there is none, or when it can't be read. */
const applicationServerKey = ({ settings, log }: JmapDependencies): Promise<string | undefined> | undefined =>
  settings.applicationServerKey?.().catch((failure: unknown) => {
    log.error('the VAPID key could not be read', errorLogFields(failure));
    return undefined;
  });

const serveSession: RouteHandler = async (jmap, token) => {
  const [caller, key] = await Promise.all([getCaller(jmap, token), applicationServerKey(jmap)]);
  return json(200, sessionWithWebPush(sessionResource(caller, jmap.settings, jmap.methods), key));
};

const serveApi: RouteHandler = async (jmap, token, request) => ({
  statusCode: 200,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: await answerRequest(jmap, token, () => parseJsonBody(header(request, 'content-type'), bodyBytes(request))),
});

const eventSourceRoute = `GET ${eventSourcePath}`;

/** Creates the routes of an instance, once, because the event source keeps its clients in memory. */
const routesOf = (jmap: JmapDependencies): { readonly [route: string]: RouteHandler } => {
  const answerEventSource = eventSourceHandler(jmap);
  return { 'GET /.well-known/jmap': serveSession, 'POST /jmap': serveApi, [eventSourceRoute]: (_jmap, token, request) => answerEventSource(token, request) };
};

/**
 * Moves the token in the query of the event source, which browsers need, into the Authorization header, unless the
 * request has one.
 */
const withQueryToken = (request: HttpRequest, route: string): HttpRequest => {
  const token = route === eventSourceRoute ? request.queryStringParameters?.[accessTokenParameter] : undefined;
  return token === undefined || header(request, 'authorization') !== undefined
    ? request
    : { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } };
};

const toFailureResponse = (failure: unknown, jmap: JmapDependencies, request: HttpRequest): HttpResponse => {
  const refused = { jmapUrl: jmap.settings.jmapUrl, request };
  if (failure instanceof RequestProblem) {
    if (failure.problem.status === 401) return endedSignIn(refused);
    return problemResponse(failure.problem, failure.problem.status === 403 ? challenge(refused) : {});
  }
  jmap.log.error('a request failed', errorLogFields(failure));
  return failureResponse(failure);
};

/**
 * Handles an HTTP request: verifies the token, then runs the route. The body is read only after the token was verified.
 */
export const jmapHttpHandler = (jmap: JmapDependencies, gate: JmapGate) => {
  const routes = routesOf(jmap);
  return async (given: HttpRequest): Promise<HttpResponse> => {
    try {
      const route = `${given.requestContext.http.method} ${given.rawPath}`;
      const request = withQueryToken(given, route);
      const { token, refusal } = await gate(request);
      if (refusal) return refusal;
      const serve = routes[route];
      return serve ? compressed(request, await serve(jmap, token, request)) : plainProblem(404, 'There is no such resource.');
    } catch (failure) {
      return toFailureResponse(failure, jmap, given);
    }
  };
};
