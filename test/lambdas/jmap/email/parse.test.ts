import { coreLimits, unadvertisedLimits } from '../../../../contract/jmap/core.ts';
import { slowParser, slowText } from '../../../support/slow-parser.ts';
import { jmapDeploymentPerTest, type Json } from '../jmap-deployment.ts';

const deployment = jmapDeploymentPerTest();

const lines = (...text: string[]): Buffer => Buffer.from(text.join('\r\n'));
const letter = lines(
  'From: Sender <sender@example.net>',
  'To: alice@example.test',
  'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=',
  'Message-ID: <letter@example.net>',
  'X-Note: seen',
  'Content-Type: text/plain; charset=utf-8',
  '',
  'Hello Alice,',
  'how are you?',
  '',
);
let boundaries = 0;
/** A message with an attached text in base64, and a letter as attached message, with the given transfer encoding. */
const parcel = (encoding: '7bit' | 'base64', inner: Buffer = letter): Buffer => {
  const boundary = `b${boundaries++}.`;
  return lines(
    'From: sender@example.net',
    'Subject: Parcel',
    'MIME-Version: 1.0',
    `Content-Type: multipart/mixed; boundary="${boundary}"`,
    '',
    `--${boundary}`,
    'Content-Type: text/plain; name=notes.txt',
    'Content-Disposition: attachment',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from('some notes').toString('base64'),
    `--${boundary}`,
    'Content-Type: message/rfc822',
    `Content-Transfer-Encoding: ${encoding}`,
    '',
    encoding === 'base64' ? inner.toString('base64') : inner.toString('latin1'),
    `--${boundary}--`,
    '',
  );
};
const upload = (content: Buffer): Promise<string> => deployment.upload(content);
const parse = (blobIds: readonly string[], more: Json = {}) => deployment.call('Email/parse', { blobIds, ...more });
const parseOne = async (blobId: string, more: Json = {}): Promise<Json> => (await parse([blobId], more))['parsed'][blobId] as Json;
const contentOf = async (blobId: string): Promise<string | undefined> => {
  const { blobs } = deployment.jmap.dependencies;
  const blob = (await blobs.find('acc_alice', [blobId])).get(blobId);
  return blob && (await blobs.read(blob))?.toString();
};

describe('Email/parse', () => {
  // @requirement 8621 §4.9 parse-default-properties
  test('returns the default properties of RFC 8621 §4.9 of an upload', async () => {
    const blobId = await upload(letter);
    expect(await parse([blobId])).toEqual({
      accountId: 'acc_alice',
      notParsable: null,
      notFound: null,
      parsed: {
        [blobId]: {
          messageId: ['letter@example.net'],
          inReplyTo: null,
          references: null,
          sender: null,
          from: [{ name: 'Sender', email: 'sender@example.net' }],
          to: [{ name: null, email: 'alice@example.test' }],
          cc: null,
          bcc: null,
          replyTo: null,
          subject: 'Grüße',
          sentAt: null,
          hasAttachment: false,
          preview: 'Hello Alice, how are you?',
          bodyValues: {},
          textBody: [expect.objectContaining({ partId: '1', type: 'text/plain', size: 28 })],
          htmlBody: [expect.objectContaining({ partId: '1' })],
          attachments: [],
        },
      },
    });
  });

  // @requirement 8621 §4.9 parse-metadata
  test('returns null for properties of Emails of the account, and the size, blobId, header fields and body values of the blob', async () => {
    const blobId = await upload(letter);
    const properties = ['id', 'threadId', 'mailboxIds', 'keywords', 'receivedAt', 'size', 'blobId', 'header:x-note:asText', 'bodyValues'];
    expect(await parseOne(blobId, { properties, fetchTextBodyValues: true, maxBodyValueBytes: 5 })).toEqual({
      id: null,
      threadId: null,
      mailboxIds: null,
      keywords: null,
      receivedAt: null,
      size: letter.length,
      blobId,
      'header:x-note:asText': 'seen',
      bodyValues: { 1: { value: 'Hello', isEncodingProblem: false, isTruncated: true } },
    });
  });

  test.each(['7bit', 'base64'] as const)('parses a message that an Email has attached in %s, and its parts can be read', async (encoding) => {
    const inner = parcel('base64', parcel('7bit'));
    const email = await deployment.deliver({ raw: parcel(encoding, inner).toString('latin1').replaceAll('\r\n', '\n') });
    const [{ attachments }] = (await deployment.call('Email/get', { ids: [email], properties: ['attachments'] }))['list'] as [Json];
    const attached = await parseOne(attachments[1].blobId as string, { properties: ['subject', 'attachments'] });
    expect([attached['subject'], await contentOf(attached['attachments'][0].blobId as string)]).toEqual(['Parcel', 'some notes']);
    const deeper = await parseOne(attached['attachments'][1].blobId as string, { properties: ['subject', 'attachments'] });
    expect([deeper['subject'], await contentOf(deeper['attachments'][0].blobId as string)]).toEqual(['Parcel', 'some notes']);
    const deepest = await parseOne(deeper['attachments'][1].blobId as string, { properties: ['subject', 'bodyValues'], fetchTextBodyValues: true });
    expect([deepest['subject'], deepest['bodyValues'][1].value]).toEqual(['Grüße', 'Hello Alice,\nhow are you?\n']);
  });

  test('gives parts of an upload blob ids that can be imported', async () => {
    const { attachments } = await parseOne(await upload(parcel('base64')));
    const { inbox } = await deployment.roles();
    const { created } = await deployment.call('Email/import', { emails: { a: { blobId: attachments[1].blobId as string, mailboxIds: { [inbox!]: true } } } });
    expect(created.a.size).toBe(letter.length);
  });

  // @requirement 8621 §4.9 parse-not-parsable
  test('lists blobs that do not exist, and blobs that are no messages', async () => {
    const [good, picture] = [await upload(letter), await upload(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))];
    const { parsed, notParsable, notFound } = await parse([good, picture, 'U'.padEnd(23, 'x'), 'nothing', good]);
    expect([Object.keys(parsed as object), notParsable, notFound]).toEqual([[good], [picture], ['U'.padEnd(23, 'x'), 'nothing']]);
    expect(await parse([])).toEqual({ accountId: 'acc_alice', parsed: null, notParsable: null, notFound: null });
  });

  // @pitfall attack made-up-blob-id
  test('does not find parts with made-up ranges in a message of another blob', async () => {
    const { attachments } = await parseOne(await upload(parcel('base64')));
    const { blobId } = attachments[0] as { blobId: string };
    expect(await contentOf(blobId)).toBe('some notes');
    const [, place] = /_([0-9a-z]+_[0-9a-z]+_b_[0-9a-z]+)$/.exec(blobId)!;
    for (const forged of ['0_1_b_1', '0_zzzzz_i_zzzzz', place!.replace('_b_', '_q_'), place!.replace(/_[0-9a-z]+$/, '_1')]) {
      const { notFound } = await parse([blobId.replace(place!, forged)]);
      expect(notFound).toEqual([blobId.replace(place!, forged)]);
    }
  });

  test('ends with null blob ids in messages that are nested too deeply for an id', async () => {
    let message = letter;
    for (let depth = 0; depth < 24; depth++) message = parcel('7bit', message);
    let blobId = await upload(message);
    let parses = 0;
    for (let next: string | null = blobId; next !== null; parses++) {
      blobId = next;
      next = (await parseOne(blobId, { properties: ['attachments'] }))['attachments'].at(-1).blobId as string | null;
    }
    expect(blobId.length).toBeLessThanOrEqual(255);
    expect(parses).toBeGreaterThan(10);
  });
});

