import { createHash, randomBytes } from 'node:crypto';
import { blobLimits, capability, unadvertisedLimits } from '../../../../contract/jmap/core.ts';
import { perTest } from '../../../support/per-test.ts';
import { jmapDeploymentPerTest, type Json } from '../jmap-deployment.ts';
import { blobCalls } from './blob-calls.ts';

const deployment = jmapDeploymentPerTest();
const calls = perTest(() => blobCalls(deployment));

const contentOf = async (blobId: string): Promise<Buffer | undefined> => (await deployment.objects.get(`uploads/acc_alice/${blobId.slice(1)}`))?.bytes;

describe('Blob/upload (RFC 9404 §4.1)', () => {
  // @requirement 9404 §4.1 upload-sources
  test('creates a blob of texts, base64 and ranges of other blobs, in their order', async () => {
    const [first, second, third] = await calls.request(
      ['Blob/upload', { create: { b4: { data: [{ 'data:asText': 'The quick brown fox jumped over the lazy dog.' }] } } }],
      [
        'Blob/upload',
        {
          create: {
            cat: {
              type: 'text/plain; charset=utf-8',
              data: [
                { 'data:asText': 'How' },
                { blobId: '#b4', length: 7, offset: 3 },
                { 'data:asText': 'was t' },
                { blobId: '#b4', length: 1, offset: 1 },
                { 'data:asBase64': 'YXQ/' },
              ],
            },
          },
        },
      ],
      ['Blob/get', { ids: ['#cat'], properties: ['data:asText', 'size'] }],
    );
    expect(first).toEqual({ accountId: 'acc_alice', created: { b4: { id: expect.stringMatching(/^U[\w-]{22}$/), type: null, size: 45 } }, notCreated: null });
    const { id } = second!['created'].cat;
    expect(second!['created'].cat).toEqual({ id, type: 'text/plain; charset=utf-8', size: 19 });
    expect(third).toEqual({ accountId: 'acc_alice', list: [{ id, 'data:asText': 'How quick was that?', size: 19 }], notFound: [] });
  });

  test('gives the same content the same blob id as an upload over HTTP', async () => {
    const { id } = await calls.create({ 'data:asText': 'Grüße' });
    expect(id).toBe(`U${createHash('sha256').update('Grüße').digest('base64url').slice(0, 22)}`);
    expect((await calls.create({ 'data:asBase64': Buffer.from('Grüße').toString('base64') }))['id']).toBe(id);
    expect(await contentOf(id as string)).toEqual(Buffer.from('Grüße'));
  });

  test('creates an empty blob of no data sources', async () => {
    expect(await calls.create()).toMatchObject({ size: 0 });
  });

  test('accepts ranges up to the end of a blob, including empty ones, and null for omitted values', async () => {
    const blobId = await calls.upload(Buffer.from('0123456789'));
    for (const [range, content] of [
      [{}, '0123456789'],
      [{ offset: 7 }, '789'],
      [{ offset: 7, length: 3 }, '789'],
      [{ length: 2 }, '01'],
      [{ offset: 10 }, ''],
      [{ offset: 3, length: 0 }, ''],
      [{ offset: null, length: null, 'data:asText': null, 'data:asBase64': null }, '0123456789'],
    ] as const) {
      expect(String(await contentOf((await calls.create({ blobId, ...range }))['id'] as string))).toBe(content);
    }
  });

  test.each<[string, Json]>([
    ['a range that begins behind the end', { offset: 11 }],
    ['a range that ends behind the end', { offset: 8, length: 3 }],
    ['a length behind the end', { length: 11 }],
    ['a negative offset', { offset: -1 }],
    ['an offset that is a text', { offset: '1' }],
    ['a length with a fraction', { length: 1.5 }],
    ['a property that does not exist', { offest: 1 }],
    ['data besides the blob', { 'data:asText': 'x' }],
  ])('refuses %s of a blob, with invalidProperties', async (_, range) => {
    const blobId = await calls.upload(Buffer.from('0123456789'));
    await expect(calls.create({ blobId, ...range })).rejects.toMatchObject({ type: 'invalidProperties', properties: ['data'] });
  });

  // @requirement 9404 §4.1 upload-bad-source
  test.each<[string, unknown]>([
    ['no object', 'text'],
    ['an empty object', {}],
    ['only nulls', { 'data:asText': null, blobId: null }],
    ['two kinds of data', { 'data:asText': 'x', 'data:asBase64': 'eA==' }],
    ['a text that is a number', { 'data:asText': 5 }],
    ['a text with an unpaired surrogate', { 'data:asText': 'a\uD800b' }],
    ['a range of data', { 'data:asText': 'x', offset: 0 }],
    ['base64 without padding', { 'data:asBase64': 'eA' }],
    ['base64 with line breaks', { 'data:asBase64': 'eHh4\neHh4' }],
    ['base64 with another alphabet', { 'data:asBase64': '-_-_' }],
    ['base64 with unused bits', { 'data:asBase64': 'eB==' }],
    ['base64 with nonsense', { 'data:asBase64': '!!not base64!!' }],
    ['a blob id that is no Id', { blobId: 'a b' }],
  ])('refuses a data source with %s, with invalidProperties', async (_, source) => {
    await expect(calls.create(source)).rejects.toMatchObject({ type: 'invalidProperties', properties: ['data'] });
    expect(deployment.objects.keys()).toEqual([]);
  });

  test.each<[string, Json, string[]]>([
    ['without data', {}, ['data']],
    ['with data that is no list', { data: { 'data:asText': 'x' } }, ['data']],
    ['with a type that is no media type', { data: [], type: 'text' }, ['type']],
    ['with a property that does not exist', { data: [], name: 'x' }, ['name']],
  ])('refuses a blob %s, with invalidProperties', async (_, blob, properties) => {
    const response = await calls.call('Blob/upload', { create: { bad: blob, good: { data: [] } } });
    expect(response['notCreated']).toEqual({ bad: { type: 'invalidProperties', description: expect.any(String), properties } });
    expect(Object.keys(response['created'] as Json)).toEqual(['good']);
  });

  test('refuses a blob that does not exist, expired, or is of another account, with blobNotFound', async () => {
    await deployment.objects.put(`uploads/acc_bob/${'B'.repeat(22)}`, Buffer.from('x'));
    for (const blobId of ['nothing', `U${'A'.repeat(22)}`, `U${'B'.repeat(22)}`, `B${'A'.repeat(22)}`, '#nothing']) {
      await expect(calls.create({ blobId })).rejects.toMatchObject({ type: 'blobNotFound', message: expect.stringContaining(blobId) });
    }
  });

  test('decodes a part of a message, and uses the message itself unchanged', async () => {
    const emailId = await deployment.deliver({
      raw: ['From: a@example.net', 'Content-Type: application/octet-stream', 'Content-Transfer-Encoding: base64', '', 'SGVsbG8sIHdvcmxk', ''].join('\n'),
    });
    const {
      list: [email],
    } = await deployment.call('Email/get', { ids: [emailId], properties: ['blobId', 'bodyStructure'] });
    const part = await calls.create({ blobId: email.bodyStructure.blobId, offset: 7 });
    expect(String(await contentOf(part['id'] as string))).toBe('world');
    const message = await calls.create({ blobId: email.blobId, length: 6 }, { 'data:asText': '!' });
    expect(String(await contentOf(message['id'] as string))).toBe('From: !');
  });

  // @requirement 9404 §4.1 upload-response
  test('resolves creation ids of the same call in any order, and of createdIds', async () => {
    const blobId = await calls.upload(Buffer.from('given'));
    const { body } = await deployment.request({
      using: [capability.core, capability.blob],
      createdIds: { earlier: blobId },
      methodCalls: [
        [
          'Blob/upload',
          {
            accountId: 'acc_alice',
            create: {
              c: { data: [{ blobId: '#b' }, { 'data:asText': 'c' }] },
              b: { data: [{ blobId: '#a' }, { 'data:asText': 'b' }] },
              a: { data: [{ blobId: '#earlier' }, { 'data:asText': 'a' }] },
            },
          },
          'c',
        ],
      ],
    });
    const { created } = body['methodResponses'][0][1];
    expect(String(await contentOf(created.c.id as string))).toBe('givenabc');
    expect(body['createdIds']).toEqual({ earlier: blobId, a: created.a.id, b: created.b.id, c: created.c.id });
  });

  test('refuses blobs that refer to each other, to themselves, to a failed one, or over more than four steps', async () => {
    const chain = Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`n${index}`, { data: index === 0 ? [] : [{ blobId: `#n${index - 1}` }] }]));
    const { created, notCreated } = await calls.call('Blob/upload', {
      create: {
        x: { data: [{ blobId: '#y' }] },
        y: { data: [{ blobId: '#x' }] },
        self: { data: [{ blobId: '#self' }] },
        failed: { data: [{ 'data:asText': 5 }] },
        after: { data: [{ blobId: '#failed' }] },
        ...chain,
      },
    });
    expect(Object.keys(created as Json).sort()).toEqual(['n0', 'n1', 'n2', 'n3']);
    expect(Object.fromEntries(Object.entries(notCreated as Json).map(([id, { type }]) => [id, type]))).toEqual({
      x: 'invalidProperties',
      y: 'invalidProperties',
      self: 'invalidProperties',
      failed: 'invalidProperties',
      after: 'blobNotFound',
      n4: 'invalidProperties',
      n5: 'invalidProperties',
    });
  });

  // @requirement 9404 §4.1 upload-limits
  test('accepts maxDataSources data sources, more than the 64 of RFC 9404, and refuses more with tooLarge', async () => {
    const { maxDataSources } = blobLimits;
    expect(maxDataSources).toBeGreaterThanOrEqual(64);
    const sources = (count: number) => Array.from({ length: count }, () => ({ 'data:asText': 'x' }));
    expect(await calls.create(...sources(maxDataSources))).toMatchObject({ size: maxDataSources });
    await expect(calls.create(...sources(maxDataSources + 1))).rejects.toMatchObject({ type: 'tooLarge' });
  });

  test('joins uploads to a blob of maxSizeBlobSet, and refuses one octet more with tooLarge', async () => {
    const pieces = Array.from({ length: 10 }, () => randomBytes(blobLimits.maxSizeBlobSet / 10));
    const sources = await Promise.all(pieces.map(async (piece) => ({ blobId: await calls.upload(piece) })));
    const { id, size } = await calls.create(...sources);
    expect(size).toBe(blobLimits.maxSizeBlobSet);
    expect((await contentOf(id as string))!.equals(Buffer.concat(pieces))).toBe(true);
    await expect(calls.create(...sources, { 'data:asText': 'x' })).rejects.toMatchObject({ type: 'tooLarge' });
  });

  test('reads no more than maxBlobOctetsInRequest for all calls of a request, and refuses the others with rateLimit', async () => {
    const blobId = await calls.upload(Buffer.alloc(4_000_000));
    const reads: string[] = [];
    const read = deployment.objects.get.bind(deployment.objects);
    Object.assign(deployment.objects, { get: async (...args: Parameters<typeof read>) => (reads.push(args[0]), read(...args)) });
    const data = Array.from({ length: 9 }, () => ({ blobId }));
    const responses = await calls.request(...Array.from({ length: 4 }, () => ['Blob/upload', { create: { b: { data } } }] as const));
    expect(responses.map(({ notCreated }) => notCreated?.b.type)).toEqual([undefined, undefined, 'rateLimit', 'rateLimit']);
    expect(reads.length * 4_000_000).toBeLessThanOrEqual(unadvertisedLimits.maxBlobOctetsInRequest);
  });

  test('counts a read of the bucket as 32 KB, so that many small ranges are limited', async () => {
    const blobId = await calls.upload(Buffer.alloc(10));
    const data = Array.from({ length: blobLimits.maxDataSources }, () => ({ blobId, length: 1 }));
    const responses = await calls.request(...Array.from({ length: 20 }, () => ['Blob/upload', { create: { b: { data } } }] as const));
    expect(responses.filter(({ created }) => created !== null)).toHaveLength(11);
  });

  test('names no more than maxBlobsInRequest blobs in a request, and no more than maxObjectsInSet in a call', async () => {
    const create = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`b${index}`, { data: [{ 'data:asText': `${index}` }] }]));
    const responses = await calls.request(...Array.from({ length: 3 }, () => ['Blob/upload', { create }] as const));
    expect(responses.map(({ type }) => type)).toEqual([undefined, undefined, 'requestTooLarge']);
    const tooMany = Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`b${index}`, { data: [] }]));
    expect(await calls.call('Blob/upload', { create: tooMany })).toMatchObject({ type: 'requestTooLarge' });
  });

  test('requires MAIL_WRITE, an existing account, and a role that may write', async () => {
    const create = { b: { data: [] } };
    expect(await calls.call('Blob/upload', { create }, 'reader')).toMatchObject({ type: 'forbidden' });
    expect(await calls.call('Blob/upload', { create }, 'bob')).toMatchObject({ type: 'accountReadOnly' });
    expect(await calls.call('Blob/upload', { create, accountId: 'acc_bob' })).toMatchObject({ type: 'accountNotFound' });
    expect(await calls.call('Blob/upload', {})).toMatchObject({ type: 'invalidArguments' });
    expect(deployment.objects.keys()).toEqual([]);
  });

  test('is unknownMethod without its capability in "using"', async () => {
    expect(await deployment.call('Blob/upload', { create: {} })).toMatchObject({ type: 'unknownMethod' });
  });

  test('a bucket that fails changes nothing else, and is serverUnavailable', async () => {
    const timeout = Object.assign(new Error('no answer'), { name: 'TimeoutError' });
    Object.assign(deployment.objects, { put: () => Promise.reject(timeout) });
    const [failed, get] = await calls.request(['Blob/upload', { create: { b: { data: [{ 'data:asText': 'x' }] } } }], ['Blob/get', { ids: ['#b'] }]);
    expect(failed).toMatchObject({ type: 'serverUnavailable' });
    expect(get).toMatchObject({ list: [], notFound: ['#b'] });
  });
});
