import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  GoneException,
  LimitExceededException,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import { isTransient } from '../runtime/aws-errors.ts';
import { retryWithBackoff } from '../runtime/backoff.ts';
import { concurrencyLimit } from '../runtime/map-concurrently.ts';
import { namingErrors } from '../runtime/sdk-client.ts';
import { valueOnError } from './provider-errors.ts';

/** Sends to open WebSockets, also from other Lambdas. A fake is in `test/fakes/`. */
export type WebSocketSender = {
  /**
   * Sends a text message of at most 128 KB.
   * @returns 'sent' when API Gateway accepted the message, which does not mean that the client has read it; 'gone' when
   * the socket is closed or never existed; 'silent' when API Gateway did not respond: the message may have been sent.
   * @throws Error when API Gateway refused the message even after retries: it throttles or fails, or the client reads
   * too slowly. The same message may be sent again later.
   */
  post(connectionId: string, text: string): Promise<'sent' | 'gone' | 'silent'>;
  /** Closes the socket. A closed socket is ignored. */
  close(connectionId: string): Promise<void>;
};

/** Maximum concurrent calls, and connections to API Gateway. */
export const maxCalls = 100;

/**
 * Timeouts in milliseconds. Each call uses a separate connection, so that its timeout measures API Gateway's time and
 * not the wait for a connection. The SDK's own retries would repeat calls that timed out.
 */
const clientSettings = {
  maxAttempts: 1,
  requestHandler: {
    connectionTimeout: 2_000,
    requestTimeout: 2_000,
    throwOnRequestTimeout: true,
    httpsAgent: { maxSockets: maxCalls },
    httpAgent: { maxSockets: maxCalls },
  },
};

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError';

/**
 * Retries when API Gateway throttles the API (429), or when its buffer for the client is full. They take at most half a
 * second.
 */
export const retries = {
  attempts: 3,
  firstPause: 150,
  isRetryable: (error: unknown): boolean => (error instanceof LimitExceededException || isTransient(error)) && !isTimeout(error),
};

/** A {@link WebSocketSender} for a stage of an API: `https://{api}.execute-api.{region}.amazonaws.com/{stage}`. */
export const apiGatewayWebSocketSender = (
  managementUrl: string,
  client: Pick<ApiGatewayManagementApiClient, 'send'> = namingErrors(new ApiGatewayManagementApiClient({ ...clientSettings, endpoint: managementUrl })),
): WebSocketSender => {
  const encoder = new TextEncoder();
  const limited = concurrencyLimit(maxCalls);
  /** Makes a call. @returns undefined when the socket is closed or never existed. */
  const call = <T>(send: () => Promise<T>): Promise<T | undefined> =>
    valueOnError(
      GoneException,
      undefined,
      retryWithBackoff(() => limited(send), retries),
    );
  return {
    async post(connectionId, text) {
      try {
        const answer = await call(() => client.send(new PostToConnectionCommand({ ConnectionId: connectionId, Data: encoder.encode(text) })));
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
