import { emailIdOf, messageBlobId, messageKey } from '../../../core/mail/email/blob-id.ts';
import { tombstone } from '../../../core/mail/email/email-content.ts';
import type { HttpResponse } from '../../../core/runtime/http/http.ts';
import { contentOf } from '../../support/blob-requests.ts';
import { blobsDeployment, type BlobsDeployment } from '../../support/blobs-deployment.ts';
import { jmapGateTests } from '../../support/jmap-gate-tests.ts';
import { perTest } from '../../support/per-test.ts';
import { roundTripMeter } from '../../support/round-trip-meter.ts';

let { objects, mailTable, log, upload, download, messageOf } = {} as BlobsDeployment;
const deployment = perTest(() => blobsDeployment());
beforeEach(() => {
  ({ objects, mailTable, log, upload, download, messageOf } = deployment);
});

const json = (response: HttpResponse) => JSON.parse(response.body ?? '') as Record<string, unknown>;

describe('download', () => {
  test('of a message returns its raw octets', async () => {
    const { raw, blobId } = await messageOf([]);
    const response = await download('alice', { blobId, type: 'message/rfc822', name: 'Files.eml' });
    expect(response.statusCode).toBe(200);
    expect(contentOf(response).equals(raw)).toBe(true);
  });
  test('of a part returns its decoded octets', async () => {
    const content = Buffer.from([...Array(256).keys()]);
    const { files, text } = await messageOf([
      { filename: 'a.bin', content },
      { filename: 'empty.bin', content: Buffer.alloc(0) },
    ]);
    expect(contentOf(await download('alice', { blobId: files[0]! })).equals(content)).toBe(true);
    expect(contentOf(await download('alice', { blobId: files[1]! }))).toHaveLength(0);
    expect(
      contentOf(await download('alice', { blobId: text }))
        .toString()
        .trimEnd(),
    ).toBe('Grüße');
  });
  // @requirement 8620 §6.2 download-type
  // @requirement 8620 §6.2 download-cache
  // @pitfall http download-type
  test('has exactly the requested type, and is an attachment to any browser', async () => {
    const { blobId } = await messageOf([]);
    for (const type of ['message/rfc822', 'text/html; charset=utf-8', 'application/vnd.oasis.opendocument.text', 'text/plain;charset="utf-8"']) {
      expect((await download('alice', { blobId, type })).headers).toMatchObject({
        'content-type': type,
        'content-disposition': expect.stringMatching(/^attachment; /),
        'x-content-type-options': 'nosniff',
        'cache-control': expect.stringMatching(/private.*immutable/),
      });
    }
  });
  test.each(['text', 'text/', 'text/html\r\nSet-Cookie: a=b', 'text/html\nx', 'text/html; a', 'a/b,c/d', 'text/ht ml', `text/${'x'.repeat(300)}`])(
    'with the type %j is refused',
    async (type) => {
      const { blobId } = await messageOf([]);
      expect((await download('alice', { blobId, type })).statusCode).toBe(400);
    },
  );
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
      { filename: 'a.bin', content: Buffer.alloc(5_000_000) },
      { filename: 'b.bin', content: Buffer.from('x') },
    ]);
    const [, , start = '', end = ''] = /^P([\w-]{22})_(\w+)_(\w+)_b$/.exec(files[0]!)!;
    const ranges = [
      `0_${raw.length.toString(36)}_i`,
      `0_${raw.length.toString(36)}_b`,
      '0_a_i',
      '0_0_i',
      `${start}_${end}_i`,
      `${start}_${end}_q`,
      `0${start}_${end}_b`,
      `${start}_${(Number.parseInt(end, 36) - 4).toString(36)}_b`,
      `${start}_${(Number.parseInt(end, 36) - 1).toString(36)}_i`,
    ];
    for (const range of ranges) {
      const response = await download('alice', { blobId: `P${key}_${range}` });
      expect([range, response.statusCode]).toEqual([range, 404]);
    }
    expect((await download('alice', { blobId: text.replace(/P.{22}/, `P${messageKey('acc_alice', 'other')}`) })).statusCode).toBe(404);
    expect(objects.keys()).toEqual([`messages/acc_alice/${key}`]);
  });

  // @pitfall http large-download
  test('of the largest message and of its part has all octets, and writes nothing to the bucket', async () => {
    const content = Buffer.alloc(29_000_000, 'postrider');
    const { raw, key, blobId, files } = await messageOf([{ filename: 'a.bin', content }]);
    const whole = await download('alice', { blobId, type: 'message/rfc822', name: 'Grüße.eml' });
    expect(whole).toMatchObject({ statusCode: 200, headers: { 'content-type': 'message/rfc822', 'content-length': String(raw.length) } });
    expect(contentOf(whole).equals(raw)).toBe(true);
    const part = await download('alice', { blobId: files[0]! });
    expect(part).toMatchObject({ statusCode: 200, headers: { 'content-length': '29000000' } });
    expect(contentOf(part).equals(content)).toBe(true);
    expect(objects.keys()).toEqual([`messages/acc_alice/${key}`]);
  });

  test('costs two or three trips after that to the directory, and two more for its slot from 1 MB on', async () => {
    const { blobId, files } = await messageOf([
      { filename: 'a.bin', content: Buffer.from('x') },
      { filename: 'b.bin', content: Buffer.alloc(29_000_000) },
    ]);
    const meter = roundTripMeter();
    meter.watch(mailTable);
    meter.watch(objects);
    const tripsOf = async (id: string): Promise<number> => {
      const before = meter.roundTrips.count;
      expect((await download('alice', { blobId: id })).statusCode).toBe(200);
      return meter.roundTrips.count - before;
    };
    expect([await tripsOf(files[0]!), await tripsOf(files[1]!), await tripsOf(blobId)]).toEqual([2, 4, 5]);
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
});

describe('the JMAP gate of downloads', () => {
  jmapGateTests((who) => download(who, { blobId: 'x' }), '/download?accountId=acc_alice&');
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

describe('a web client of another origin', () => {
  test('gets a preflight response that allows Range and If-None-Match', async () => {
    const preflight = await download(undefined, {}, { Origin: 'https://mail.example', 'Access-Control-Request-Method': 'GET' }, 'OPTIONS');
    expect(preflight.statusCode).toBe(204);
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': expect.stringMatching(/authorization.*range/),
    });
  });

  test.each<[string, string | undefined]>([
    ['a success', 'alice'],
    ['a refusal', undefined],
  ])('can read %s', async (_, who) => {
    const { blobId } = await messageOf([]);
    expect((await download(who, { blobId })).headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': expect.stringContaining('content-disposition'),
    });
  });
});
