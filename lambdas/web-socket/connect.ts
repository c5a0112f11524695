import { accessTokenParameter, maxConnectionAge, webSocketSubprotocol } from '../../contract/jmap/web-socket.ts';
import { scopes } from '../../contract/oauth/oauth.ts';
import { isRevoked, type Principals } from '../../core/directory/users/principals.ts';
import type { SocketListenerReference } from '../../core/push/listeners/socket-listener.ts';
import { closeExcessSockets } from '../../core/push/web-socket/socket-limit.ts';
import type { SocketDependencies } from '../../core/push/web-socket/socket-notification.ts';
import { removeWebSocketConnection, type WebSocketConnections } from '../../core/push/web-socket/web-socket-connections.ts';
import { secondsNow, type Clock } from '../../core/runtime/clock.ts';
import { errorLogFields } from '../../core/runtime/error-log-fields.ts';
import { bearerToken, missingScope, type VerifyAccessToken } from '../../core/runtime/http/access-token.ts';
import { header, plainProblem, type HttpRequest, type HttpResponse } from '../../core/runtime/http/http.ts';
import { unknownPrincipal } from '../../core/runtime/http/jmap-gate.ts';
import type { Log } from '../../core/runtime/log.ts';

/** The event of the $connect and $disconnect routes. The handshake is an HTTP request, with headers and a query. */
export type ConnectionEvent = Pick<HttpRequest, 'headers' | 'queryStringParameters'> & {
  readonly requestContext: { readonly connectionId: string; readonly eventType: string };
};

export type WebSocketDependencies = {
  readonly verify: VerifyAccessToken;
  readonly principals: Principals;
  readonly connections: WebSocketConnections;
  readonly clock: Clock;
  readonly log: Log;
} & SocketDependencies;

/** The token in the Authorization header, or in the query for a browser, which cannot send the header. */
const findToken = (handshake: HttpRequest): string | undefined =>
  bearerToken(header(handshake, 'authorization')) ?? handshake.queryStringParameters?.[accessTokenParameter];

/** The response that echoes the client's subprotocol (RFC 8887 §4.1, RFC 6455 §4.2.2), which browsers require. */
const acceptHandshake = (handshake: HttpRequest): HttpResponse => {
  const offered =
    header(handshake, 'sec-websocket-protocol')
      ?.split(',')
      .map((name) => name.trim()) ?? [];
  return { statusCode: 200, headers: offered.includes(webSocketSubprotocol) ? { 'Sec-WebSocket-Protocol': webSocketSubprotocol } : {} };
};

/** Closes the sockets that the new one replaces. @returns the refusal of the new socket if closing fails. */
const enforceSocketLimit = async (dependencies: WebSocketDependencies, opened: SocketListenerReference): Promise<HttpResponse | undefined> => {
  try {
    await closeExcessSockets(dependencies, opened, dependencies.clock);
    return undefined;
  } catch (error) {
    dependencies.log.error('sockets beyond the limit could not be closed; the new one is refused', errorLogFields(error));
    await removeWebSocketConnection(dependencies.mail, opened);
    return plainProblem(503, 'You have too many connections, and the oldest one could not be closed: try again in a moment.');
  }
};

/** Handles $connect: verifies the token, finds the principal, stores the connection, and closes excess connections. */
export const connect = async (dependencies: WebSocketDependencies, event: ConnectionEvent): Promise<HttpResponse> => {
  const { verify, principals, connections, clock } = dependencies;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parts of a request that the handshake has not are not read
  const handshake = event as HttpRequest & ConnectionEvent;
  const bearer = findToken(handshake);
  const token = bearer === undefined ? undefined : await verify(bearer);
  const noValidToken = () => plainProblem(401, 'A valid access token is required.');
  if (!token) return noValidToken();
  if (!token.scopes.has(scopes.MAIL_READ)) return plainProblem(403, `The ${missingScope(scopes.MAIL_READ)}.`);
  const principal = await principals.find(token);
  if (!principal?.isActive) return unknownPrincipal();
  if (isRevoked(token, principal)) return noValidToken();
  const opened = { connectionId: event.requestContext.connectionId, principalId: token.principalId };
  await connections.put({
    ...opened,
    isMachine: token.isMachine,
    scopes: [...token.scopes],
    authenticatedAt: token.authenticatedAt,
    expiresAt: Math.min(token.expiresAt, secondsNow(clock) + maxConnectionAge),
    openedAt: clock().getTime(),
  });
  return (await enforceSocketLimit(dependencies, opened)) ?? acceptHandshake(handshake);
};

/** Handles $disconnect. If API Gateway does not send it, the stored connection expires. */
export const disconnect = async ({ connections }: WebSocketDependencies, event: ConnectionEvent): Promise<HttpResponse> => {
  await connections.remove(event.requestContext.connectionId);
  return { statusCode: 200 };
};
