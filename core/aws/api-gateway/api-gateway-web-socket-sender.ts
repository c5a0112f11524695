import {
  ApiGatewayManagementApiClient, DeleteConnectionCommand, GoneException, PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import type { WebSocketSender } from './web-socket-sender.ts';

/**
 * Milliseconds; a client that reads slowly can hold up its own post only, and not for long. Tries follow each other
 * within a fraction of a second.
 */
const patience = {
  maxAttempts: 3,
  requestHandler: {
    connectionTimeout: 800, requestTimeout: 1_000, throwOnRequestTimeout: true, httpsAgent: { maxSockets: 100 },
    httpAgent: { maxSockets: 100 },
  },
};

/** What a call answers, or undefined when API Gateway says that there is no such socket. */
const unlessGone = async <T>(call: Promise<T>): Promise<T | undefined> => {
  try {
    return await call;
  } catch (error) {
    if (error instanceof GoneException) return undefined;
    throw error;
  }
};

/**
 * {@link WebSocketSender} of an API of API Gateway.
 * @param managementUrl the stage's, `https://{api}.execute-api.{region}.amazonaws.com/{stage}`.
 */
export const apiGatewayWebSocketSender = (
  managementUrl: string,
  client: Pick<ApiGatewayManagementApiClient, 'send'> = new ApiGatewayManagementApiClient({ ...patience, endpoint: managementUrl }),
): WebSocketSender => {
  const encoder = new TextEncoder();
  return {
    async post(connectionId, text) {
      const answer = await unlessGone(client.send(new PostToConnectionCommand({ ConnectionId: connectionId, Data: encoder.encode(text) })));
      return answer ? 'sent' : 'gone';
    },
    async close(connectionId) {
      await unlessGone(client.send(new DeleteConnectionCommand({ ConnectionId: connectionId })));
    },
  };
};
