import type { Clock } from '../../../core/runtime/clock.ts';
import type { Sockets } from '../../../core/aws/api-gateway/sockets.ts';
import type { Connection, Connections } from '../../../core/push/connections.ts';
import { findCaller, type Jmap } from '../answer.ts';
import type { Caller, Grant } from '../caller.ts';
import { refusal } from '../protocol/errors.ts';

/** What frames are answered with; wiring makes it once. */
export type FrameTools = { readonly jmap: Jmap; readonly connections: Connections; readonly sockets: Sockets; readonly now: Clock };

/** What the connection's token permitted when it was opened. */
export const grantOf = (connection: Connection): Grant => ({ ...connection, scopes: new Set(connection.scopes) });

/** @throws RequestProblem 403, which ends the connection. */
export const callerOn = (connection: Connection, { jmap }: FrameTools): Promise<Caller> => findCaller(jmap, grantOf(connection));

/** Of a connection that is closed, expired or was never opened; it ends the connection. */
export const connectionEnded = () => refusal.plain(401, 'The access token has ended: connect again with a new one.');
