import { accessTokenParameter, maxConnectionAge, webSocketSubprotocol } from '../../contract/jmap/web-socket.ts';
import { scopes } from '../../contract/oauth.ts';
import { bearerToken, type VerifyAccessToken } from '../../core/runtime/access-token.ts';
import { secondsNow, type Clock } from '../../core/runtime/clock.ts';
import { header, plainProblem, type HttpRequest, type HttpResponse } from '../../core/runtime/http.ts';
import { unknownPrincipal } from '../../core/runtime/jmap-gate.ts';
import type { WebSocketConnections } from '../../core/push/web-socket-connections.ts';
import { isRevoked, type Principals } from '../../core/directory/principals.ts';

/** The event of the $connect and $disconnect routes. The handshake is an HTTP request, with headers and a query. */
export type ConnectionEvent = Pick<HttpRequest, 'headers' | 'queryStringParameters'> & {
  readonly requestContext: { readonly connectionId: string; readonly eventType: string };
};

export type WebSocketPorts = {
  readonly verify: VerifyAccessToken;
  readonly principals: Principals;
  readonly connections: WebSocketConnections;
  readonly clock: Clock;
};

/** The token of the Authorization header, or of the query for a browser, which cannot send the header. */
const findToken = (handshake: HttpRequest): string | undefined =>
  bearerToken(header(handshake, 'authorization')) ?? handshake.queryStringParameters?.[accessTokenParameter];

/**
 * Echoes the subprotocol if the client offered it (RFC 8887 §4.1, RFC 6455 §4.2.2); otherwise a browser closes the
 * connection.
 */
const acceptHandshake = (handshake: HttpRequest): HttpResponse => {
  const offered = header(handshake, 'sec-websocket-protocol')?.split(',').map((name) => name.trim()) ?? [];
  return { statusCode: 200, headers: offered.includes(webSocketSubprotocol) ? { 'Sec-WebSocket-Protocol': webSocketSubprotocol } : {} };
};

/**
 * Handles $connect: verifies the token, finds the principal, and stores the connection for as long as the token is
 * valid.
 */
export const connect = async (
  { verify, principals, connections, clock }: WebSocketPorts, event: ConnectionEvent,
): Promise<HttpResponse> => {
  const handshake = event as HttpRequest & ConnectionEvent;
  const bearer = findToken(handshake);
  const token = bearer === undefined ? undefined : await verify(bearer);
  const noValidToken = () => plainProblem(401, 'A valid access token is required.');
  if (!token) return noValidToken();
  if (!token.scopes.has(scopes.MAIL_READ)) return plainProblem(403, `The access token lacks ${scopes.MAIL_READ}.`);
  const principal = await principals.find(token);
  if (!principal?.isActive) return unknownPrincipal();
  if (isRevoked(token, principal)) return noValidToken();
  await connections.put({
    connectionId: event.requestContext.connectionId,
    principalId: token.principalId,
    isMachine: token.isMachine,
    scopes: [...token.scopes],
    authenticatedAt: token.authenticatedAt,
    expiresAt: Math.min(token.expiresAt, secondsNow(clock) + maxConnectionAge),
  });
  return acceptHandshake(handshake);
};

/** Handles $disconnect. API Gateway does not always call it; the stored connection then expires. */
export const disconnect = async ({ connections }: WebSocketPorts, event: ConnectionEvent): Promise<HttpResponse> => {
  await connections.remove(event.requestContext.connectionId);
  return { statusCode: 200 };
};
