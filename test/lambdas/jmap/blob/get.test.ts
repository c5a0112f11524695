import { createHash, randomBytes } from 'node:crypto';
import { capability, unadvertisedLimits } from '../../../../contract/jmap/core.ts';
import { perTest } from '../../../support/per-test.ts';
import { jmapDeploymentPerTest, type Json } from '../jmap-deployment.ts';
import { blobCalls } from './blob-calls.ts';

const deployment = jmapDeploymentPerTest();
const calls = perTest(() => blobCalls(deployment));

const fox = Buffer.from('The quick brown fox jumped over the lazy dog!');
const digest = (algorithm: string, octets: Buffer) => createHash(algorithm).update(octets).digest('base64');

/** Gets one blob of this content. */
const get = async (content: Buffer, args: Json = {}): Promise<Json> => {
  const response = await calls.call('Blob/get', { ids: [await calls.upload(content)], ...args });
  if (response['type']) return response;
  const { id: _, ...blob } = response['list'][0] as Json;
  return blob;
};

describe('Blob/get (RFC 9404 §4.2)', () => {
  // @requirement 9404 §4.2 get-properties
  test('returns data and size by default, and always the id', async () => {
    const blobId = await calls.upload(fox);
    expect(await calls.call('Blob/get', { ids: [blobId, 'not-a-blob', blobId] })).toEqual({
      accountId: 'acc_alice',
      list: [{ id: blobId, 'data:asText': fox.toString(), size: 45 }],
      notFound: ['not-a-blob'],
    });
    expect((await calls.call('Blob/get', { ids: [blobId], properties: [] }))['list']).toEqual([{ id: blobId }]);
    expect((await calls.call('Blob/get', { ids: [blobId], properties: null }))['list'][0]).toMatchObject({ size: 45 });
    expect(await calls.call('Blob/get', { ids: [] })).toEqual({ accountId: 'acc_alice', list: [], notFound: [] });
  });

  // @requirement 9404 §4.2 get-digest
  test('returns a range as text, base64 and digests of the range, and the size of the whole', async () => {
    const range = fox.subarray(4, 13);
    expect(await get(fox, { offset: 4, length: 9, properties: ['data:asText', 'data:asBase64', 'digest:sha', 'digest:sha-256', 'size'] })).toEqual({
      'data:asText': 'quick bro',
      'data:asBase64': range.toString('base64'),
      'digest:sha': digest('sha1', range),
      'digest:sha-256': digest('sha256', range),
      size: 45,
    });
  });

  // @requirement 9404 §4.2 get-range
  test.each<[string, Json, Json]>([
    ['ends behind the end', { offset: 40, length: 9 }, { 'data:asText': ' dog!', isTruncated: true }],
    ['begins behind the end', { offset: 46 }, { 'data:asText': '', isTruncated: true }],
    ['begins behind the end and has a length', { offset: 99, length: 1 }, { 'data:asText': '', isTruncated: true }],
    ['begins at the end', { offset: 45 }, { 'data:asText': '' }],
    ['is empty', { offset: 0, length: 0 }, { 'data:asText': '' }],
    ['ends at the end', { offset: 41, length: 4 }, { 'data:asText': 'dog!' }],
  ])('of a range that %s says isTruncated only when octets are missing', async (_, range, data) => {
    expect(await get(fox, { ...range, properties: ['data', 'size'] })).toEqual({ ...data, size: 45 });
  });

  // @requirement 9404 §4.2 get-encoding-problem
  test('returns octets that are not UTF-8 as base64, with isEncodingProblem', async () => {
    const euro = Buffer.from('€');
    expect(await get(euro, { properties: ['data'] })).toEqual({ 'data:asText': '€' });
    expect(await get(euro, { properties: ['data'], length: 2 })).toEqual({ 'data:asBase64': '4oI=', isEncodingProblem: true });
    expect(await get(euro, { properties: ['data:asText'], offset: 1 })).toEqual({ 'data:asText': null, isEncodingProblem: true });
    expect(await get(euro, { properties: ['data:asBase64'], offset: 1 })).toEqual({ 'data:asBase64': 'gqw=' });
    expect(await get(euro, { properties: ['data', 'data:asText'], offset: 1 })).toEqual({
      'data:asText': null,
      'data:asBase64': 'gqw=',
      isEncodingProblem: true,
    });
  });

  test('returns a byte order mark and NUL unchanged', async () => {
    expect(await get(Buffer.from('\uFEFFa\0b'), { properties: ['data'] })).toEqual({ 'data:asText': '\uFEFFa\0b' });
  });

  test('returns messages and decoded parts', async () => {
    const emailId = await deployment.deliver({
      raw: ['From: a@example.net', 'Content-Type: application/octet-stream', 'Content-Transfer-Encoding: base64', '', 'SGVsbG8sIHdvcmxk', ''].join('\n'),
    });
    const {
      list: [email],
    } = await deployment.call('Email/get', { ids: [emailId], properties: ['blobId', 'bodyStructure', 'size'] });
    const part = email.bodyStructure.blobId as string;
    const { list } = await calls.call('Blob/get', { ids: [email.blobId, part], offset: 0, length: 5, properties: ['data', 'size', 'digest:sha'] });
    expect(list).toEqual([
      { id: email.blobId, 'data:asText': 'From:', size: email.size, 'digest:sha': digest('sha1', Buffer.from('From:')) },
      { id: part, 'data:asText': 'Hello', size: 12, 'digest:sha': digest('sha1', Buffer.from('Hello')) },
    ]);
    await deployment.call('Email/set', { destroy: [emailId] });
    expect(await calls.call('Blob/get', { ids: [email.blobId, part] })).toMatchObject({ list: [], notFound: [email.blobId, part] });
  });

  test('digests a blob that is larger than a chunk, without the blob in memory', async () => {
    const content = randomBytes(17_000_001);
    const blobId = await calls.upload(content);
    const sizes: number[] = [];
    const read = deployment.objects.get.bind(deployment.objects);
    Object.assign(deployment.objects, {
      get: async (...args: Parameters<typeof read>) => {
        const object = await read(...args);
        sizes.push(object!.bytes.length);
        return object;
      },
    });
    const { list } = await calls.call('Blob/get', { ids: [blobId], properties: ['digest:sha-256', 'digest:sha'] });
    expect(list[0]).toEqual({ id: blobId, 'digest:sha-256': digest('sha256', content), 'digest:sha': digest('sha1', content) });
    expect(sizes).toEqual([8_000_000, 8_000_000, 1_000_001]);
    const range = await calls.call('Blob/get', { ids: [blobId], properties: ['digest:sha'], offset: 3, length: 9_000_000 });
    expect(range['list'][0]['digest:sha']).toBe(digest('sha1', content.subarray(3, 9_000_003)));
  });

  test.each(['digest:md5', 'digest:SHA', 'digest:', 'type', 'isTruncated', '__proto__'])('refuses the property %s, with invalidArguments', async (property) => {
    expect(await get(fox, { properties: [property] })).toMatchObject({ type: 'invalidArguments', description: expect.stringContaining(property) });
  });

  test.each<Json>([{ ids: null }, { ids: 'x' }, { ids: ['a b'] }, { ids: [], offset: -1 }, { ids: [], length: '1' }, { ids: [], ifInState: 'x' }])(
    'refuses the arguments %j, with invalidArguments',
    async (args) => {
      expect(await calls.call('Blob/get', args)).toMatchObject({ type: 'invalidArguments' });
    },
  );

  test('needs no MAIL_WRITE, and finds no blob of another account', async () => {
    await deployment.objects.put(`uploads/acc_bob/${'B'.repeat(22)}`, fox);
    const ids = [`U${'B'.repeat(22)}`];
    expect(await calls.call('Blob/get', { ids }, 'reader')).toMatchObject({ list: [], notFound: ids });
    expect(await calls.call('Blob/get', { ids, accountId: 'acc_bob' })).toMatchObject({ type: 'accountNotFound' });
  });

  test('reads nothing when the data can not fit into the response, and never more than maxBlobOctetsInRequest', async () => {
    const blobId = await calls.upload(Buffer.alloc(30_000_000));
    let reads = 0;
    const read = deployment.objects.get.bind(deployment.objects);
    Object.assign(deployment.objects, { get: async (...args: Parameters<typeof read>) => ((reads += 1), read(...args)) });
    for (const property of ['data', 'data:asBase64']) {
      expect(await calls.call('Blob/get', { ids: [blobId], properties: [property] })).toMatchObject({ type: 'requestTooLarge' });
    }
    expect(reads).toBe(0);
    const digests = await calls.request(...Array.from({ length: 5 }, () => ['Blob/get', { ids: [blobId], properties: ['digest:sha'] }] as const));
    expect(digests.map(({ type }) => type)).toEqual([undefined, undefined, undefined, 'requestTooLarge', 'requestTooLarge']);
    expect(digests[4]!['description']).toContain('maxBlobOctetsInRequest');
  });

  test('fails for the blob whose response does not fit, and returns the others', async () => {
    const blobId = await calls.upload(Buffer.alloc(4_000_000, '"'));
    const [tooLarge, fits] = await calls.request(
      ['Blob/get', { ids: [blobId], properties: ['data:asText'] }],
      ['Blob/get', { ids: [blobId], properties: ['data:asBase64'], length: 3_000_000 }],
    );
    expect(tooLarge).toMatchObject({ type: 'requestTooLarge' });
    expect(fits!['list'][0]['data:asBase64']).toHaveLength(4_000_000);
  });

  test('refuses more blobs than maxBlobsInRequest, with requestTooLarge', async () => {
    const ids = Array.from({ length: unadvertisedLimits.maxBlobsInRequest + 1 }, (_, index) => `x${index}`);
    expect(await calls.call('Blob/get', { ids })).toMatchObject({ type: 'requestTooLarge' });
    expect((await calls.call('Blob/get', { ids: ids.slice(1) }))['notFound']).toHaveLength(1000);
  });

  test('a blob that expires while it is read is notFound', async () => {
    const blobId = await calls.upload(fox);
    Object.assign(deployment.objects, { get: async () => undefined });
    for (const properties of [['data'], ['digest:sha']]) {
      expect(await calls.call('Blob/get', { ids: [blobId], properties })).toMatchObject({ list: [], notFound: [blobId] });
    }
  });
});

describe('the blob capability (RFC 9404 §3.1)', () => {
  // @requirement 9404 §3.1 account-capability
  test('is advertised with the limits, types and digests of each account', async () => {
    const session = JSON.parse((await deployment.http('GET', '/.well-known/jmap')).body!) as Json;
    expect(session['capabilities'][capability.blob]).toEqual({});
    expect(session['accounts'].acc_alice.accountCapabilities[capability.blob]).toEqual({
      maxSizeBlobSet: 40_000_000,
      maxDataSources: 256,
      supportedTypeNames: ['Email', 'Thread', 'Mailbox', 'ContactCard'],
      supportedDigestAlgorithms: ['sha-256', 'sha'],
    });
  });
});
