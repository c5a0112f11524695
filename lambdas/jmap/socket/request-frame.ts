import { furtherLimits } from '../../../contract/jmap/core.ts';
import { fits, type JsonObject } from '../../../contract/jmap/data-type.ts';
import type { Connection } from '../../../core/push/connections.ts';
import { answerRequest } from '../answer.ts';
import { refusal } from '../protocol/errors.ts';
import { grantOf, type FrameTools } from './frame-context.ts';

/** The id by which a client recognises the answer; null when the frame has none. */
export const requestIdOf = (frame: JsonObject | undefined): string | null => {
  const id = frame?.['id'];
  return typeof id === 'string' ? id : null;
};

/** RFC 8887 §4.3.3: the Response object, named and with the request's id. */
const responseFrame = (response: string, requestId: string | null): string =>
  `{"@type":"Response",${requestId === null ? '' : `"requestId":${JSON.stringify(requestId)},`}${response.slice(1)}`;

/**
 * RFC 8887 §4.3.2. An answer that is longer than a message is not cut into several: a client could not put them together.
 * @throws RequestProblem when the request fails as a whole.
 */
export const answerRequestFrame = async (frame: JsonObject, connection: Connection, { jmap }: FrameTools): Promise<string> => {
  if (!fits({ orNull: 'String' }, frame['id'] ?? null)) throw refusal.notRequest('"id" must be a string.');
  const { '@type': _type, id: _id, ...request } = frame;
  const text = responseFrame(await answerRequest(jmap, grantOf(connection), () => request), requestIdOf(frame));
  if (Buffer.byteLength(text) <= furtherLimits.maxSizeWebSocketMessage) return text;
  throw refusal.plain(413, 'The answer is larger than a WebSocket message, but the calls were carried out: ask again over HTTP, and repeat none that changes something; /changes tells what it did.');
};
