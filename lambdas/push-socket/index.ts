import { accessTokenVerifier } from '../platform/access-token.ts';
import { systemClock } from '../platform/clock.ts';
import { configured } from '../platform/configuration.ts';
import type { HttpResponse } from '../platform/http.ts';
import { connectionsIn } from '../store/connections.ts';
import { principalsIn } from '../store/directory/principals.ts';
import { dynamodbTable } from '../store/dynamodb-table.ts';
import { connect, disconnect, type ConnectionEvent, type PushSocket } from './connect.ts';

const pushSocket: PushSocket = {
  verify: accessTokenVerifier(),
  principals: principalsIn(dynamodbTable(configured('directoryTable'))),
  connections: connectionsIn(dynamodbTable(configured('mailTable'))),
  now: systemClock,
};

/** WebSocket connections as they open and close. */
export const handler = (event: ConnectionEvent): Promise<HttpResponse> =>
  event.requestContext.eventType === 'CONNECT' ? connect(pushSocket, event) : disconnect(pushSocket, event);
