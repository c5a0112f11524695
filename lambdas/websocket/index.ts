import { accessTokenVerifier } from '../../core/runtime/access-token.ts';
import { systemClock } from '../../core/runtime/clock.ts';
import { setting } from '../../core/runtime/settings.ts';
import type { HttpResponse } from '../../core/runtime/http.ts';
import { webSocketConnectionsIn } from '../../core/push/web-socket-connections.ts';
import { principalsIn } from '../../core/directory/principals.ts';
import { dynamodbTable } from '../../core/storage/dynamodb-table.ts';
import { connect, disconnect, type ConnectionEvent, type WebSocketPorts } from './connect.ts';

const pushSocket: WebSocketPorts = {
  verify: accessTokenVerifier(),
  principals: principalsIn(dynamodbTable(setting('directoryTable'))),
  connections: webSocketConnectionsIn(dynamodbTable(setting('mailTable'))),
  clock: systemClock,
};

/** WebSocket connections as they open and close. */
export const handler = (event: ConnectionEvent): Promise<HttpResponse> =>
  event.requestContext.eventType === 'CONNECT' ? connect(pushSocket, event) : disconnect(pushSocket, event);
