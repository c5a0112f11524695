import {
  ApiGatewayManagementApiClient, DeleteConnectionCommand, GoneException, LimitExceededException, PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import { isTransient } from '../../runtime/errors.ts';
import { retryWithBackoff } from '../../runtime/concurrency/retry-with-backoff.ts';
import { concurrencyLimit } from '../../runtime/concurrency/map-concurrently.ts';
import { valueOnError } from '../client/provider-errors.ts';
import type { WebSocketSender } from './web-socket-sender.ts';

/** Maximum concurrent calls, and connections to API Gateway. */
export const maxCalls = 100;

/**
 * Times are in milliseconds. Each call has a connection of its own, so that the time-out measures how long API Gateway
 * takes, and not how long the call waited for a connection. The SDK's retries would also repeat a call that timed out.
 */
const clientSettings = {
  maxAttempts: 1,
  requestHandler: {
    connectionTimeout: 2_000, requestTimeout: 2_000, throwOnRequestTimeout: true, httpsAgent: { maxSockets: maxCalls },
    httpAgent: { maxSockets: maxCalls },
  },
};

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError';

/**
 * LimitExceededException (429) means that API Gateway throttles the API, or that its buffer for this client is full.
 * Both pass. Retries take half a second at most: callers try again later.
 */
export const retries = {
  attempts: 3,
  firstPause: 150,
  isRetryable: (error: unknown): boolean => (error instanceof LimitExceededException || isTransient(error)) && !isTimeout(error),
};

/**
 * {@link WebSocketSender} of a WebSocket API.
 * @param managementUrl of the API's stage: `https://{api}.execute-api.{region}.amazonaws.com/{stage}`.
 */
export const apiGatewayWebSocketSender = (
  managementUrl: string,
  client: Pick<ApiGatewayManagementApiClient, 'send'> = new ApiGatewayManagementApiClient({ ...clientSettings, endpoint: managementUrl }),
): WebSocketSender => {
  const encoder = new TextEncoder();
  const limited = concurrencyLimit(maxCalls);
  /** @returns undefined where the socket is closed or never existed. */
  const call = <T>(send: () => Promise<T>): Promise<T | undefined> =>
    valueOnError(GoneException, undefined, retryWithBackoff(() => limited(send), retries));
  return {
    async post(connectionId, text) {
      try {
        const answer = await call(() => client.send(new PostToConnectionCommand({
          ConnectionId: connectionId, Data: encoder.encode(text),
        })));
        return answer ? 'sent' : 'gone';
      } catch (error) {
        if (isTimeout(error)) return 'silent';
        throw error;
      }
    },
    async close(connectionId) {
      await call(() => client.send(new DeleteConnectionCommand({ ConnectionId: connectionId })));
    },
  };
};
