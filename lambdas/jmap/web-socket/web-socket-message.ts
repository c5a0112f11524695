import type { APIGatewayProxyWebsocketEventV2 } from 'aws-lambda';
import type { Problem } from '../../../contract/jmap/core.ts';
import { isObject, type JsonObject } from '../../../contract/jmap/data-type.ts';
import { clientFrameTypes, webSocketLimits, type RequestErrorFrame } from '../../../contract/jmap/web-socket.ts';
import { errorLogFields } from '../../../core/runtime/errors.ts';
import { failureProblem } from '../../../core/runtime/http/http.ts';
import type { WebSocketConnection, WebSocketConnections } from '../../../core/push/web-socket/web-socket-connections.ts';
import type { JmapDependencies } from '../request/answer-request.ts';
import { requestProblem, RequestProblem } from '../request/jmap-errors.ts';
import { parseJsonBody } from '../request/api-request.ts';
import { connectionExpired, type FrameContext } from './frame-context.ts';
import { frameRateLimit, type CountedFrame } from './frame-rate-limit.ts';
import { disablePush, enablePush } from './push-frames.ts';
import { answerRequestFrame, requestIdOf } from './request-frame.ts';
import { answerSubscriptionFrame, isSubscriptionFrame } from './subscription-frames.ts';

/** The response to API Gateway, which sends the body, if there is one, to the client. */
export type WebSocketMessageResponse = { readonly statusCode: 200; readonly body?: string };

/** Maximum connections that an instance caches. A stored connection never changes. */
const cachedConnections = 1000;

const withConnectionCache = (connections: WebSocketConnections) => {
  const cache = new Map<string, WebSocketConnection>();
  return async (connectionId: string): Promise<WebSocketConnection | undefined> => {
    const connection = cache.get(connectionId) ?? await connections.find(connectionId);
    if (connection) cache.set(connectionId, connection);
    if (cache.size > cachedConnections) cache.delete(cache.keys().next().value!);
    return connection;
  };
};

const requestError = (problem: Problem, requestId: string | null): string =>
  JSON.stringify({ '@type': 'RequestError', requestId, ...problem } satisfies RequestErrorFrame);

const tooManyFrames = () => {
  const { maxSocketFrames, frameWindow } = webSocketLimits;
  return requestProblem.limit(
    'maxSocketFrames',
    `You may send ${maxSocketFrames} frames in ${frameWindow} seconds, over all your connections: `
      + 'connect again, and put more calls into one request.',
  );
};

const decodeFrame = (event: APIGatewayProxyWebsocketEventV2): JsonObject => {
  if (event.isBase64Encoded) throw requestProblem.notJSON('Frames are text.');
  const frame = parseJsonBody('application/json', Buffer.from(event.body ?? ''));
  if (!isObject(frame)) throw requestProblem.notRequest('A frame is a JSON object.');
  return frame;
};

const answerFrame = (frame: JsonObject, connection: WebSocketConnection, context: FrameContext): Promise<string> => {
  switch (frame['@type']) {
    case 'Request': return answerRequestFrame(frame, connection, context);
    case 'WebSocketPushEnable': return enablePush(frame, connection, context);
    case 'WebSocketPushDisable': return disablePush(connection, context);
    default:
      if (isSubscriptionFrame(frame)) return answerSubscriptionFrame(frame, connection, context);
      throw requestProblem.notRequest(`"@type" must be one of ${clientFrameTypes.join(', ')}.`);
  }
};

const toProblem = (failure: unknown, { log }: JmapDependencies): Problem => {
  if (failure instanceof RequestProblem) return failure.problem;
  log.error('WebSocket message failed', errorLogFields(failure));
  return failureProblem(failure);
};

/**
 * Remembers connections that were closed because of their frames. Later frames of these connections get no response.
 */
const closedConnections = () => {
  const ended = new Set<string>();
  return {
    has: (connectionId: string): boolean => ended.has(connectionId),
    add(connectionId: string): void {
      ended.add(connectionId);
      if (ended.size > cachedConnections) ended.delete(ended.keys().next().value!);
    },
  };
};

/** Whether the problem closes the connection, because a client cannot solve it on the same connection. */
const closesConnection = ({ status, limit }: Problem): boolean => status === 401 || status === 403 || limit === 'maxSocketFrames';

/** Sends the error, then closes the connection. If closing fails, the error is the response. */
const closeWithError = async (
  { webSocketSender, jmap }: FrameContext, connectionId: string, text: string,
): Promise<WebSocketMessageResponse> => {
  try {
    await webSocketSender.post(connectionId, text)
      .catch((failure: unknown) => jmap.log.warn('the socket was closed, but its error could not be sent', errorLogFields(failure)));
    await webSocketSender.close(connectionId);
    return { statusCode: 200 };
  } catch (failure) {
    jmap.log.error('socket not closed', errorLogFields(failure));
    return { statusCode: 200, body: text };
  }
};

/**
 * Handles a message (RFC 8887 §4.3): finds the connection, checks the rate limit, and handles the frame. All frames
 * beyond the limit together get one error.
 */
export const webSocketMessageHandler = (context: FrameContext) => {
  const findConnection = withConnectionCache(context.connections);
  const countFrame = frameRateLimit(context.jmap.mailTable, context.clock, context.jmap.log);
  const closed = closedConnections();
  return async (event: APIGatewayProxyWebsocketEventV2): Promise<WebSocketMessageResponse> => {
    const { connectionId } = event.requestContext;
    if (closed.has(connectionId)) return { statusCode: 200 };
    let frame: JsonObject | undefined;
    let counted: CountedFrame | undefined;
    try {
      const connection = await findConnection(connectionId);
      if (!connection || connection.expiresAt * 1000 <= context.clock().getTime()) throw connectionExpired();
      counted = countFrame(connection.principalId);
      if (!counted.isWithinLimit) {
        closed.add(connectionId);
        throw tooManyFrames();
      }
      frame = decodeFrame(event);
      return { statusCode: 200, body: await answerFrame(frame, connection, context) };
    } catch (failure) {
      const problem = toProblem(failure, context.jmap);
      const text = requestError(problem, requestIdOf(frame));
      return closesConnection(problem) ? closeWithError(context, connectionId, text) : { statusCode: 200, body: text };
    } finally {
      await counted?.shared;
    }
  };
};
