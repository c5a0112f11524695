import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { invoked } from '../invocation.ts';
import type { StreamedResponse } from './http.ts';

/**
 * The handler of a Lambda whose responses API Gateway passes on as a stream, of any length. The runtime writes the
 * status and the header fields before the first octets, so that even an empty response has a piece of content.
 */
export const streamed = <Event>(serve: (event: Event) => Promise<StreamedResponse>) =>
  awslambda.streamifyResponse<Event>((event, stream, context) => invoked(async () => {
    const { statusCode, headers, body, content = [] } = await serve(event);
    const response = awslambda.HttpResponseStream.from(stream, { statusCode, headers });
    await pipeline(Readable.from([Buffer.from(body ?? ''), ...content]), response);
  })(event, context));
