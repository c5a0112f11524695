import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { ContentEncoding } from '../../../contract/deployment/site.ts';
import { header, type HttpRequest, type HttpResponse } from './http.ts';

/** Whether a request accepts an encoding (RFC 9110 §12.5.3). */
const accepts = (request: HttpRequest, encoding: ContentEncoding): boolean =>
  (header(request, 'accept-encoding') ?? '')
    .toLowerCase()
    .split(',')
    .some((item) => {
      const [name, ...parameters] = item.split(';').map((part) => part.trim());
      return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    });

/** The encodings that a client accepts, those with smaller results first. */
export const acceptedEncodings = (request: HttpRequest): readonly ContentEncoding[] =>
  (['br', 'gzip'] as const).filter((encoding) => accepts(request, encoding));

/**
 * Octets of a body from which it is compressed. A smaller response is one packet in any case. Measured with lists of
 * Emails: 30 KB become 10 KB in 0.07 ms of CPU, 600 KB become 170 KB in 1.1 ms (`br`) or 190 KB in 2.5 ms (`gzip`).
 */
const minSize = 1400;

/** The fastest level of each: the next ones take twice as long for less than a tenth of the octets. */
const compressions: { readonly [Encoding in ContentEncoding]: (body: string) => Buffer } = {
  br: (body) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_SIZE_HINT]: body.length } }),
  gzip: (body) => gzipSync(body, { level: 1 }),
};

/** Compresses a JSON response for a client that accepts it. Other responses stay as they are. API Gateway compresses nothing. */
export const compressed = (request: HttpRequest, response: HttpResponse): HttpResponse => {
  const { body, headers, isBase64Encoded } = response;
  const isJson = /\bjson\b/.test(String(headers?.['content-type']));
  if (body === undefined || isBase64Encoded || body.length < minSize || !isJson) return response;
  const [encoding] = acceptedEncodings(request);
  const varying = { ...headers, vary: 'accept-encoding' };
  if (encoding === undefined) return { ...response, headers: varying };
  return { ...response, headers: { ...varying, 'content-encoding': encoding }, body: compressions[encoding](body).toString('base64'), isBase64Encoded: true };
};
