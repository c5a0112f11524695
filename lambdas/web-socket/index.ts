import { apiGatewayWebSocketSender } from '../../core/aws/api-gateway-web-socket-sender.ts';
import { principalsIn } from '../../core/directory/users/principals.ts';
import { webSocketConnectionsIn } from '../../core/push/web-socket/web-socket-connections.ts';
import { systemClock } from '../../core/runtime/clock.ts';
import { accessTokenVerifier } from '../../core/runtime/http/access-token.ts';
import type { HttpResponse } from '../../core/runtime/http/http.ts';
import { invoked } from '../../core/runtime/invocation.ts';
import { setting } from '../../core/runtime/lambda/settings.ts';
import { logFor } from '../../core/runtime/log.ts';
import { dynamodbTable } from '../../core/storage/dynamodb/dynamodb-table.ts';
import { connect, disconnect, type ConnectionEvent, type WebSocketDependencies } from './connect.ts';

const mail = dynamodbTable(setting('mailTable'));
const dependencies: WebSocketDependencies = {
  mail,
  webSocketSender: apiGatewayWebSocketSender(setting('webSocketManagementUrl')),
  verify: accessTokenVerifier(),
  principals: principalsIn(dynamodbTable(setting('directoryTable'))),
  connections: webSocketConnectionsIn(mail),
  clock: systemClock,
  log: logFor('web-socket'),
};

/** Handles the opening and closing of WebSocket connections. */
export const handler = invoked((event: ConnectionEvent): Promise<HttpResponse> =>
  event.requestContext.eventType === 'CONNECT' ? connect(dependencies, event) : disconnect(dependencies, event),
);
