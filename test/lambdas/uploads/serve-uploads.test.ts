import { coreLimits } from '../../../contract/jmap/core.ts';
import type { HttpResponse } from '../../../core/runtime/http/http.ts';
import { blobsDeployment, type BlobsDeployment } from '../../support/blobs-deployment.ts';
import { contentOf } from '../../support/download-request.ts';
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
    expect(answer).toEqual({
      accountId: 'acc_alice',
      blobId: expect.stringMatching(/^U[\w-]{22}$/),
      type: 'text/plain; charset=utf-8',
      size: 5,
    });
    expect(contentOf(await download('alice', { blobId: answer['blobId'] as string }))).toEqual(Buffer.from('Hello'));
  });
  // @requirement 8620 §6 blob-immutable
  test('of the same content has the same blob id', async () => {
    const [one, two] = [
      await upload('alice', Buffer.from('x')),
      await upload('alice', Buffer.from('x'), { headers: { 'content-type': 'text/html' } }),
    ];
    expect(json(one)['blobId']).toBe(json(two)['blobId']);
    expect(json(await upload('alice', Buffer.from('y')))['blobId']).not.toBe(json(one)['blobId']);
  });
  test('without a valid media type is application/octet-stream', async () => {
    expect(json(await upload('alice', Buffer.alloc(0)))).toMatchObject({ type: 'application/octet-stream', size: 0 });
    expect(json(await upload('alice', Buffer.from('x'), { headers: { 'Content-Type': 'nonsense' } }))).toMatchObject({
      type: 'application/octet-stream',
    });
  });
  // @requirement 8620 §6.1 upload-limit
  test('beyond maxSizeUpload is refused with the name of the limit', async () => {
    expect((await upload('alice', Buffer.alloc(coreLimits.maxSizeUpload))).statusCode).toBe(200);
    const refused = await upload('alice', Buffer.alloc(coreLimits.maxSizeUpload + 1));
    expect(refused.statusCode).toBe(413);
    expect(refused.headers?.['content-type']).toBe('application/problem+json');
    expect(json(refused)).toMatchObject({ type: 'urn:ietf:params:jmap:error:limit', limit: 'maxSizeUpload', status: 413 });
  });
  describe('of text, which the gateway passes as text', () => {
    const uploadText = (content: Buffer, length?: number) => upload('alice', content, {
      headers: { 'content-type': 'text/plain', ...(length !== undefined && { 'content-length': String(length) }) }, asText: true,
    });
    const latin1 = Buffer.from('Gr\xfc\xdfe', 'latin1');
    /** The first three octets of an emoji. The gateway replaces them by one U+FFFD, which has three octets too. */
    const cutEmoji = Buffer.from('f09f98', 'hex');

    test.each([['with', 7], ['without', undefined]])('is stored when it is UTF-8, %s a Content-Length', async (_, length) => {
      expect(json(await uploadText(Buffer.from('Grüße'), length))).toMatchObject({ size: 7 });
    });
    test.each<[string, Buffer, number | undefined]>([
      ['octets were replaced', latin1, latin1.length],
      ['octets were replaced and no Content-Length tells', latin1, undefined],
      ['as many octets were replaced as the replacement has', cutEmoji, cutEmoji.length],
      ['it has the replacement character, so that nothing proves it intact', Buffer.from('a\uFFFDb'), 5],
      ['octets are missing', Buffer.from('Hello'), 8],
    ])('is refused when %s', async (_, content, length) => {
      const response = await uploadText(content, length);
      expect(response.statusCode).toBe(400);
      expect(json(response)).toMatchObject({ type: 'about:blank', detail: expect.stringContaining('application/octet-stream') });
      expect(objects.keys()).toEqual([]);
    });
    test('is stored unchanged when its type is application/octet-stream', async () => {
      for (const content of [latin1, cutEmoji, Buffer.from('a\uFFFDb')]) {
        const { blobId } = json(await upload('alice', content, { headers: { 'content-type': 'application/octet-stream' } }));
        expect(contentOf(await download('alice', { blobId: blobId as string })).equals(content)).toBe(true);
      }
    });
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
  jmapGateTests((who) => upload(who, Buffer.alloc(10_000_000)), '"');
});