describe('Email/parse refuses', () => {
  // @requirement 8621 §4.9 parse-forbidden-form
  test.each([
    ['an unknown property', { properties: ['nothing'] }],
    ['an unknown body property', { bodyProperties: ['nothing'] }],
    ['a form that a header field does not have', { properties: ['header:From:asDate'] }],
    ['blob ids that are no list', { blobIds: 'x' }],
    ['a negative maxBodyValueBytes', { maxBodyValueBytes: -1 }],
  ])('%s, with invalidArguments', async (_title, more) => {
    expect(await parse([], more)).toMatchObject({ type: 'invalidArguments' });
  });

  test('more blobs than maxObjectsInGet, with requestTooLarge', async () => {
    expect(await parse(Array.from({ length: coreLimits.maxObjectsInGet + 1 }, (_, i) => `b${i}`))).toMatchObject({ type: 'requestTooLarge' });
  });

  test('messages of more octets than a request may read, also when other calls read them, with requestTooLarge', async () => {
    const blobId = await upload(Buffer.concat([letter, Buffer.alloc(unadvertisedLimits.maxRawOctetsInRequest / 4)]));
    const call = ['Email/parse', { accountId: 'acc_alice', blobIds: [blobId], properties: ['subject'] }, 'c'] as const;
    const responses = await deployment.perform(Array.from({ length: 5 }, () => call));
    expect(responses.map(([name]) => name)).toEqual(['Email/parse', 'Email/parse', 'Email/parse', 'error', 'error']);
    expect(responses[4]![1]).toMatchObject({ type: 'requestTooLarge', description: expect.stringContaining('maxRawOctetsInRequest') as string });
  });

  test('messages whose body values do not fit into the response, with requestTooLarge', async () => {
    const body = Array.from({ length: 8 }, (_, i) => ['--x', 'Content-Type: text/plain', '', `${i}`.repeat(1_000_000)]).flat();
    const blobId = await upload(lines('From: a@example.net', 'Content-Type: multipart/mixed; boundary=x', '', ...body, '--x--', ''));
    expect(await parse([blobId], { fetchTextBodyValues: true })).toMatchObject({ type: 'requestTooLarge' });
    expect(await parseOne(blobId, { fetchTextBodyValues: true, maxBodyValueBytes: 10, properties: ['subject'] })).toEqual({ subject: null });
  });

  test('the account of others, with accountNotFound; a reader of the account may parse', async () => {
    const blobId = await upload(letter);
    expect(await parse([blobId], { accountId: 'acc_bob' })).toMatchObject({ type: 'accountNotFound' });
    const { parsed } = await deployment.call('Email/parse', { blobIds: [blobId], properties: ['subject'] }, { token: 'bob' });
    expect(parsed).toEqual({ [blobId]: { subject: 'Grüße' } });
  });
});

describe('a message on which the parser would work for ever', () => {
  slowParser();
  const slow = lines('From: a@example.net', 'To: alice@example.test', `Subject: ${slowText}`, '', 'x', '');

  test('is not parsable for Email/parse, which parses the others', async () => {
    const [bad, good] = [await upload(slow), await upload(letter)];
    expect(await parse([bad, good], { properties: ['subject'] })).toMatchObject({ notParsable: [bad], parsed: { [good]: { subject: 'Grüße' } } });
  });

  test('is imported by Email/import with what could be read', async () => {
    const blobId = await upload(slow);
    const emails = { a: { blobId, mailboxIds: { [(await deployment.roles())['inbox']!]: true } } };
    const { created } = (await deployment.call('Email/import', { emails })) as { created: { a: { id: string } } };
    const { list } = await deployment.call('Email/get', { ids: [created.a.id], properties: ['from', 'subject', 'hasAttachment'] });
    expect(list).toMatchObject([{ from: [{ email: 'a@example.net' }], subject: null, hasAttachment: true }]);
  });
});
