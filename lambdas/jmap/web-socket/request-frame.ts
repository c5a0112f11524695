import { unadvertisedLimits } from '../../../contract/jmap/core.ts';
import { isOfType, type JsonObject } from '../../../contract/jmap/data-type.ts';
import type { WebSocketConnection } from '../../../core/push/web-socket/web-socket-connections.ts';
import { answerRequest } from '../request/answer-request.ts';
import { webSocketMessage } from '../request/api-response.ts';
import { requestProblem } from '../request/jmap-errors.ts';
import { connectionGrant, type FrameContext } from './frame-context.ts';

/** The id by which a client matches the response to its request (RFC 8887 §4.3.2); null when the frame has none. */
export const requestIdOf = (frame: JsonObject | undefined): string | null => {
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
export const answerRequestFrame = async (frame: JsonObject, connection: WebSocketConnection, { jmap }: FrameContext): Promise<string> => {
  if (!isOfType({ orNull: 'String' }, frame['id'] ?? null)) throw requestProblem.notRequest('"id" must be a string.');
  const { '@type': _type, id: _id, ...request } = frame;
  const requestId = requestIdOf(frame);
  const carrier = webSocketMessage(Buffer.byteLength(responseFrame('', requestId)));
  const text = responseFrame(await answerRequest(jmap, connectionGrant(connection), () => request, carrier), requestId);
  if (Buffer.byteLength(text) <= unadvertisedLimits.maxSizeWebSocketMessage) return text;
  throw requestProblem.plain(
    413,
    'The response is larger than a WebSocket message, but the calls were carried out: ask again over HTTP '
      + 'and repeat none that changes something; /changes returns what was changed.',
  );
};
