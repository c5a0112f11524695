import { randomBytes } from 'node:crypto';
import { partBlobId } from '../../../core/mail/email/blob-id.ts';
import { parseMessage } from '../../../core/mime/parse-message.ts';
import type { StreamedResponse } from '../../../core/runtime/http/http.ts';
import { contentOf } from '../../support/blob-requests.ts';
import { blobsDeployment } from '../../support/blobs-deployment.ts';
import { perTest } from '../../support/per-test.ts';

const deployment = perTest(() => blobsDeployment());

const content = Buffer.from('0123456789');
const uploaded = async (octets: Buffer = content): Promise<string> =>
  (JSON.parse((await deployment.upload('alice', octets)).body!) as { blobId: string }).blobId;
/** Uploads a blob of 5 MB, which the bucket stores unchanged. */
const largeUpload = async () => {
  const octets = randomBytes(5_000_000);
  await deployment.objects.put(`uploads/acc_alice/${'L'.repeat(22)}`, octets);
  return { blobId: `U${'L'.repeat(22)}`, octets };
};
const get = (blobId: string, headers: Record<string, string> = {}) => deployment.download('alice', { blobId, type: 'image/png' }, headers);
const text = (response: StreamedResponse) => contentOf(response).toString('latin1');

describe('the entity tag of a download (RFC 9110 §8.8.3)', () => {
  test('is strong, the same at each download, and different for another blob', async () => {
    const [blobId, other] = [await uploaded(), await uploaded(Buffer.from('other'))];
    const { etag } = (await get(blobId)).headers!;
    expect(etag).toMatch(/^"[\w-]+"$/);
    expect((await get(blobId)).headers!['etag']).toBe(etag);
    expect((await get(other)).headers!['etag']).not.toBe(etag);
  });

  test.each<[string, (etag: string) => string, number]>([
    ['it', (etag) => etag, 304],
    ['it among others', (etag) => `"a", ${etag}`, 304],
    ['it as a weak one', (etag) => `W/${etag}`, 304],
    ['*', () => '*', 304],
    ['another one', () => '"a"', 200],
    ['no tag', () => 'a', 200],
  ])('in If-None-Match: %s', async (_, field, status) => {
    const blobId = await uploaded();
    const { etag } = (await get(blobId)).headers!;
    const response = await get(blobId, { 'if-none-match': field(String(etag)) });
    expect(response.statusCode).toBe(status);
    expect(response.headers).toMatchObject({ etag, 'cache-control': 'private, immutable, max-age=31536000' });
    expect(text(response)).toBe(status === 304 ? '' : '0123456789');
  });

  test.each<[string, (etag: string) => string, number]>([
    ['it', (etag) => `"a", ${etag}`, 200],
    ['*', () => '*', 200],
    ['it as a weak one', (etag) => `W/${etag}`, 412],
    ['another one', () => '"a"', 412],
  ])('in If-Match: %s', async (_, field, status) => {
    const blobId = await uploaded();
    const { etag } = (await get(blobId)).headers!;
    expect((await get(blobId, { 'if-match': field(String(etag)) })).statusCode).toBe(status);
  });

  test('of a 304 response needs no read of the content', async () => {
    const { blobId } = await largeUpload();
    Object.assign(deployment.objects, { get: () => Promise.reject(new Error('read')) });
    expect((await get(blobId, { 'if-none-match': `"${blobId}"` })).statusCode).toBe(304);
  });

  test('of a blob that does not exist, or of another account, is 404', async () => {
    const blobId = await uploaded();
    expect((await deployment.download('bob', { blobId }, { 'if-none-match': '*' })).statusCode).toBe(404);
    expect((await get(`U${'A'.repeat(22)}`, { 'if-none-match': '*' })).statusCode).toBe(404);
  });
});

