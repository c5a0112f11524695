import { coreLimits } from '../../../contract/jmap/core.ts';
import type { HttpResponse } from '../../../core/runtime/http/http.ts';
import { perTest } from '../../support/per-test.ts';
import { blobsDeployment, type BlobsDeployment } from '../../support/blobs-deployment.ts';
import { contentOf } from '../../support/download-request.ts';

let { objects, uploadByRest, download } = {} as BlobsDeployment;
const deployment = perTest(() => blobsDeployment());
beforeEach(() => {
  ({ objects, uploadByRest, download } = deployment);
});

const json = (response: HttpResponse) => JSON.parse(response.body ?? '') as Record<string, unknown>;

describe('an upload by the REST API', () => {
  test.each<[string, string, Buffer]>([
    ['a CSV in Latin-1', 'text/csv; charset=iso-8859-1', Buffer.from('Stra\xdfe;M\xfcnchen\r\n', 'latin1')],
    ['a text in UTF-16', 'text/plain; charset=utf-16', Buffer.from('\uFEFFGrüße', 'utf16le')],
    ['XML that is not well-formed', 'application/xml', Buffer.from('<a><b>\xff</a>', 'latin1')],
    ['JSON that is not UTF-8', 'application/json', Buffer.from([0x22, 0xc3, 0x28, 0x22])],
    ['a text with the replacement character', 'text/plain', Buffer.from('a\uFFFDb')],
    ['an empty file', 'text/plain', Buffer.alloc(0)],
  ])('keeps the octets of %s', async (_, type, content) => {
    const response = await uploadByRest('alice', content, { headers: { 'Content-Type': type } });
    expect(response.statusCode).toBe(200);
    const answer = json(response);
    expect(answer).toMatchObject({ accountId: 'acc_alice', type, size: content.length });
    expect(contentOf(await download('alice', { blobId: answer['blobId'] as string })).equals(content)).toBe(true);
  });

  test('has the same blob id at the API’s own URL and at a custom domain', async () => {
    const [own, custom] = [
      await uploadByRest('alice', Buffer.from('x')), await uploadByRest('alice', Buffer.from('x'), { path: '/upload/acc_alice' }),
    ];
    expect(json(custom)).toEqual(json(own));
  });

  test('is refused without a token, with a challenge whose metadata name the URL', async () => {
    for (const path of ['/acc_alice', '/upload/acc_alice']) {
      const refused = await uploadByRest(undefined, Buffer.from('x'), { path });
      expect(refused.statusCode).toBe(401);
      expect(refused.headers?.['www-authenticate']).toMatch(/^Bearer resource_metadata="https:\/\/jmap\.example\.test\/\.well-known\//);
    }
    expect(objects.keys()).toEqual([]);
  });

  test.each<[string, string, number]>([
    ['a token that may only read', 'readOnly', 403], ['an account of somebody else', 'bob', 404], ['an account that may only be read', 'reader', 403],
  ])('is refused for %s', async (_, who, status) => {
    expect((await uploadByRest(who, Buffer.from('x'))).statusCode).toBe(status);
    expect(objects.keys()).toEqual([]);
  });

  test('beyond maxSizeUpload is refused with the name of the limit', async () => {
    const refused = await uploadByRest('alice', Buffer.alloc(coreLimits.maxSizeUpload + 1));
    expect(json(refused)).toMatchObject({ type: 'urn:ietf:params:jmap:error:limit', limit: 'maxSizeUpload', status: 413 });
  });

  test('by another method is 404', async () => {
    expect((await uploadByRest('alice', Buffer.alloc(0), { method: 'GET' })).statusCode).toBe(404);
  });
});

describe('a web client of another origin', () => {
  test('gets a preflight response that allows what an upload sends', async () => {
    const preflight = await uploadByRest(undefined, Buffer.alloc(0), {
      method: 'OPTIONS', headers: { 'Origin': 'https://mail.example', 'Access-Control-Request-Method': 'POST' },
    });
    expect(preflight.statusCode).toBe(204);
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': expect.stringContaining('POST'),
      'access-control-allow-headers': expect.stringMatching(/authorization.*content-type/),
    });
  });

  test.each<[string, string | undefined]>([['a success', 'alice'], ['a refusal', undefined]])('can read %s', async (_, who) => {
    const { headers } = await uploadByRest(who, Buffer.from('x'), { headers: { Origin: 'https://mail.example' } });
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*', 'access-control-expose-headers': expect.stringContaining('www-authenticate'),
    });
  });
});
