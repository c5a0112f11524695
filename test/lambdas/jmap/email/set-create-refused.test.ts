import { emailLimits, mailLimits, unadvertisedLimits } from '../../../../contract/jmap/core.ts';
import { uploadBlobId, uploadKey } from '../../../../core/mail/email/blob-id.ts';
import { jmapDeploymentPerTest, type Json } from '../jmap-deployment.ts';

/* The constraints of RFC 8621 §4.6 on Email/set create, each with its set error. */

const deployment = jmapDeploymentPerTest();
let drafts: string;
beforeEach(async () => {
  drafts = (await deployment.roles())['drafts']!;
});

const inDrafts = (more: Json): Json => ({ mailboxIds: { [drafts]: true }, ...more });
const create = (emails: Json) => deployment.call('Email/set', { create: emails });
/** Creates an Email in the drafts that is refused. @returns its set error. Nothing may be stored. */
const refusal = async (properties: Json): Promise<Json> => {
  const { created, notCreated } = await create({ a: inDrafts(properties) });
  expect([created, deployment.objects.keys().filter((key) => key.startsWith('messages/'))]).toEqual([null, []]);
  expect(notCreated.a.description).toMatch(/\w+/);
  return notCreated.a as Json;
};
const invalid = (...properties: string[]): unknown => expect.objectContaining({ type: 'invalidProperties', properties });
const value = { t: { value: 'x' } };
const part = { partId: 't', type: 'text/plain' };