describe('Range of a download (RFC 9110 §14)', () => {
  test('returns one range with the type, the size and the entity tag', async () => {
    const blobId = await uploaded();
    const response = await get(blobId, { range: 'bytes=2-4' });
    expect(response).toMatchObject({
      statusCode: 206,
      headers: { 'content-range': 'bytes 2-4/10', 'content-type': 'image/png', 'accept-ranges': 'bytes', etag: `"${blobId}"` },
    });
    expect(response.headers!['content-disposition']).toMatch(/^attachment/);
    expect(text(response)).toBe('234');
  });

  test('returns several ranges as multipart/byteranges, in the order of the request', async () => {
    const response = await get(await uploaded(), { range: 'bytes=-2, 0-1, 99-' });
    expect(response.statusCode).toBe(206);
    const [, boundary] = /^multipart\/byteranges; boundary=([\w-]+)$/.exec(String(response.headers!['content-type']))!;
    expect(response.headers).not.toHaveProperty('content-range');
    expect(text(response)).toBe(
      [
        `--${boundary}`,
        'Content-Type: image/png',
        'Content-Range: bytes 8-9/10',
        '',
        '89',
        `--${boundary}`,
        'Content-Type: image/png',
        'Content-Range: bytes 0-1/10',
        '',
        '01',
        `--${boundary}--`,
        '',
      ].join('\r\n'),
    );
  });

  test('beyond the end is 416 with the size', async () => {
    const response = await get(await uploaded(), { range: 'bytes=10-' });
    expect(response).toMatchObject({ statusCode: 416, headers: { 'content-range': 'bytes */10', 'content-type': 'application/problem+json' } });
  });

  test.each(['bytes=4-2', 'lines=0-1', 'nonsense'])('%j is ignored', async (range) => {
    const response = await get(await uploaded(), { range });
    expect(response.statusCode).toBe(200);
    expect(text(response)).toBe('0123456789');
  });

  test.each<[string, (etag: string) => string, number]>([
    ['the entity tag', (etag) => etag, 206],
    ['another entity tag', () => '"a"', 200],
    ['the entity tag as a weak one', (etag) => `W/${etag}`, 200],
    ['a date', () => 'Sat, 21 Nov 2026 08:38:00 GMT', 200],
  ])('with If-Range of %s', async (_, field, status) => {
    const blobId = await uploaded();
    expect((await get(blobId, { range: 'bytes=0-1', 'if-range': field(`"${blobId}"`) })).statusCode).toBe(status);
  });

  test('is evaluated after If-None-Match', async () => {
    const blobId = await uploaded();
    expect((await get(blobId, { range: 'bytes=0-1', 'if-none-match': `"${blobId}"` })).statusCode).toBe(304);
  });

  test('of a part is a range of the decoded octets', async () => {
    const octets = randomBytes(1000);
    const { files } = await deployment.messageOf([{ filename: 'a.bin', content: octets }]);
    const one = await get(files[0]!, { range: 'bytes=100-199' });
    expect(one.headers).toMatchObject({ 'content-range': 'bytes 100-199/1000' });
    expect(contentOf(one).equals(octets.subarray(100, 200))).toBe(true);
    expect(text(await get(files[0]!, { range: 'bytes=0-0,999-999' }))).toContain(octets.subarray(999).toString('latin1'));
  });

  test('of a large blob reads nothing else', async () => {
    const { blobId, octets } = await largeUpload();
    const reads: unknown[] = [];
    const read = deployment.objects.get.bind(deployment.objects);
    Object.assign(deployment.objects, { get: async (...args: Parameters<typeof read>) => (reads.push(args[1]), read(...args)) });
    const response = await get(blobId, { range: 'bytes=4000000-' });
    expect(response).toMatchObject({ statusCode: 206, headers: { 'content-range': 'bytes 4000000-4999999/5000000', 'content-length': '1000000' } });
    expect(contentOf(response).equals(octets.subarray(4_000_000))).toBe(true);
    expect(contentOf(await get(blobId, { range: 'bytes=0-9,-10' })).includes(octets.subarray(-10))).toBe(true);
    expect(reads).toEqual([
      { start: 4_000_000, end: 5_000_000 },
      { start: 0, end: 10 },
      { start: 4_999_990, end: 5_000_000 },
    ]);
  });

  test('with several ranges of a part in base64 decodes the part once', async () => {
    const octets = randomBytes(9_000_000);
    const { files } = await deployment.messageOf([{ filename: 'a.bin', content: octets }]);
    const reads: string[] = [];
    const read = deployment.objects.get.bind(deployment.objects);
    Object.assign(deployment.objects, { get: async (...args: Parameters<typeof read>) => (reads.push(args[0]), read(...args)) });
    const response = await get(files[0]!, { range: 'bytes=0-9,8000000-8000009' });
    expect(response.statusCode).toBe(206);
    for (const start of [0, 8_000_000]) expect(contentOf(response).includes(octets.subarray(start, start + 10))).toBe(true);
    expect(reads).toHaveLength(1);
  });
});

describe('a download of a part of an uploaded message', () => {
  test('is served in ranges and by HEAD, and is always 404 with an invented id', async () => {
    const { raw } = await deployment.messageOf([{ filename: 'a.bin', content: Buffer.from('0123456789') }]);
    const blobId = await uploaded(raw);
    const [, attachment] = parseMessage(raw).email.bodyStructure.subParts!;
    const part = partBlobId(blobId, attachment!)!;
    expect(text(await get(part, { range: 'bytes=2-4' }))).toBe('234');
    const head = (id: string) => deployment.download('alice', { blobId: id }, {}, 'HEAD');
    expect(await head(part)).toMatchObject({ statusCode: 200, headers: { 'content-length': '10' } });
    const madeUp = part.replace(/_a$/, '_b');
    const responses = await Promise.all([
      get(madeUp),
      head(madeUp),
      get(madeUp, { 'if-none-match': `"${madeUp}"` }),
      get(madeUp, { range: 'bytes=0-1' }),
      get(madeUp, { range: 'bytes=99999999-' }),
    ]);
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404, 404, 404]);
  });
});

describe('HEAD of a download', () => {
  test('has the header fields of a GET and the size, without content and without a read of it', async () => {
    const { blobId } = await largeUpload();
    Object.assign(deployment.objects, { get: () => Promise.reject(new Error('read')) });
    const response = await deployment.download('alice', { blobId, type: 'image/png', name: 'a.png' }, { range: 'bytes=0-1' }, 'HEAD');
    expect(response).toEqual({
      statusCode: 200,
      headers: {
        'access-control-allow-origin': '*',
        'access-control-expose-headers': expect.stringContaining('content-range'),
        'content-type': 'image/png',
        'content-disposition': 'attachment; filename="a.png"',
        'content-length': '5000000',
        'accept-ranges': 'bytes',
        etag: `"${blobId}"`,
        'cache-control': 'private, immutable, max-age=31536000',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'",
      },
    });
  });

  test('responds with 304, 404 and 401 like a GET', async () => {
    const blobId = await uploaded();
    const head = (who: string, headers = {}) => deployment.download(who, { blobId }, headers, 'HEAD');
    expect((await head('alice', { 'if-none-match': `"${blobId}"` })).statusCode).toBe(304);
    expect((await head('bob')).statusCode).toBe(404);
    expect((await head('wrong')).statusCode).toBe(401);
  });
});
