import { unadvertisedLimits } from '../../../contract/jmap/core.ts';
import type { ApiRequest, Invocation } from './api-request.ts';

/** Octets of text once the gateway's event carries it as a JSON string. Counting is left out where it can't matter: escaping at most doubles. */
const escapedSize = (text: string): number => text.length * 6 < unadvertisedLimits.maxSizeResponse ? text.length : Buffer.byteLength(JSON.stringify(text));

const tooLarge = (callId: string) =>
  JSON.stringify(['error', { type: 'requestTooLarge', description: 'The answer would be larger or deeper than this server can send: ask for fewer records or properties.' }, callId]);

/** The response as text; undefined when it is nested too deeply to be written. */
const serialize = (response: Invocation): string | undefined => {
  try {
    return JSON.stringify(response);
  } catch (failure) {
    if (failure instanceof RangeError) return undefined;
    throw failure;
  }
};

/**
 * The Response object as text (RFC 8620 §3.4). A call whose answer no longer fits what a Lambda may return is answered requestTooLarge; its
 * work, if it had any, is done.
 */
export const serializeApiResponse = (responses: readonly Invocation[], createdIds: ApiRequest['createdIds'], sessionState: string): string => {
  const end = `],${createdIds ? `"createdIds":${JSON.stringify(createdIds)},` : ''}"sessionState":${JSON.stringify(sessionState)}}`;
  let room = unadvertisedLimits.maxSizeResponse - escapedSize(end) - responses.length * 400;
  const texts = responses.map((response) => {
    const text = serialize(response);
    const size = text === undefined ? Infinity : escapedSize(text);
    if (text === undefined || size > room) return tooLarge(response[2]);
    room -= size;
    return text;
  });
  return `{"methodResponses":[${texts.join(',')}${end}`;
};