describe('Email/set create refuses', () => {
  // @requirement 8621 §4.6 create-headers
  // @pitfall set create-headers
  test('a headers property, on the Email and on a part', async () => {
    expect(await refusal({ headers: [{ name: 'X', value: ' y' }] })).toEqual(invalid('headers'));
    expect(await refusal({ textBody: [{ ...part, headers: [] }], bodyValues: value })).toEqual(invalid('textBody/0/headers'));
  });

  // @requirement 8621 §4.6 create-same-field
  // @pitfall set create-field-twice
  test('two properties for one header field, of any values and forms', async () => {
    expect(await refusal({ from: [], 'header:From': ' a@b' })).toEqual(invalid('header:From'));
    expect(await refusal({ 'header:x-y:asText': 'a', 'header:X-Y:all': null })).toEqual(invalid('header:X-Y:all'));
    expect(await refusal({ sentAt: null, 'header:DATE:asDate': null })).toEqual(invalid('header:DATE:asDate'));
    const twice = { ...part, 'header:Content-Type': ' text/plain' };
    expect(await refusal({ textBody: [twice], bodyValues: value })).toEqual(invalid('textBody/0/header:Content-Type'));
    const cid = { partId: 't', cid: 'a@b', 'header:Content-ID:asMessageIds': ['c@d'] };
    expect(await refusal({ bodyStructure: cid, bodyValues: value })).toEqual(invalid('bodyStructure/header:Content-ID:asMessageIds'));
  });

  // @requirement 8621 §4.6 create-structure-field
  test('a header field of the root part that the Email sets too', async () => {
    expect(await refusal({ subject: 'a', bodyStructure: { ...part, 'header:Subject': ' b' }, bodyValues: value })).toEqual(
      invalid('bodyStructure/header:Subject'),
    );
    expect(await refusal({ 'header:X-A': ' a', textBody: [{ ...part, 'header:X-A': ' b' }], bodyValues: value })).toEqual(invalid('textBody/0/header:X-A'));
  });

  // @requirement 8621 §4.6 create-forbidden-form
  test('a form that the header field does not have, and names and forms that do not exist', async () => {
    for (const property of ['header:From:asDate', 'header:Subject:asAddresses', 'header:X:asThing', 'header:', 'header:A B', 'header:X:all:asText']) {
      expect(await refusal({ [property]: 'x' })).toEqual(invalid(property));
    }
  });

  // @requirement 8621 §4.6 create-content-field
  test('Content-* header fields on the Email', async () => {
    expect(await refusal({ 'header:Content-Type': ' text/html' })).toEqual(invalid('header:Content-Type'));
    expect(await refusal({ 'header:content-language:asText': 'en' })).toEqual(invalid('header:content-language:asText'));
  });

  // @requirement 8621 §4.6 create-structure-or-lists
  test('a bodyStructure together with textBody, htmlBody or attachments', async () => {
    expect(await refusal({ bodyStructure: part, bodyValues: value, textBody: [part], attachments: [] })).toEqual(invalid('textBody', 'attachments'));
  });

  // @requirement 8621 §4.6 create-text-body
  // @requirement 8621 §4.6 create-html-body
  test('a textBody or htmlBody that is not exactly one part of its type', async () => {
    const html = { partId: 't', type: 'text/html' };
    expect(await refusal({ textBody: [], bodyValues: value })).toEqual(invalid('textBody'));
    expect(await refusal({ textBody: [part, part], bodyValues: value })).toEqual(invalid('textBody'));
    expect(await refusal({ textBody: [html], bodyValues: value })).toEqual(invalid('textBody/0/type'));
    expect(await refusal({ htmlBody: [html, html], bodyValues: value })).toEqual(invalid('htmlBody'));
    expect(await refusal({ htmlBody: [part], bodyValues: value })).toEqual(invalid('htmlBody/0/type'));
  });

  // @requirement 8621 §4.6 create-part-or-blob
  // @pitfall set create-part-or-blob
  test('a part with both or neither of partId and blobId, and a partId that bodyValues does not have', async () => {
    const blobId = await deployment.upload(Buffer.from('x'));
    expect(await refusal({ attachments: [{ partId: 't', blobId }], bodyValues: value })).toEqual(invalid('attachments/0/partId'));
    expect(await refusal({ attachments: [{ type: 'text/plain' }] })).toEqual(invalid('attachments/0/partId'));
    expect(await refusal({ textBody: [{ ...part, partId: 'u' }], bodyValues: value })).toEqual(invalid('textBody/0/partId'));
    expect(await refusal({ textBody: [{ ...part, partId: '__proto__' }], bodyValues: value })).toEqual(invalid('textBody/0/partId'));
  });

  // @requirement 8621 §4.6 create-part-charset
  // @requirement 8621 §4.6 create-part-size
  test('a charset or a size with a partId', async () => {
    expect(await refusal({ textBody: [{ ...part, charset: 'utf-8' }], bodyValues: value })).toEqual(invalid('textBody/0/charset'));
    expect(await refusal({ textBody: [{ ...part, size: 1 }], bodyValues: value })).toEqual(invalid('textBody/0/size'));
  });

  // @requirement 8621 §4.6 create-transfer-encoding
  test('a Content-Transfer-Encoding', async () => {
    expect(await refusal({ textBody: [{ ...part, 'header:content-transfer-encoding': ' 8bit' }], bodyValues: value })).toEqual(
      invalid('textBody/0/header:content-transfer-encoding'),
    );
  });

  // @requirement 8621 §4.6 create-body-value-flags
  test('body values with isEncodingProblem or isTruncated, or that are no EmailBodyValue', async () => {
    expect(await refusal({ bodyValues: { t: { value: 'x', isTruncated: true, isEncodingProblem: true } } })).toEqual(
      invalid('bodyValues/t/isEncodingProblem', 'bodyValues/t/isTruncated'),
    );
    expect(await refusal({ bodyValues: { 'a/b': { value: 1 } } })).toEqual(invalid('bodyValues/a~1b'));
    expect(await refusal({ bodyValues: { t: { value: 'x', more: 1 } } })).toEqual(invalid('bodyValues/t/more'));
    expect(await refusal({ bodyValues: { t: 'x' } })).toEqual(invalid('bodyValues'));
  });

  test('malformed structures: multiparts without parts or with content, and parts of other types with parts', async () => {
    expect(await refusal({ bodyStructure: { type: 'multipart/mixed' } })).toEqual(invalid('bodyStructure/subParts'));
    expect(await refusal({ bodyStructure: { type: 'multipart/mixed', subParts: [part], partId: 't' }, bodyValues: value })).toEqual(
      invalid('bodyStructure/partId'),
    );
    expect(await refusal({ bodyStructure: { ...part, subParts: [part] }, bodyValues: value })).toEqual(invalid('bodyStructure/subParts'));
    expect(await refusal({ bodyStructure: { type: 'multipart/mixed', subParts: ['x'] } })).toEqual(
      invalid('bodyStructure/subParts', 'bodyStructure/subParts/0'),
    );
  });

  test('values of another type, and properties that do not exist, each with its path', async () => {
    expect(await refusal({ subject: 1, to: 'x', foo: 1, size: 1, receivedAt: 'yesterday' })).toEqual(
      expect.objectContaining({ type: 'invalidProperties', properties: expect.arrayContaining(['subject', 'to', 'foo', 'size', 'receivedAt']) as string[] }),
    );
    expect(await refusal({ to: [{ name: 1, email: 'a@b' }], cc: [{ email: 'a@b', other: 1 }], bcc: [{ name: 'x' }] })).toEqual(invalid('to', 'cc', 'bcc'));
    expect(await refusal({ 'header:To:asGroupedAddresses': [{ name: 'x' }], 'header:X:all': 'x' })).toEqual(
      invalid('header:To:asGroupedAddresses', 'header:X:all'),
    );
    expect(await refusal({ receivedAt: '2026-02-30T00:00:00Z', sentAt: '2027-02-29T00:00:00+01:00' })).toEqual(
      expect.objectContaining({ properties: expect.arrayContaining(['receivedAt', 'sentAt']) as string[] }),
    );
    const wrong = { partId: 't', type: 'text', name: '', disposition: 'a b', cid: 'a b', language: ['*'], location: 'a\nb', foo: 1, constructor: 1 };
    const paths = ['name', 'disposition', 'language', 'foo', 'constructor', 'cid', 'location', 'type'].map((name) => `attachments/0/${name}`);
    const error = await refusal({ attachments: [wrong], bodyValues: value });
    expect([error['type'], (error['properties'] as string[]).toSorted()]).toEqual(['invalidProperties', paths.toSorted()]);
  });

  test('line breaks and NUL in every header value, so that nothing adds a header field or a part', async () => {
    for (const evil of ['a\r\nBcc: evil@example.test', 'a\nb', 'a\rb', 'a\0b', 'a\r\n\r\nbody']) {
      expect(
        await refusal({
          subject: evil,
          from: [{ name: evil, email: 'a@b' }],
          to: [{ name: null, email: evil }],
          inReplyTo: [evil],
          'header:X-Raw': evil,
          'header:X-Url:asURLs': [evil],
          'header:X-All:asText:all': ['fine', evil],
          'header:Cc:asGroupedAddresses': [{ name: evil, addresses: [] }],
        }),
      ).toEqual(
        expect.objectContaining({
          type: 'invalidProperties',
          properties: ['subject', 'from', 'to', 'inReplyTo', 'header:X-Raw', 'header:X-Url:asURLs', 'header:X-All:asText:all', 'header:Cc:asGroupedAddresses'],
        }),
      );
      const { properties } = await refusal({
        attachments: [
          { partId: 't', type: `text/plain${evil}`, name: evil, disposition: evil, cid: evil, language: [evil], location: evil, 'header:X-Part': evil },
        ],
        bodyValues: value,
      });
      expect(properties).toHaveLength(7);
    }
  });

  // @requirement 8621 §4.6 create-blob-not-found
  // @requirement 8620 §6 blob-in-account
  test('blobs that do not exist, are malformed, or belong to another account, with notFound', async () => {
    const [own, foreign] = [await deployment.upload(Buffer.from('own')), await deployment.upload(Buffer.from('foreign'), 'acc_bob')];
    const unknown = uploadBlobId(uploadKey(Buffer.from('unknown')));
    const attachments = [own, foreign, 'nonsense', unknown, unknown].map((blobId) => ({ blobId, type: 'text/plain' }));
    expect(await refusal({ attachments })).toEqual(expect.objectContaining({ type: 'blobNotFound', notFound: [foreign, 'nonsense', unknown] }));
    for (const property of ['textBody', 'htmlBody']) {
      expect(await refusal({ [property]: [{ blobId: unknown }] })).toEqual(expect.objectContaining({ type: 'blobNotFound', notFound: [unknown] }));
    }
  });

  // @requirement 8621 §4.6 create-in-mailbox
  // @requirement 8621 §4.6 set-too-many-mailboxes
  // @requirement 8621 §4.6 set-too-many-keywords
  test('Emails without mailboxes, or in ones that do not exist, and too many mailboxes or keywords', async () => {
    expect((await create({ a: {} }))['notCreated'].a).toEqual(invalid('mailboxIds'));
    expect((await create({ a: { mailboxIds: {} } }))['notCreated'].a).toEqual(invalid('mailboxIds'));
    expect((await create({ a: { mailboxIds: { nope: true } } }))['notCreated'].a).toEqual(invalid('mailboxIds'));
    expect((await create({ a: { mailboxIds: { '#nope': true } } }))['notCreated'].a).toEqual(invalid('mailboxIds'));
    expect(await refusal({ keywords: { $seen: false } })).toEqual(invalid('keywords'));
    const keywords = Object.fromEntries(Array.from({ length: emailLimits.maxKeywordsPerEmail + 1 }, (_, index) => [`k${index}`, true]));
    expect(await refusal({ keywords })).toMatchObject({ type: 'tooManyKeywords' });
  });

  test('attachments and messages that are too large', async () => {
    const half = await deployment.upload(Buffer.alloc(mailLimits.maxSizeAttachmentsPerEmail / 2 + 1));
    const attachments = [{ blobId: half }, { blobId: half }];
    expect(await refusal({ attachments })).toMatchObject({ type: 'tooLarge', description: expect.stringContaining('maxSizeAttachmentsPerEmail') as string });
    const many = (count: number) => Array.from({ length: count }, () => part);
    expect(await refusal({ attachments: many(20), bodyValues: { t: { value: 'x'.repeat(emailLimits.maxSizeEmail / 20 + 1) } } })).toMatchObject({
      type: 'tooLarge',
      description: expect.stringContaining('maxSizeEmail') as string,
    });
  });

  test('headers and structures that are too large', async () => {
    const many = (count: number) => Array.from({ length: count }, () => part);
    expect(await refusal({ attachments: many(emailLimits.maxBodyPartsPerEmail), bodyValues: value })).toMatchObject({ type: 'tooLarge' });
    const fields = Object.fromEntries(Array.from({ length: emailLimits.maxHeaderFieldsPerPart + 1 }, (_, index) => [`header:X-${index}`, ' x']));
    expect(await refusal(fields)).toMatchObject({ type: 'tooLarge' });
    expect(await refusal({ 'header:X-1': ' x'.repeat(120_000), 'header:X-2': ' x'.repeat(120_000), 'header:X-3': ' x'.repeat(120_000) })).toMatchObject({
      type: 'tooLarge',
    });
    expect(await refusal({ subject: 'x'.repeat(300_000) })).toEqual(invalid('subject'));
    let nested: Json = part;
    for (let depth = 0; depth <= emailLimits.maxBodyPartDepth; depth += 1) nested = { type: 'multipart/mixed', subParts: [nested] };
    expect(await refusal({ bodyStructure: nested, bodyValues: value })).toMatchObject({ type: 'invalidProperties' });
  });

  test('Emails beyond what the creates of one request may compose, and creates the others', async () => {
    const blobId = await deployment.upload(Buffer.from('x'));
    const parts = emailLimits.maxBodyPartsPerEmail - 1;
    const emails = Array.from({ length: 6 }, () => inDrafts({ attachments: Array.from({ length: parts }, () => ({ blobId })) }));
    const { created, notCreated } = await create(Object.fromEntries(emails.entries()));
    const fitting = Math.floor(unadvertisedLimits.maxComposedOctetsInRequest / (parts * 32 * 1024));
    expect(Object.keys(created as Json)).toHaveLength(fitting);
    expect(Object.values(notCreated as Json)).toMatchObject(Array.from({ length: 6 - fitting }, () => ({ type: 'rateLimit' })));
  });

  test('Emails beyond the number of blobs that a request may name, before one is looked up', async () => {
    const { objects } = deployment;
    const size = objects.size.bind(objects);
    let looks = 0;
    objects.size = (key) => {
      looks += 1;
      return size(key);
    };
    const { maxBlobsInRequest } = unadvertisedLimits;
    const parts = emailLimits.maxBodyPartsPerEmail - 1;
    const emails = Array.from({ length: 5 }, (_, email) =>
      inDrafts({ attachments: Array.from({ length: parts }, (_part, index) => ({ blobId: uploadBlobId(uploadKey(Buffer.from(`${email} ${index}`))) })) }),
    );
    const { notCreated } = await create(Object.fromEntries(emails.entries()));
    const types = Object.entries(notCreated as Json).map(([creationId, { type }]) => [creationId, type] as const);
    expect(Object.fromEntries(types)).toEqual({ 0: 'blobNotFound', 1: 'blobNotFound', 2: 'rateLimit', 3: 'rateLimit', 4: 'rateLimit' });
    expect(looks).toBeLessThanOrEqual(maxBlobsInRequest);
  });

  test('one Email only, and creates the others of the call', async () => {
    const { created, notCreated } = await create({ bad: inDrafts({ subject: 'a\nb' }), good: inDrafts({ subject: 'good' }) });
    expect([Object.keys(created as Json), Object.keys(notCreated as Json)]).toEqual([['good'], ['bad']]);
  });

  test('an Email of a member with the role READ, with accountReadOnly', async () => {
    expect(await deployment.call('Email/set', { create: { a: inDrafts({}) } }, { token: 'bob' })).toMatchObject({ type: 'accountReadOnly' });
  });
});
