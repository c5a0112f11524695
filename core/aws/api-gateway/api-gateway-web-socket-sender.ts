import {
  ApiGatewayManagementApiClient, DeleteConnectionCommand, GoneException, PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import { valueOnError } from '../provider-errors.ts';
import type { WebSocketSender } from './web-socket-sender.ts';

/** Milliseconds. Shorter than the usual timeouts, so that a client that reads slowly delays its own message only. */
const webSocketTimeouts = {
  maxAttempts: 3,
  requestHandler: {
    connectionTimeout: 800, requestTimeout: 1_000, throwOnRequestTimeout: true, httpsAgent: { maxSockets: 100 },
    httpAgent: { maxSockets: 100 },
  },
};

/** Undefined where the socket is closed or never existed. */
const undefinedIfGone = <T>(call: Promise<T>): Promise<T | undefined> => valueOnError(GoneException, undefined, call);

/**
 * {@link WebSocketSender} of a WebSocket API.
 * @param managementUrl of the API's stage: `https://{api}.execute-api.{region}.amazonaws.com/{stage}`.
 */
export const apiGatewayWebSocketSender = (
  managementUrl: string,
  client: Pick<ApiGatewayManagementApiClient, 'send'> = new ApiGatewayManagementApiClient({
    ...webSocketTimeouts, endpoint: managementUrl,
  }),
): WebSocketSender => {
  const encoder = new TextEncoder();
  return {
    async post(connectionId, text) {
      const answer = await undefinedIfGone(
        client.send(new PostToConnectionCommand({ ConnectionId: connectionId, Data: encoder.encode(text) })),
      );
      return answer ? 'sent' : 'gone';
    },
    async close(connectionId) {
      await undefinedIfGone(client.send(new DeleteConnectionCommand({ ConnectionId: connectionId })));
    },
  };
};
