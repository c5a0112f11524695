import { request as plainRequest } from 'node:http';
import { request } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { accessTokenOf, adminMachineToken } from './access-tokens.ts';
import { deployed, describeWith } from './deployment.ts';
import { bearer } from './http-requests.ts';

type Answer = { readonly encoding: string | undefined; readonly octets: Buffer };

/** Sends a request with these encodings, and does not decode the response. */
const send = (url: string, token: string, accepted: string, body?: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = (url.startsWith('https:') ? request : plainRequest)(
      url,
      {
        method: body === undefined ? 'GET' : 'POST',
        headers: { ...bearer(token), 'accept-encoding': accepted, ...(body !== undefined && { 'content-type': 'application/json' }) },
      },
      (response) => {
        buffer(response).then((octets) => resolve({ encoding: response.headers['content-encoding'], octets }), reject);
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });

const decoded = ({ encoding, octets }: Answer): unknown =>
  JSON.parse((encoding === 'br' ? brotliDecompressSync(octets) : encoding === 'gzip' ? gunzipSync(octets) : octets).toString()) as unknown;

describeWith('users', 'adminHeadless')('a large JSON response', () => {
  test('is compressed for a client that accepts it, in JMAP and in the admin API', async () => {
    const [alice, admin] = [await accessTokenOf('alice'), await adminMachineToken()];
    const [session, users] = [`${deployed.jmapUrl}/.well-known/jmap`, `${deployed.adminApiUrl}/users/ListUsers`];
    for (const [url, token, body] of [
      [session, alice],
      [users, admin, '{}'],
    ] as const) {
      const plain = await send(url, token, 'identity', body);
      expect(plain.encoding).toBeUndefined();
      for (const [encoding, accepted] of [
        ['br', 'gzip, deflate, br'],
        ['gzip', 'gzip'],
        [undefined, 'br;q=0, gzip;q=0'],
      ] as const) {
        const answer = await send(url, token, accepted, body);
        expect(answer.encoding).toBe(encoding);
        expect(decoded(answer)).toEqual(decoded(plain));
        if (encoding !== undefined) expect(answer.octets.length).toBeLessThan(plain.octets.length / 1.5);
      }
    }
  });
});
