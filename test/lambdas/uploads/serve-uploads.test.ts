import { coreLimits } from '../../../contract/jmap/core.ts';
import type { HttpResponse } from '../../../core/runtime/http/http.ts';
import { contentOf } from '../../support/blob-requests.ts';
import { blobsDeployment, type BlobsDeployment } from '../../support/blobs-deployment.ts';
import { jmapGateTests } from '../../support/jmap-gate-tests.ts';
import { perTest } from '../../support/per-test.ts';

let { objects, upload, download } = {} as BlobsDeployment;
const deployment = perTest(() => blobsDeployment());
beforeEach(() => {
  ({ objects, upload, download } = deployment);
});

const json = (response: HttpResponse) => JSON.parse(response.body ?? '') as Record<string, unknown>;

describe('upload', () => {
  // @requirement 8620 §6.1 upload-response
  // @pitfall client upload-status
  test('responds with the blob id, with which the blob can be downloaded', async () => {
    const response = await upload('alice', Buffer.from('Hello'), { headers: { 'content-type': 'text/plain; charset=utf-8' } });
    expect(response.statusCode).toBe(200);
    const answer = json(response);
    expect(answer).toEqual({ accountId: 'acc_alice', blobId: expect.stringMatching(/^U[\w-]{22}$/), type: 'text/plain; charset=utf-8', size: 5 });
    expect(contentOf(await download('alice', { blobId: answer['blobId'] as string }))).toEqual(Buffer.from('Hello'));
  });
  // @requirement 8620 §6 blob-immutable
  test('of the same content has the same blob id', async () => {
    const [one, two] = [await upload('alice', Buffer.from('x')), await upload('alice', Buffer.from('x'), { headers: { 'content-type': 'text/html' } })];
    expect(json(one)['blobId']).toBe(json(two)['blobId']);
    expect(json(await upload('alice', Buffer.from('y')))['blobId']).not.toBe(json(one)['blobId']);
  });
  test('without a valid media type is application/octet-stream', async () => {
    expect(json(await upload('alice', Buffer.alloc(0)))).toMatchObject({ type: 'application/octet-stream', size: 0 });
    expect(json(await upload('alice', Buffer.from('x'), { headers: { 'Content-Type': 'nonsense' } }))).toMatchObject({ type: 'application/octet-stream' });
  });
  // @requirement 8620 §6.1 upload-limit
  test('beyond maxSizeUpload is refused with the name of the limit', async () => {
    expect((await upload('alice', Buffer.alloc(coreLimits.maxSizeUpload))).statusCode).toBe(200);
    const refused = await upload('alice', Buffer.alloc(coreLimits.maxSizeUpload + 1));
    expect(refused.statusCode).toBe(413);
    expect(refused.headers?.['content-type']).toBe('application/problem+json');
    expect(json(refused)).toMatchObject({ type: 'urn:ietf:params:jmap:error:limit', limit: 'maxSizeUpload', status: 413 });
  });
  test.each<[string, string, Buffer]>([
    ['a CSV in Latin-1', 'text/csv; charset=iso-8859-1', Buffer.from('Stra\xdfe;M\xfcnchen\r\n', 'latin1')],
    ['a text in UTF-16', 'text/plain; charset=utf-16', Buffer.from('\uFEFFGrüße', 'utf16le')],
    ['XML that is not well-formed', 'application/xml', Buffer.from('<a><b>\xff</a>', 'latin1')],
    ['JSON that is not UTF-8', 'application/json', Buffer.from([0x22, 0xc3, 0x28, 0x22])],
    ['a text with the replacement character', 'text/plain', Buffer.from('a\uFFFDb')],
    ['an empty file', 'text/plain', Buffer.alloc(0)],
  ])('keeps the octets of %s', async (_, type, content) => {
    const response = await upload('alice', content, { headers: { 'Content-Type': type } });
    expect(response.statusCode).toBe(200);
    const answer = json(response);
    expect(answer).toMatchObject({ accountId: 'acc_alice', type, size: content.length });
    expect(contentOf(await download('alice', { blobId: answer['blobId'] as string })).equals(content)).toBe(true);
  });
  test('has the same blob id at the API’s own URL and at a custom domain', async () => {
    const [own, custom] = [await upload('alice', Buffer.from('x')), await upload('alice', Buffer.from('x'), { path: '/upload/acc_alice' })];
    expect(json(custom)).toEqual(json(own));
  });
  test('by another method is 404', async () => {
    expect((await upload('alice', Buffer.alloc(0), { method: 'GET' })).statusCode).toBe(404);
  });
  // @requirement 8620 §6.1 upload-authorized
  test('needs the scope MAIL_WRITE and a role that may write to the account', async () => {
    expect((await upload('readOnly', Buffer.from('x'))).headers?.['www-authenticate']).toContain('scope="jmapApi/MAIL_WRITE"');
    expect([
      (await upload('readOnly', Buffer.from('x'))).statusCode,
      (await upload('reader', Buffer.from('x'))).statusCode,
      (await upload('bob', Buffer.from('x'))).statusCode,
    ]).toEqual([403, 403, 404]);
    expect((await upload('reader', Buffer.from('x'))).headers?.['www-authenticate']).toContain('resource_metadata=');
    expect((await upload('alice', Buffer.from('x'), { accountId: 'acc_bob' })).statusCode).toBe(404);
    expect(objects.keys()).toEqual([]);
  });
});

describe('the JMAP gate of uploads', () => {
  describe.each(['/acc_alice', '/upload/acc_alice'])('at the path %s', (path) => {
    jmapGateTests((who) => upload(who, Buffer.alloc(10_000_000), { path }), '/upload/acc_alice"');
  });
});

describe('a web client of another origin', () => {
  test('gets a preflight response that allows what an upload sends', async () => {
    const preflight = await upload(undefined, Buffer.alloc(0), {
      method: 'OPTIONS',
      headers: { Origin: 'https://mail.example', 'Access-Control-Request-Method': 'POST' },
    });
    expect(preflight.statusCode).toBe(204);
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': expect.stringContaining('POST'),
      'access-control-allow-headers': expect.stringMatching(/authorization.*content-type/),
    });
  });

  test.each<[string, string | undefined]>([
    ['a success', 'alice'],
    ['a refusal', undefined],
  ])('can read %s', async (_, who) => {
    const { headers } = await upload(who, Buffer.from('x'), { headers: { Origin: 'https://mail.example' } });
    expect(headers).toMatchObject({ 'access-control-allow-origin': '*', 'access-control-expose-headers': expect.stringContaining('www-authenticate') });
  });
});
