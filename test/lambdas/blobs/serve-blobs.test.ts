import { coreLimits, unadvertisedLimits } from '../../../contract/jmap/core.ts';
import { emailIdOf, messageBlobId, messageKey } from '../../../core/mail-types/email/blob-id.ts';
import { tombstone } from '../../../core/mail-types/email/email-content.ts';
import type { HttpResponse } from '../../../core/runtime/http/http.ts';
import { blobsDeployment, bytes, type BlobsDeployment } from './blobs-deployment.ts';
import { perTest } from '../../support/per-test.ts';

let { objects, mailTable, log, upload, download, messageOf } = {} as BlobsDeployment;
const deployment = perTest(() => blobsDeployment());
beforeEach(() => {
  ({ objects, mailTable, log, upload, download, messageOf } = deployment);
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
    expect(bytes(await download('alice', { blobId: answer['blobId'] as string }))).toEqual(Buffer.from('Hello'));
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
        expect(bytes(await download('alice', { blobId: blobId as string })).equals(content)).toBe(true);
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

describe('download', () => {
  test('of a message returns its raw octets', async () => {
    const { raw, blobId } = await messageOf([]);
    const response = await download('alice', { blobId, type: 'message/rfc822', name: 'Files.eml' });
    expect(response).toMatchObject({ statusCode: 200, isBase64Encoded: true });
    expect(bytes(response).equals(raw)).toBe(true);
  });
  test('of a part returns its decoded octets', async () => {
    const content = Buffer.from([...Array(256).keys()]);
    const { files, text } = await messageOf([{ filename: 'a.bin', content }, { filename: 'empty.bin', content: Buffer.alloc(0) }]);
    expect(bytes(await download('alice', { blobId: files[0]! })).equals(content)).toBe(true);
    expect(bytes(await download('alice', { blobId: files[1]! }))).toHaveLength(0);
    expect(bytes(await download('alice', { blobId: text })).toString().trimEnd()).toBe('Grüße');
  });
  // @requirement 8620 §6.2 download-type
  // @requirement 8620 §6.2 download-cache
  // @pitfall http download-type
  test('has exactly the requested type, and is an attachment to any browser', async () => {
    const { blobId } = await messageOf([]);
    for (const type of [
      'message/rfc822',
      'text/html; charset=utf-8',
      'application/vnd.oasis.opendocument.text',
      'text/plain;charset="utf-8"',
    ]) {
      expect((await download('alice', { blobId, type })).headers).toMatchObject({
        'content-type': type,
        'content-disposition': expect.stringMatching(/^attachment; /),
        'x-content-type-options': 'nosniff',
        'cache-control': expect.stringMatching(/private.*immutable/),
      });
    }
  });
  test.each([
    'text',
    'text/',
    'text/html\r\nSet-Cookie: a=b',
    'text/html\nx',
    'text/html; a',
    'a/b,c/d',
    'text/ht ml',
    `text/${'x'.repeat(300)}`,
  ])('with the type %j is refused', async (type) => {
    const { blobId } = await messageOf([]);
    expect((await download('alice', { blobId, type })).statusCode).toBe(400);
  });
  test.each([
    ['plain.txt', 'attachment; filename="plain.txt"'],
    ['Grüße "x".txt', 'attachment; filename="Gr__e _x_.txt"; filename*=UTF-8\'\'Gr%C3%BC%C3%9Fe%20%22x%22.txt'],
    ['a\r\nSet-Cookie: b=c', 'attachment; filename="a__Set-Cookie: b=c"'],
    ['../../etc/passwd', 'attachment; filename=".._.._etc_passwd"'],
    ["it's (1)*.txt", 'attachment; filename="it\'s (1)*.txt"'],
    ['100%.txt', 'attachment; filename="100_.txt"; filename*=UTF-8\'\'100%25.txt'],
    ['', 'attachment; filename="download"'],
    ['\uD800', 'attachment; filename="_"; filename*=UTF-8\'\'%EF%BF%BD'],
  ])('with the name %j has the disposition %s', async (name, disposition) => {
    const { blobId } = await messageOf([]);
    expect((await download('alice', { blobId, name })).headers?.['content-disposition']).toBe(disposition);
  });

  // @requirement 8620 §6.2 download-not-found
  test('of any other blob is 404, whether the blob exists or not', async () => {
    const { blobId, key, raw } = await messageOf([]);
    const end = (raw.length + 1).toString(36);
    const theirs = json(await upload('bob', Buffer.from('theirs'), { accountId: 'acc_bob' }))['blobId'] as string;
    for (const query of [
      { blobId: '' },
      { blobId: 'nonsense' },
      { blobId: messageBlobId(messageKey('acc_alice', 'other')) },
      { blobId: `P${key}_0_${end}_i` },
      { blobId: theirs },
      { blobId: theirs, accountId: 'acc_bob' },
      { blobId, accountId: 'acc_bob' },
      { blobId, accountId: '' },
      { blobId: `B${'A'.repeat(22)}`, accountId: '../acc_alice' },
    ])
      expect((await download('alice', query)).statusCode).toBe(404);
    expect((await download('bob', { blobId })).statusCode).toBe(404);
  });

  // @pitfall attack made-up-blob-id
  test('of a range that is not a part of its message is 404, and writes nothing to the bucket', async () => {
    const { raw, key, files, text } = await messageOf([
      { filename: 'a.bin', content: Buffer.alloc(5_000_000) }, { filename: 'b.bin', content: Buffer.from('x') },
    ]);
    const [, , start = '', end = ''] = /^P([\w-]{22})_(\w+)_(\w+)_b$/.exec(files[0]!)!;
    const ranges = [
      `0_${raw.length.toString(36)}_i`, `0_${raw.length.toString(36)}_b`, '0_a_i', '0_0_i', `${start}_${end}_i`, `${start}_${end}_q`, `0${start}_${end}_b`,
      `${start}_${(Number.parseInt(end, 36) - 4).toString(36)}_b`, `${start}_${(Number.parseInt(end, 36) - 1).toString(36)}_i`,
    ];
    for (const range of ranges) {
      const response = await download('alice', { blobId: `P${key}_${range}` });
      expect([range, response.statusCode]).toEqual([range, 404]);
    }
    expect((await download('alice', { blobId: text.replace(/P.{22}/, `P${messageKey('acc_alice', 'other')}`) })).statusCode).toBe(404);
    expect(objects.keys()).toEqual([`messages/acc_alice/${key}`]);
  });

  test('of a part of a destroyed Email is 404', async () => {
    const { key, text } = await messageOf([]);
    await mailTable.write([tombstone('acc_alice', emailIdOf(key), deployment.now())]);
    expect((await download('alice', { blobId: text })).statusCode).toBe(404);
  });

  test('of a part whose message was removed from the bucket is 404', async () => {
    const { text, files } = await messageOf([{ filename: 'a.bin', content: Buffer.alloc(5_000_000) }]);
    await objects.removeSome('messages/acc_alice/');
    for (const blobId of [text, files[0]!]) expect((await download('alice', { blobId })).statusCode).toBe(404);
    expect(objects.keys()).toEqual([]);
  });

  describe('of a blob that is too large for a Lambda response', () => {
    const large = (size: number) => Buffer.alloc(size, 'postrider');
    const { maxPreparedDownloads } = unadvertisedLimits;
    /** Prepares as many decoded parts as an account may have, one each second. @returns their keys. */
    const prepareOthers = async () => {
      const keys = Array.from({ length: maxPreparedDownloads }, (_, index) => `downloads/acc_alice/P${index}`);
      for (const key of keys) {
        await objects.put(key, Buffer.from('x'));
        deployment.later(1);
      }
      await objects.put('downloads/acc_bob/P1', Buffer.from('x'));
      return keys;
    };
    const prepared = () => objects.keys().filter((key) => key.startsWith('downloads/acc_alice/'));

    test('replaces the oldest decoded part when the account has too many', async () => {
      const { files } = await messageOf([{ filename: 'a.bin', content: large(5_000_000) }]);
      const [oldest, ...others] = await prepareOthers();
      deployment.later(3600);
      expect((await download('alice', { blobId: files[0]! })).statusCode).toBe(302);
      expect(prepared()).toHaveLength(maxPreparedDownloads);
      expect(prepared()).toEqual(expect.arrayContaining([...others, `downloads/acc_alice/${files[0]!}`]));
      expect(prepared()).not.toContain(oldest);
      expect(objects.keys()).toContain('downloads/acc_bob/P1');
    });
    test('is refused with 429 while the URLs of as many parts are valid', async () => {
      const { files } = await messageOf([{ filename: 'a.bin', content: large(5_000_000) }]);
      const keys = await prepareOthers();
      const response = await download('alice', { blobId: files[0]! });
      expect(response).toMatchObject({ statusCode: 429, headers: { 'content-type': 'application/problem+json', 'retry-after': '300' } });
      expect(prepared()).toEqual(keys.toSorted());
      deployment.later(300);
      expect((await download('alice', { blobId: files[0]! })).statusCode).toBe(302);
    });

    test('redirects to a signed URL with the requested type and name', async () => {
      const { raw, blobId } = await messageOf([{ filename: 'a.bin', content: large(5_000_000) }]);
      const response = await download('alice', { blobId, type: 'message/rfc822', name: 'Grüße.eml' });
      expect(response).toMatchObject({ statusCode: 302, headers: { 'cache-control': 'no-store' } });
      const answer = await objects.fetch(response.headers?.['location'] as string);
      expect(answer).toMatchObject({
        status: 200,
        type: 'message/rfc822',
        disposition: expect.stringContaining("filename*=UTF-8''Gr%C3%BC%C3%9Fe.eml"),
      });
      expect(answer.bytes.equals(raw)).toBe(true);
    });
    test('stores a decoded part once', async () => {
      const content = large(5_000_000);
      const { files } = await messageOf([{ filename: 'a.bin', content }]);
      const puts: string[] = [];
      const put = objects.put.bind(objects);
      Object.assign(objects, { put: async (key: string, octets: Buffer) => (puts.push(key), put(key, octets)) });
      for (let i = 0; i < 2; i += 1) {
        const response = await download('alice', { blobId: files[0]! });
        expect((await objects.fetch(response.headers?.['location'] as string)).bytes.equals(content)).toBe(true);
      }
      expect(puts).toEqual([`downloads/acc_alice/${files[0]}`]);
    });
    test('does not redirect what fits: the largest response is below six million octets of JSON', async () => {
      for (const [size, status] of [[4_400_000, 200], [4_496_928, 200], [4_496_929, 302]] as const) {
        const { files } = await messageOf([{ filename: 'a.bin', content: large(size) }]);
        const response = await download('alice', { blobId: files[0]! });
        expect(JSON.stringify(response).length).toBeLessThan(6_000_000);
        expect(response.statusCode).toBe(status);
      }
    });
  });
});

describe('the JMAP gate of upload and download', () => {
  test.each([
    [undefined, 401],
    ['wrong', 401],
    ['admin', 403],
    ['gone', 403],
    ['unknown', 403],
  ] as const)('answers a token of %s with %i', async (who, status) => {
    for (const response of [await upload(who, Buffer.alloc(10_000_000)), await download(who, { blobId: 'x' })]) {
      expect(response.statusCode).toBe(status);
      expect(json(response)).toMatchObject({ status });
      expect(response.headers?.['www-authenticate']).toContain(
        'Bearer resource_metadata="https://jmap.example.test/.well-known/oauth-protected-resource"',
      );
    }
  });
});

test('a bucket that does not answer in time is 503 with Retry-After', async () => {
  Object.assign(objects, { size: () => Promise.reject(Object.assign(new Error('no answer'), { name: 'TimeoutError' })) });
  const response = await download('alice', { blobId: `U${'A'.repeat(22)}` });
  expect(response).toMatchObject({ statusCode: 503, headers: { 'retry-after': '5' } });
});

test('an unexpected error is logged without content, and the response does not contain its cause', async () => {
  Object.assign(objects, { size: () => Promise.reject(new Error('secret cause about alice@example.test')) });
  const response = await download('alice', { blobId: `U${'A'.repeat(22)}` });
  expect(response.statusCode).toBe(500);
  expect(response.body).not.toContain('secret');
  expect(JSON.stringify(log.records)).not.toContain('secret');
  expect(log.records).toHaveLength(1);
});
