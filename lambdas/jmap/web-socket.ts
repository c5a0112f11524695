import type { APIGatewayProxyWebsocketEventV2 } from 'aws-lambda';
import { furtherLimits, type Problem } from '../../contract/jmap/core.ts';
import { isObject, type JsonObject } from '../../contract/jmap/data-type.ts';
import { pushFrames, type OwnErrorFrame, type RequestErrorFrame } from '../../contract/jmap/web-socket.ts';
import type { Clock } from '../platform/clock.ts';
import { traceOf } from '../platform/trouble.ts';
import type { Connection, Connections } from '../store/connections.ts';
import { answerRequest, type Jmap } from './answer.ts';
import { refusal, RequestProblem } from './protocol/errors.ts';
import { readJson } from './protocol/request.ts';

/** What API Gateway sends back on the connection. */
export type SocketAnswer = { readonly statusCode: 200; readonly body: string };

type Wiring = { readonly jmap: Jmap; readonly connections: Connections; readonly now: Clock };

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

const requestIdOf = (frame: unknown): string | null => {
  const id = isObject(frame) ? frame['id'] : undefined;
  return typeof id === 'string' ? id : null;
};

const requestError = (problem: Problem, requestId: string | null): string =>
  JSON.stringify({ '@type': 'RequestError', requestId, ...problem } satisfies RequestErrorFrame);

/** The service's own subscription frame is understood and, while there is no push, refused in words. */
const ownError = (subscribe: unknown): string => JSON.stringify({
  error: { id: requestIdOf(subscribe), code: 'unsupported', description: 'This server does not push; ask /changes.' },
} satisfies OwnErrorFrame);

/** RFC 8887 §4.3.2: the Response object, named and with the request's id. */
const responseFrame = (response: string, requestId: string | null): string =>
  `{"@type":"Response",${requestId === null ? '' : `"requestId":${JSON.stringify(requestId)},`}${response.slice(1)}`;

const parseFrame = (event: APIGatewayProxyWebsocketEventV2): JsonObject => {
  if (event.isBase64Encoded) throw refusal.notJSON('Frames are text.');
  const frame = readJson('application/json', Buffer.from(event.body ?? ''));
  if (!isObject(frame)) throw refusal.notRequest('A frame is a JSON object.');
  return frame;
};

const answerFrame = async (frame: JsonObject, connection: Connection, jmap: Jmap): Promise<string> => {
  const type = frame['@type'];
  if (type === 'Request') {
    const { '@type': _type, id: _id, ...request } = frame;
    const text = responseFrame(await answerRequest(jmap, { ...connection, scopes: new Set(connection.scopes) }, () => request), requestIdOf(frame));
    if (Buffer.byteLength(text) <= furtherLimits.maxSizeWebSocketMessage) return text;
    throw refusal.plain(413, 'The answer is larger than a WebSocket message: ask again over HTTP. The calls were carried out.');
  }
  if (type === undefined && 'subscribe' in frame) return ownError(frame['subscribe']);
  if (pushFrames.some((name) => name === type)) throw refusal.plain(501, 'This server does not push: supportsPush is false.');
  throw refusal.notRequest('"@type" must be "Request".');
};

/** The way of a WebSocket message (RFC 8887 §4.3): connection → frame → answer. Every message is answered with one. */
export const messageAnswerer = ({ jmap, connections, now }: Wiring) => {
  const findConnection = remembered(connections);
  return async (event: APIGatewayProxyWebsocketEventV2): Promise<SocketAnswer> => {
    let frame: JsonObject | undefined;
    try {
      const connection = await findConnection(event.requestContext.connectionId);
      if (!connection || connection.expiresAt * 1000 <= now().getTime()) throw refusal.plain(401, 'The access token has ended: connect again with a new one.');
      frame = parseFrame(event);
      return { statusCode: 200, body: await answerFrame(frame, connection, jmap) };
    } catch (failure) {
      if (failure instanceof RequestProblem) return { statusCode: 200, body: requestError(failure.problem, requestIdOf(frame)) };
      jmap.log.error('a message failed', traceOf(failure));
      return { statusCode: 200, body: requestError({ type: 'about:blank', status: 500, detail: 'Something went wrong on the server.' }, requestIdOf(frame)) };
    }
  };
};
