import type { APIGatewayProxyWebsocketEventV2 } from 'aws-lambda';
import { unadvertisedLimits, type Problem } from '../../../contract/jmap/core.ts';
import { isObject, isOfType, type JsonObject } from '../../../contract/jmap/data-type.ts';
import { clientFrameTypes, webSocketLimits, type RequestErrorFrame } from '../../../contract/jmap/web-socket.ts';
import type { WebSocketConnection, WebSocketConnections } from '../../../core/push/web-socket/web-socket-connections.ts';
import { errorLogFields } from '../../../core/runtime/error-log-fields.ts';
import { failureProblem } from '../../../core/runtime/http/http.ts';
import { answerRequest, type JmapDependencies } from '../request/answer-request.ts';
import { parseJsonBody } from '../request/api-request.ts';
import { webSocketMessage } from '../request/api-response.ts';
import { requestProblem, RequestProblem } from '../request/jmap-errors.ts';
import { connectionExpired, connectionGrant, type FrameContext } from './frame-context.ts';
import { frameRateLimit, type CountedFrame } from './frame-rate-limit.ts';
import { disablePush, enablePush } from './push-frames.ts';
import { answerSubscriptionFrame, isSubscriptionFrame } from './subscription-frames.ts';

/** The id by which a client matches the response to its request (RFC 8887 §4.3.2); null when the frame has none. */
const requestIdOf = (frame: JsonObject | undefined): string | null => {
  const id = frame?.['id'];
  return typeof id === 'string' ? id : null;
};

/** The frame of a response (RFC 8887 §4.3.3): the Response object with `@type` and the id of its request. */
const responseFrame = (response: string, requestId: string | null): string =>
  `{"@type":"Response",${requestId === null ? '' : `"requestId":${JSON.stringify(requestId)},`}${response.slice(1)}`;

/**
 * Handles a Request frame (RFC 8887 §4.3.2). RFC 8887 has no way to split a response, so a call whose response does not
 * fit into the message fails with all later calls.
 * @throws RequestProblem when the request fails as a whole.
 */
const answerRequestFrame = async (frame: JsonObject, connection: WebSocketConnection, { jmap }: FrameContext): Promise<string> => {
  if (!isOfType({ orNull: 'String' }, frame['id'] ?? null)) throw requestProblem.notRequest('"id" must be a string.');
  const { '@type': _type, id: _id, ...request } = frame;
  const requestId = requestIdOf(frame);
  const carrier = webSocketMessage(Buffer.byteLength(responseFrame('', requestId)));
  const text = responseFrame(await answerRequest(jmap, connectionGrant(connection), () => request, carrier), requestId);
  if (Buffer.byteLength(text) <= unadvertisedLimits.maxSizeWebSocketMessage) return text;
  throw requestProblem.plain(
    413,
    'The response is larger than a WebSocket message, but the calls were carried out: ask again over HTTP ' +
      'and repeat none that changes something; /changes returns what was changed.',
  );
};

/** The response to API Gateway, which sends the body, if there is one, to the client. */
export type WebSocketMessageResponse = { readonly statusCode: 200; readonly body?: string };

/** Maximum connections that an instance caches. A stored connection never changes. */
const cachedConnections = 1000;

const withConnectionCache = (connections: WebSocketConnections) => {
  const cache = new Map<string, WebSocketConnection>();
  return async (connectionId: string): Promise<WebSocketConnection | undefined> => {
    const connection = cache.get(connectionId) ?? (await connections.find(connectionId));
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
    `You may send ${maxSocketFrames} frames in ${frameWindow} seconds, over all your connections: connect again, and put more calls into one request.`,
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
    case 'Request':
      return answerRequestFrame(frame, connection, context);
    case 'WebSocketPushEnable':
      return enablePush(frame, connection, context);
    case 'WebSocketPushDisable':
      return disablePush(connection, context);
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
const closeWithError = async ({ webSocketSender, jmap }: FrameContext, connectionId: string, text: string): Promise<WebSocketMessageResponse> => {
  try {
    await webSocketSender
      .post(connectionId, text)
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
