import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { capability } from '../../../contract/jmap/core.ts';
import type { HttpResponse } from '../../../core/runtime/http/http.ts';
import { jmapDeploymentPerTest } from './jmap-deployment.ts';

const deployment = jmapDeploymentPerTest();

const echo = (text: string, accepted: string | undefined) =>
  deployment.http('POST', '/jmap', {
    headers: { 'content-type': 'application/json', ...(accepted !== undefined && { 'accept-encoding': accepted }) },
    body: JSON.stringify({ using: [capability.core], methodCalls: [['Core/echo', { text }, 'c']] }),
  });

const decoders: { readonly [encoding: string]: (octets: Buffer) => Buffer } = { br: brotliDecompressSync, gzip: gunzipSync };
/** The text of a response, as a client reads it. */
const textOf = ({ body, isBase64Encoded, headers }: HttpResponse): string => {
  if (!isBase64Encoded) return body!;
  return decoders[String(headers?.['content-encoding'])]!(Buffer.from(body!, 'base64')).toString();
};

describe('a JSON response of JMAP', () => {
  test.each([
    ['br', 'gzip, deflate, br, zstd'],
    ['gzip', 'gzip'],
    ['gzip', 'GZIP;q=0.5, br;q=0'],
    [undefined, undefined],
    [undefined, ''],
    [undefined, 'identity'],
    [undefined, 'gzip;q=0, br;q=0.000'],
  ])('is sent with the encoding %s to a client that accepts %j', async (encoding, accepted) => {
    const text = 'Grüße, 世界 '.repeat(2000);
    const response = await echo(text, accepted);
    expect(response.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store', vary: 'accept-encoding' });
    expect(response.headers?.['content-encoding']).toBe(encoding);
    expect(JSON.parse(textOf(response))).toMatchObject({ methodResponses: [['Core/echo', { text }, 'c']] });
    if (encoding !== undefined) expect(response.body!.length).toBeLessThan(text.length / 10);
  });

  test('is sent as it is when it fits into a packet', async () => {
    const response = await echo('short', 'br, gzip');
    expect(response.headers).not.toHaveProperty('content-encoding');
    expect(response.isBase64Encoded).not.toBe(true);
  });
});
