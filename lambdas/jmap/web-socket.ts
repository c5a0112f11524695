import type { APIGatewayProxyWebsocketEventV2 } from 'aws-lambda';
import type { Problem } from '../../contract/jmap/core.ts';
import { isObject, type JsonObject } from '../../contract/jmap/data-type.ts';
import { clientFrames, socketLimits, type RequestErrorFrame } from '../../contract/jmap/web-socket.ts';
import { errorLogFields } from '../../core/runtime/errors.ts';
import type { Connection, Connections } from '../../core/push/connections.ts';
import type { Jmap } from './answer.ts';
import { refusal, RequestProblem } from './protocol/errors.ts';
import { readJson } from './protocol/request.ts';
import { floodGuard } from './socket/flood.ts';
import { connectionEnded, type FrameTools } from './socket/frame-context.ts';
import { answerOwnFrame, isOwnFrame } from './socket/own-frames.ts';
import { answerDisable, answerEnable } from './socket/push-frames.ts';
import { answerRequestFrame, requestIdOf } from './socket/request-frame.ts';

/** What API Gateway sends back on the connection; without a body the connection is closed already. */
export type SocketAnswer = { readonly statusCode: 200; readonly body?: string };

/** Connections this Lambda has seen: what is stored of one never changes, and API Gateway brings no message of a closed one. */
const remembered = (connections: Connections) => {
  const known = new Map<string, Connection>();
  return async (connectionId: string): Promise<Connection | undefined> => {
    const connection = known.get(connectionId) ?? await connections.find(connectionId);
    if (connection) known.set(connectionId, connection);
    if (known.size > 1000) known.delete(known.keys().next().value!);
    return connection;
  };
};

const requestError = (problem: Problem, requestId: string | null): string =>
  JSON.stringify({ '@type': 'RequestError', requestId, ...problem } satisfies RequestErrorFrame);

const tooManyFrames = () =>
  refusal.limit('maxSocketFrames', `A connection may send ${socketLimits.frames} frames in ${socketLimits.seconds} seconds: connect again, and put more calls into one request.`);

const parseFrame = (event: APIGatewayProxyWebsocketEventV2): JsonObject => {
  if (event.isBase64Encoded) throw refusal.notJSON('Frames are text.');
  const frame = readJson('application/json', Buffer.from(event.body ?? ''));
  if (!isObject(frame)) throw refusal.notRequest('A frame is a JSON object.');
  return frame;
};

const answerFrame = (frame: JsonObject, connection: Connection, tools: FrameTools): Promise<string> => {
  switch (frame['@type']) {
    case 'Request': return answerRequestFrame(frame, connection, tools);
    case 'WebSocketPushEnable': return answerEnable(frame, connection, tools);
    case 'WebSocketPushDisable': return answerDisable(connection, tools);
    default:
      if (isOwnFrame(frame)) return answerOwnFrame(frame, connection, tools);
      throw refusal.notRequest(`"@type" must be one of ${clientFrames.join(', ')}.`);
  }
};

const problemOf = (failure: unknown, { log }: Jmap): Problem => {
  if (failure instanceof RequestProblem) return failure.problem;
  log.error('a message failed', errorLogFields(failure));
  return { type: 'about:blank', status: 500, detail: 'Something went wrong on the server.' };
};

/** Whoever may not call any more, or calls without end, is told so once and no longer listened to. */
const endsConnection = ({ status, limit }: Problem): boolean => status === 401 || status === 403 || limit === 'maxSocketFrames';

/** Tells the client why, and closes. The answer of this call would come after the end; where closing fails it is what the client gets. */
const end = async ({ sockets, jmap }: FrameTools, connectionId: string, text: string): Promise<SocketAnswer> => {
  try {
    await sockets.post(connectionId, text).catch((failure: unknown) => jmap.log.warn('a socket was closed without a word', errorLogFields(failure)));
    await sockets.close(connectionId);
    return { statusCode: 200 };
  } catch (failure) {
    jmap.log.error('a socket could not be closed', errorLogFields(failure));
    return { statusCode: 200, body: text };
  }
};

/** The way of a WebSocket message (RFC 8887 §4.3): rate → connection → frame → answer. Every message is answered with one. */
export const messageAnswerer = (tools: FrameTools) => {
  const findConnection = remembered(tools.connections);
  const guard = floodGuard(tools.now);
  return async (event: APIGatewayProxyWebsocketEventV2): Promise<SocketAnswer> => {
    const { connectionId } = event.requestContext;
    const rate = guard(connectionId);
    if (rate === 'ended') return { statusCode: 200 };
    let frame: JsonObject | undefined;
    try {
      if (rate === 'over') throw tooManyFrames();
      const connection = await findConnection(connectionId);
      if (!connection || connection.expiresAt * 1000 <= tools.now().getTime()) throw connectionEnded();
      frame = parseFrame(event);
      return { statusCode: 200, body: await answerFrame(frame, connection, tools) };
    } catch (failure) {
      const problem = problemOf(failure, tools.jmap);
      const text = requestError(problem, requestIdOf(frame));
      return endsConnection(problem) ? end(tools, connectionId, text) : { statusCode: 200, body: text };
    }
  };
};
