import { accessTokenParameter, maxConnectionAge, webSocketSubprotocol } from '../../contract/jmap/web-socket.ts';
import { scopes } from '../../contract/oauth.ts';
import { bearerToken, type VerifyAccessToken } from '../../core/runtime/access-token.ts';
import { secondsNow, type Clock } from '../../core/runtime/clock.ts';
import { header, type HttpRequest, type HttpResponse } from '../../core/runtime/http.ts';
import { unknownPrincipal } from '../../core/runtime/jmap-gate.ts';
import { plainProblem } from '../../core/runtime/problem.ts';
import type { WebSocketConnections } from '../../core/push/web-socket-connections.ts';
import type { Principals } from '../../core/directory/principal.ts';

/** What API Gateway tells a $connect route: the handshake is an HTTP request, and has headers and a query as one does. */
export type ConnectionEvent = Pick<HttpRequest, 'headers' | 'queryStringParameters'> & {
  readonly requestContext: { readonly connectionId: string; readonly eventType: string };
};

export type WebSocketPorts = { readonly verify: VerifyAccessToken; readonly principals: Principals; readonly connections: WebSocketConnections; readonly clock: Clock };

/** From the Authorization header, or from the query of a client that can't send one, a browser. */
const tokenIn = (handshake: HttpRequest): string | undefined =>
  bearerToken(header(handshake, 'authorization')) ?? handshake.queryStringParameters?.[accessTokenParameter];

/** The subprotocol is echoed when it was asked for (RFC 8887 §4.1, RFC 6455 §4.2.2): a browser closes the connection otherwise. */
const accepted = (handshake: HttpRequest): HttpResponse => {
  const offered = header(handshake, 'sec-websocket-protocol')?.split(',').map((name) => name.trim()) ?? [];
  return { statusCode: 200, headers: offered.includes(webSocketSubprotocol) ? { 'Sec-WebSocket-Protocol': webSocketSubprotocol } : {} };
};

/** $connect: token → principal → the connection is remembered for as long as the token lasts. */
export const connect = async ({ verify, principals, connections, clock }: WebSocketPorts, event: ConnectionEvent): Promise<HttpResponse> => {
  const handshake = event as HttpRequest & ConnectionEvent;
  const bearer = tokenIn(handshake);
  const token = bearer === undefined ? undefined : await verify(bearer);
  if (!token) return plainProblem(401, 'A valid access token is needed.');
  if (!token.scopes.has(scopes.MAIL_READ)) return plainProblem(403, `The access token lacks ${scopes.MAIL_READ}.`);
  const principal = await principals.find(token);
  if (!principal?.isActive) return unknownPrincipal();
  await connections.put({
    connectionId: event.requestContext.connectionId,
    principalId: token.principalId,
    isMachine: token.isMachine,
    scopes: [...token.scopes],
    expiresAt: Math.min(token.expiresAt, secondsNow(clock) + maxConnectionAge),
  });
  return accepted(handshake);
};

/** $disconnect, which API Gateway may also leave out: the item expires by itself then. */
export const disconnect = async ({ connections }: WebSocketPorts, event: ConnectionEvent): Promise<HttpResponse> => {
  await connections.remove(event.requestContext.connectionId);
  return { statusCode: 200 };
};
