import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { assertProperty } from '../../../support/assert-property.ts';
import { jmapDeployment, type JmapDeployment, type Json } from '../jmap-deployment.ts';
import { blobCalls } from './blob-calls.ts';

let deployment: JmapDeployment;
let calls: ReturnType<typeof blobCalls>;
/** Blob ids with their content: of an upload, of a message, and of its parts in base64 and in quoted-printable. */
let stored: readonly (readonly [blobId: string, content: Buffer])[];
beforeAll(async () => {
  deployment = await jmapDeployment();
  calls = blobCalls(deployment);
  const binary = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
  const raw = [
    'From: a@example.net',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: application/octet-stream',
    'Content-Transfer-Encoding: base64',
    '',
    ...binary.toString('base64').match(/.{1,76}/g)!,
    '--b',
    'Content-Type: text/plain',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'Gr=C3=BC=C3=9Fe=20aus=20=C5=BB=C3=B3=C5=82w',
    '--b--',
    '',
  ].join('\n');
  const id = await deployment.deliver({ raw });
  const {
    list: [email],
  } = await deployment.call('Email/get', { ids: [id], properties: ['blobId', 'bodyStructure'] });
  const [first, second] = email.bodyStructure.subParts as Json[];
  const upload = Buffer.from('The quick brown fox jumped over the lazy dog.');
  stored = [
    [await calls.upload(upload), upload],
    [email.blobId as string, Buffer.from(raw.replaceAll('\n', '\r\n'))],
    [first!['blobId'] as string, binary],
    [second!['blobId'] as string, Buffer.from('Grüße aus Żółw')],
  ];
});

/** A data source, and the octets that it represents. */
const source = fc.oneof(
  fc.string({ unit: 'grapheme' }).map((text) => ({ given: { 'data:asText': text } as Json, octets: () => Buffer.from(text) })),
  fc.uint8Array().map((bytes) => ({ given: { 'data:asBase64': Buffer.from(bytes).toString('base64') } as Json, octets: () => Buffer.from(bytes) })),
  fc
    .record({ index: fc.nat(3), from: fc.double({ min: 0, max: 1, noNaN: true }), to: fc.double({ min: 0, max: 1, noNaN: true }) })
    .map(({ index, from, to }) => {
      const range = () => {
        const [blobId, content] = stored[index]!;
        const [offset, end] = [Math.floor(content.length * Math.min(from, to)), Math.floor(content.length * Math.max(from, to))];
        return { blobId, content, offset, length: end - offset };
      };
      return {
        get given(): Json {
          const { blobId, offset, length } = range();
          return { blobId, offset, length };
        },
        octets: () => range().content.subarray(range().offset, range().offset + range().length),
      };
    }),
);

test('Blob/upload joins any data sources to the octets that they stand for, and Blob/get returns any range of them', async () => {
  const ranges = fc.record({ offset: fc.option(fc.nat(80)), length: fc.option(fc.nat(80)) });
  await assertProperty(
    fc.asyncProperty(fc.array(source, { maxLength: 6 }), ranges, async (sources, { offset, length }) => {
      const expected = Buffer.concat(sources.map(({ octets }) => octets()));
      const { id, size } = await calls.create(...sources.map(({ given }) => given));
      expect(size).toBe(expected.length);
      const {
        list: [blob],
      } = await calls.call('Blob/get', { ids: [id], offset, length, properties: ['data:asBase64', 'data:asText', 'digest:sha-256', 'size'] });
      const selected = expected.subarray(offset ?? 0, length === null ? undefined : (offset ?? 0) + length);
      const text = selected.toString();
      const isText = Buffer.from(text).equals(selected);
      expect(blob).toEqual({
        id,
        size,
        'data:asBase64': selected.toString('base64'),
        'data:asText': isText ? text : null,
        'digest:sha-256': createHash('sha256').update(selected).digest('base64'),
        ...(!isText && { isEncodingProblem: true }),
        ...((offset ?? 0) + (length ?? 0) > expected.length && { isTruncated: true }),
      });
    }),
    { numRuns: 60 },
  );
});

test('Blob methods answer any arguments with a response or with an error of the client, and never with serverFail', async () => {
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom('', '#b', 'Email', 'data', 'digest:sha', 2 ** 53, -1, 1e300, null),
    fc.constant([]),
    fc
      .array(
        source.map(({ given }) => given),
        { maxLength: 3 },
      )
      .map((data) => ({ b: { data } })),
    fc.array(fc.nat(3), { maxLength: 3 }).map((indexes) => indexes.map((index) => stored[index]![0])),
  );
  const names = ['create', 'ids', 'properties', 'offset', 'length', 'typeNames', 'accountId', '__proto__'];
  const args = fc.dictionary(fc.constantFrom(...names), value);
  const failures: unknown[] = [];
  await assertProperty(
    fc.asyncProperty(fc.constantFrom('Blob/upload', 'Blob/get', 'Blob/lookup'), args, async (name, given) => {
      const response = await calls.call(name, given);
      if (String(response['type']).startsWith('server')) failures.push([name, given, response]);
    }),
    { numRuns: 300 },
  );
  expect(failures).toEqual([]);
});
