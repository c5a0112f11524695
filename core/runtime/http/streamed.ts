import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { downloadLimits, downloadSeconds } from '../../../contract/jmap/blob.ts';
import { asError } from '../../../contract/values/thrown.ts';
import { invoked } from '../invocation.ts';
import type { StreamedResponse } from './http.ts';

/** Octets of a piece, so that also a slow reader takes one within the time of {@link downloadLimits}. */
const pieceOctets = 64 * 1024;

/** Thrown when the reader takes the content too slowly. The stream then has no end, so that the reader sees a broken download. */
class SlowReader extends Error {
  override readonly name = 'SlowReader';
}

async function* piecesOf(content: readonly Buffer[], onNext: () => Promise<void> | undefined): AsyncGenerator<Buffer> {
  for (const buffer of content) {
    for (let start = 0; start < buffer.length; start += pieceOctets) {
      await onNext();
      yield buffer.subarray(start, start + pieceOctets);
    }
  }
  await onNext();
}

/**
 * Writes the content to the end of the stream.
 * @param stall milliseconds in which the reader takes at least one piece.
 * @param whole milliseconds in which it takes everything.
 * @throws SlowReader. The stream is left as it is.
 */
const sendWithin = async (content: readonly Buffer[], stream: Writable, stall: number, whole: number): Promise<void> => {
  const { promise: tooSlow, reject } = Promise.withResolvers<never>();
  const stalled = setTimeout(() => reject(new SlowReader(`The reader took nothing for ${stall / 1000} seconds.`)), stall);
  const late = setTimeout(() => reject(new SlowReader(`The reader took longer than ${Math.round(whole / 1000)} seconds.`)), whole);
  let isCutOff = false;
  const onNext = (): Promise<void> | undefined => {
    // Forever: a reader who wakes up before the stream is destroyed must not get the rest. It is a promise of its own, which holds no others.
    if (isCutOff) return new Promise(() => {});
    stalled.refresh();
    return undefined;
  };
  const sent = pipeline(Readable.from(piecesOf(content, onNext)), stream);
  // When the reader is too slow, nobody waits for the pipeline.
  sent.catch(() => undefined);
  try {
    await Promise.race([sent, tooSlow]);
  } finally {
    isCutOff = true;
    clearTimeout(stalled);
    clearTimeout(late);
  }
};

/** Sends a response to a stream, and cuts it off when the reader is too slow. It is released before the stream is destroyed. */
export const sendResponse = async (
  { body, content = [], endsBy, release }: StreamedResponse,
  stream: Writable,
  stallSeconds: number = downloadLimits.stallSeconds,
): Promise<void> => {
  const whole = endsBy === undefined ? downloadSeconds(0) * 1000 : endsBy - Date.now();
  // The runtime writes the status and the header fields before the first octets, so even an empty response has a piece.
  stream.write(Buffer.from(body ?? ''));
  try {
    await sendWithin(content, stream, stallSeconds * 1000, whole);
    await release?.();
  } catch (error) {
    await release?.();
    // The runtime ends its process for a destroyed stream. Otherwise it would wait until the reader takes the rest.
    stream.destroy(asError(error));
    throw error;
  }
};

/** The handler of a Lambda whose responses API Gateway passes on as a stream, of any length. */
export const streamed = <Event>(serve: (event: Event) => Promise<StreamedResponse>) =>
  awslambda.streamifyResponse<Event>((event, stream, context) =>
    invoked(async () => {
      const { statusCode, headers, ...response } = await serve(event);
      await sendResponse(response, awslambda.HttpResponseStream.from(stream, { statusCode, headers }));
    })(event, context),
  );
