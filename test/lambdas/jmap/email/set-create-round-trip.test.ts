import * as fc from 'fast-check';
import { assertProperty } from '../../../support/assert-property.ts';
import { jmapDeployment, type JmapDeployment, type Json } from '../jmap-deployment.ts';

const numRuns = 20;

let deployment: JmapDeployment;
let drafts: string;
let blobs: readonly string[];
beforeAll(async () => {
  deployment = await jmapDeployment({ quotaDefaults: { octets: 1e12, count: 1e9 } });
  drafts = (await deployment.roles())['drafts']!;
  const contents = [Buffer.alloc(0), Buffer.from([0, 255, 10, 13]), Buffer.alloc(5000, 'ä')];
  blobs = await Promise.all(contents.map((content) => deployment.upload(content)));
});

/**
 * Text of any script on one line, in the form of a header field: in Unicode normalization form C, without control
 * characters.
 */
const line = fc
  .oneof(fc.string({ unit: 'binary', maxLength: 80 }), fc.string({ unit: 'grapheme', maxLength: 60 }), fc.lorem())
  .map((text) => text.replaceAll(/\p{Cc}/gu, '').normalize('NFC'));
const label = line
  .map((text) =>
    text
      .slice(0, 60)
      .replaceAll(/[\p{Cs}\p{Zl}\p{Zp}]/gu, '')
      .normalize('NFC')
      .trim(),
  )
  .filter((text) => text !== '');
const address = fc.record({ name: fc.option(label), email: fc.emailAddress() });
const addresses = fc.array(address, { minLength: 1, maxLength: 3 });
const ids = fc.array(fc.emailAddress(), { minLength: 1, maxLength: 5 });
const body = fc
  .array(fc.oneof(fc.string({ unit: 'binary', maxLength: 100 }), fc.lorem(), fc.constantFrom('--=_x', '.', ' ', 'From x')), { maxLength: 5 })
  .map((lines) => lines.join('\n').replaceAll('\r\n', '\n'));

const headers = fc.record(
  {
    subject: line,
    from: addresses,
    to: addresses,
    cc: addresses,
    replyTo: addresses,
    sender: addresses,
    messageId: ids,
    inReplyTo: ids,
    references: ids,
    'header:X-Text:asText:all': fc.array(line, { minLength: 1, maxLength: 3 }),
  },
  { requiredKeys: [] },
);

const blob = fc.nat({ max: 2 });
const leaf = fc.oneof(
  fc.record({ partId: fc.constantFrom('a', 'b'), type: fc.constantFrom('text/plain', 'text/html', 'text/csv') }),
  fc.record(
    {
      blobId: blob.map((index) => `#${index}`),
      type: fc.constantFrom('image/png', 'application/pdf', 'message/rfc822'),
      name: label,
      disposition: fc.constantFrom('inline', 'attachment'),
      cid: fc.emailAddress(),
      language: fc.constant(['en', 'de']),
      location: fc.webUrl(),
    },
    { requiredKeys: ['blobId', 'type'] },
  ),
);
const { tree } = fc.letrec<{ tree: Json; multipart: Json }>((tie) => ({
  tree: fc.oneof({ maxDepth: 3, depthIdentifier: 'tree' }, leaf, tie('multipart')),
  multipart: fc.record({
    type: fc.constantFrom('multipart/mixed', 'multipart/alternative', 'multipart/related'),
    subParts: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
  }),
}));

const withBlobs = (part: Json): Json => ({
  ...part,
  ...(part['blobId'] !== undefined && { blobId: blobs[Number((part['blobId'] as string).slice(1))] }),
  ...(part['subParts'] !== undefined && { subParts: (part['subParts'] as Json[]).map(withBlobs) }),
});

/** Creates the Email and returns its properties from Email/get. */
const stored = async (properties: Json, args: Json): Promise<Json> => {
  const { created, notCreated } = await deployment.call('Email/set', { create: { a: { mailboxIds: { [drafts]: true }, ...properties } } });
  expect(notCreated).toBeNull();
  const { list } = await deployment.call('Email/get', { ids: [created.a.id], ...args });
  await deployment.call('Email/set', { destroy: [created.a.id] });
  return list[0] as Json;
};

describe('an Email that is created from its properties', () => {
  test('has these header fields', async () => {
    await assertProperty(
      fc.asyncProperty(headers, async (given) => {
        const email = await stored(given, { properties: Object.keys(given) });
        expect({ ...email, id: undefined }).toEqual({ ...given, id: undefined });
      }),
      { numRuns },
    );
  });

  test('has this body', async () => {
    await assertProperty(
      fc.asyncProperty(body, body, async (text, html) => {
        const email = await stored(
          {
            textBody: [{ partId: 't', type: 'text/plain' }],
            htmlBody: [{ partId: 'h', type: 'text/html' }],
            bodyValues: { t: { value: text }, h: { value: html } },
          },
          { properties: ['textBody', 'htmlBody', 'bodyValues'], fetchAllBodyValues: true },
        );
        const values = ['textBody', 'htmlBody'].map((list) => email['bodyValues'][email[list][0].partId] as Json);
        expect(values).toEqual([text, html].map((value) => ({ value, isEncodingProblem: false, isTruncated: false })));
      }),
      { numRuns },
    );
  });

  test('has this bodyStructure', async () => {
    const withoutContent = ({ partId: _partId, blobId: _blobId, subParts, ...part }: Json): Json => ({
      ...part,
      ...(subParts && { subParts: (subParts as Json[]).map(withoutContent) }),
    });
    await assertProperty(
      fc.asyncProperty(tree, async (structure) => {
        const { bodyStructure } = await stored(
          { bodyStructure: withBlobs(structure), bodyValues: { a: { value: 'a' }, b: { value: 'ä' } } },
          { properties: ['bodyStructure'], bodyProperties: ['type', 'name', 'disposition', 'cid', 'language', 'location'] },
        );
        expect(bodyStructure).toMatchObject(withoutContent(structure));
        const count = (part: Json): number => 1 + ((part['subParts'] ?? []) as Json[]).reduce((sum, each) => sum + count(each), 0);
        expect(count(bodyStructure as Json)).toBe(count(structure));
      }),
      { numRuns },
    );
  });
});
