import { unadvertisedLimits } from '../../../contract/jmap/core.ts';
import type { ApiRequest, Invocation } from './api-request.ts';

/**
 * Octets of the text as a JSON string in the Lambda's response. A short text, whose escaped form can't exceed the
 * limit, is not counted exactly.
 */
const escapedSize = (text: string): number =>
  text.length * 6 < unadvertisedLimits.maxSizeResponse ? text.length : Buffer.byteLength(JSON.stringify(text));

const tooLarge = (callId: string) => JSON.stringify(['error', {
  type: 'requestTooLarge',
  description: 'The response is larger, or nested more deeply, than this server can send. Request fewer records or properties.',
}, callId]);

/** The response as JSON text; undefined when it is nested too deeply for JSON.stringify. */
const serialize = (response: Invocation): string | undefined => {
  try {
    return JSON.stringify(response);
  } catch (failure) {
    if (failure instanceof RangeError) return undefined;
    throw failure;
  }
};

/**
 * The Response object as JSON text (RFC 8620 §3.4). A method response that no longer fits into the Lambda's response is
 * replaced by the error requestTooLarge; the call's changes remain.
 */
export const serializeApiResponse = (
  responses: readonly Invocation[], createdIds: ApiRequest['createdIds'], sessionState: string,
): string => {
  const end = `],${createdIds ? `"createdIds":${JSON.stringify(createdIds)},` : ''}"sessionState":${JSON.stringify(sessionState)}}`;
  let remaining = unadvertisedLimits.maxSizeResponse - escapedSize(end) - responses.length * 400;
  const texts = responses.map((response) => {
    const text = serialize(response);
    const size = text === undefined ? Infinity : escapedSize(text);
    if (text === undefined || size > remaining) return tooLarge(response[2]);
    remaining -= size;
    return text;
  });
  return `{"methodResponses":[${texts.join(',')}${end}`;
};
