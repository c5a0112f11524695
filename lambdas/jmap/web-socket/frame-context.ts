import type { WebSocketSender } from '../../../core/aws/api-gateway-web-socket-sender.ts';
import type { WebSocketConnection, WebSocketConnections } from '../../../core/push/web-socket/web-socket-connections.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { getCaller, type JmapDependencies } from '../request/answer-request.ts';
import type { Caller, Grant } from '../request/caller.ts';
import { requestProblem } from '../request/jmap-errors.ts';

/** The dependencies of the handlers of frames, which an instance creates once. */
export type FrameContext = {
  readonly jmap: JmapDependencies;
  readonly connections: WebSocketConnections;
  readonly webSocketSender: WebSocketSender;
  readonly clock: Clock;
};

/** The grant of a connection: the scopes that its token had when the connection was opened. */
export const connectionGrant = (connection: WebSocketConnection): Grant => ({ ...connection, scopes: new Set(connection.scopes) });

/** The caller of a frame. @throws RequestProblem 403, which closes the connection. */
export const getConnectionCaller = (connection: WebSocketConnection, { jmap }: FrameContext): Promise<Caller> => getCaller(jmap, connectionGrant(connection));

/** The error of a frame on a connection that was closed, has expired or was never opened. It closes the connection. */
export const connectionExpired = () => requestProblem.plain(401, 'The access token has ended: connect again with a new one.');
