import { capability, emailLimits } from '../../../../contract/jmap/core.ts';
import { objectKeys } from '../../../../core/storage/object-keys.ts';
import { jmapDeployment, mailAndCore, type JmapDeployment, type Json, type Response } from '../jmap-deployment.ts';

let deployment: JmapDeployment;
let drafts: string;
beforeEach(async () => {
  deployment = await jmapDeployment();
  drafts = (await deployment.roles())['drafts']!;
});

const set = (args: Json) => deployment.call('Email/set', args);
/** Creates an Email in the drafts. @returns its entry in `created`. */
const create = async (properties: Json): Promise<Json> => {
  const { created, notCreated } = await set({ create: { draft: { mailboxIds: { [drafts]: true }, ...properties } } });
  expect(notCreated).toBeNull();
  return created.draft as Json;
};
const get = async (id: string, args: Json = {}): Promise<Json> => (await deployment.call('Email/get', { ids: [id], ...args }))['list'][0] as Json;
const rawOf = async ({ blobId }: Json): Promise<string> =>
  (await deployment.objects.get(objectKeys.message('acc_alice', (blobId as string).slice(1))))!.bytes.toString();
const contentOf = async (blobId: string): Promise<string> => {
  const { blobs } = deployment.jmap.dependencies;
  return (await blobs.read((await blobs.find('acc_alice', [blobId])).get(blobId)!))!.toString();
};
const text = (value: string): Json => ({ textBody: [{ partId: 't', type: 'text/plain' }], bodyValues: { t: { value } } });

describe('Email/set create', () => {
  // @requirement 8621 §4.6 create-any-draft
  // @pitfall set create-email
  test('creates a draft whose properties Email/get returns', async () => {
    const properties = {
      keywords: { $draft: true, $Seen: true },
      from: [{ name: 'Alice Ünal', email: 'alice@example.test' }],
      to: [
        { name: null, email: 'bob@example.test' },
        { name: 'Doe, John', email: 'john@example.test' },
      ],
      cc: [{ email: 'half written' }],
      subject: 'Grüße – a subject that is long enough to be folded over several lines of the header, with 日本語 in it',
      inReplyTo: ['parent@example.net'],
      references: ['root@example.net', 'parent@example.net'],
      messageId: ['own@example.test'],
      sentAt: '2026-11-21T09:30:00+01:00',
      receivedAt: '2026-11-20T00:00:00Z',
      textBody: [{ partId: 't', type: 'text/plain' }],
      htmlBody: [{ partId: 'h', type: 'text/html' }],
      bodyValues: { t: { value: 'Hällo\nworld \n' }, h: { value: '<p>Hällo</p>', isTruncated: false, isEncodingProblem: false } },
    };
    const created = await create(properties);
    const { textBody: _text, htmlBody: _html, bodyValues, keywords: _keywords, ...given } = properties;
    const email = await get(created['id'] as string, { fetchAllBodyValues: true });
    expect(email).toMatchObject({
      ...given,
      cc: [{ name: null, email: 'half written' }],
      keywords: { $draft: true, $seen: true },
      mailboxIds: { [drafts]: true },
      textBody: [{ type: 'text/plain', charset: 'utf-8' }],
      htmlBody: [{ type: 'text/html' }],
      attachments: [],
      hasAttachment: false,
      preview: 'Hällo world',
    });
    const valueOf = (list: string): string => email['bodyValues'][email[list][0].partId].value as string;
    expect([valueOf('textBody'), valueOf('htmlBody')]).toEqual([bodyValues.t.value, bodyValues.h.value]);
  });

  test('writes no line with an encoded word that has more than 76 characters (RFC 2047 §2)', async () => {
    const long = 'Grüße an alle, die heute früh da sind, und an diejenigen, die später noch kommen möchten';
    for (let length = 1; length <= long.length; length += 1) {
      const name = long.slice(0, length);
      const raw = await rawOf(
        await create({
          subject: `${name} ${'w'.repeat(length)} é ${'plain '.repeat(length % 20)}`,
          from: [{ name, email: `${'a'.repeat(length % 60)}@example.test` }],
          'header:To:asGroupedAddresses': [{ name, addresses: [{ name: `${name} é`, email: 'bob@example.test' }] }],
          [`header:X-${'n'.repeat(length)}:asText`]: `${'é'.repeat(length)} end`,
        }),
      );
      const lines = raw.slice(0, raw.indexOf('\r\n\r\n')).split('\r\n');
      expect(lines.filter((line) => line.includes('=?') && line.length > 76)).toEqual([]);
    }
  });

  // @requirement 8621 §4.6 create-response
  test('returns id, blobId, threadId, size and every other property that the client did not send', async () => {
    const given = { mailboxIds: { [drafts]: true }, subject: 'Plan', from: [{ name: null, email: 'alice@example.test' }], ...text('Hello') };
    const created = await create(given);
    const { bodyValues: _values, ...email } = await get(created['id'] as string);
    expect({ ...given, bodyValues: undefined, ...created }).toEqual({ ...email, bodyValues: undefined });
    expect(Object.keys(created)).toEqual(expect.arrayContaining(['id', 'blobId', 'threadId', 'size', 'receivedAt', 'keywords', 'preview']));
    expect(Object.keys(created)).not.toContain('subject');
    expect(created).toMatchObject({ receivedAt: '2026-11-21T08:00:00Z', keywords: {}, size: (await rawOf(created)).length });
  });

  // @requirement 8621 §4.6 create-message-id-date
  test('gives a message without them a Message-ID and a Date', async () => {
    const created = await create({ subject: null });
    expect(created['messageId']).toEqual([expect.stringMatching(/^[\w-]{20,}@example\.test$/)]);
    expect(created['sentAt']).toBe('2026-11-21T08:00:00Z');
    expect(await rawOf(created)).toMatch(/^Message-ID: <.*>\r\nDate: Sat, 21 Nov 2026 08:00:00 \+0000\r\nMIME-Version: 1.0\r\n/);
    const raw = await rawOf(await create({ 'header:Message-ID': ' <own@example.test>', 'header:date:asDate': '2026-01-01T00:00:00Z' }));
    expect(raw.match(/^(?:Message-ID|Date):/gim)).toEqual(['Message-ID:', 'date:']);
  });

  // @pitfall set create-email
  test('attaches uploads, messages and parts of messages of the account, octet by octet', async () => {
    const file = Buffer.from([0, 255, 13, 10, 46, 10]);
    const outer = await deployment.deliver({
      raw: [
        'Subject: outer',
        'Content-Type: multipart/mixed; boundary=x',
        '',
        '--x',
        'Content-Type: text/csv; name=a.csv',
        'Content-Transfer-Encoding: base64',
        'Content-Disposition: attachment',
        '',
        Buffer.from('ä;1').toString('base64'),
        '--x--',
        '',
      ].join('\n'),
    });
    const original = await get(outer, { properties: ['blobId', 'attachments'] });
    const created = await create({
      ...text('See the files.'),
      attachments: [
        { blobId: await deployment.upload(file), type: 'application/x-thing', name: 'Ünïcode “name” *%.bin' },
        { blobId: original['blobId'], type: 'message/rfc822', name: 'outer.eml' },
        { ...original['attachments'][0], partId: null },
      ],
    });
    const { attachments, hasAttachment } = await get(created['id'] as string);
    expect(hasAttachment).toBe(true);
    expect(attachments).toMatchObject([
      { type: 'application/x-thing', name: 'Ünïcode “name” *%.bin', disposition: 'attachment', size: file.length },
      { type: 'message/rfc822', name: 'outer.eml' },
      { type: 'text/csv', name: 'a.csv', charset: 'us-ascii', disposition: 'attachment', size: 4 },
    ]);
    const contents = await Promise.all((attachments as Json[]).map((part) => contentOf(part['blobId'] as string)));
    expect(contents).toEqual([file.toString(), await rawOf(original), 'ä;1']);
  });

  test('takes a part without a type in textBody as text/plain and in htmlBody as text/html, with a text or a blob', async () => {
    const [plain, html] = [await deployment.upload(Buffer.from('Hello')), await deployment.upload(Buffer.from('<p>Hello</p>'))];
    for (const body of [
      { textBody: [{ blobId: plain }], htmlBody: [{ blobId: html }] },
      { textBody: [{ partId: 't' }], htmlBody: [{ partId: 'h' }], bodyValues: { t: { value: 'Hello' }, h: { value: '<p>Hello</p>' } } },
    ]) {
      const { id } = await create(body);
      const { textBody, htmlBody, bodyValues } = await get(id as string, { fetchAllBodyValues: true });
      expect([textBody, htmlBody].map(([part]: Json[]) => [part!['type'], (bodyValues as Json)[part!['partId'] as string].value])).toEqual([
        ['text/plain', 'Hello'],
        ['text/html', '<p>Hello</p>'],
      ]);
    }
  });

  test('attaches a blob by the creation id of an earlier call of the request', async () => {
    const [[, { created: blobs }], [, { created, notCreated }]] = (await deployment.perform(
      [
        ['Blob/upload', { accountId: 'acc_alice', create: { b: { data: [{ 'data:asText': 'content' }], type: 'text/plain' } } }, '0'],
        [
          'Email/set',
          {
            accountId: 'acc_alice',
            create: {
              a: { mailboxIds: { [drafts]: true }, attachments: [{ blobId: '#b', type: 'text/plain' }] },
              c: { mailboxIds: { [drafts]: true }, attachments: [{ blobId: '#nope', type: 'text/plain' }] },
            },
          },
          '1',
        ],
      ],
      { using: [...mailAndCore, capability.blob] },
    )) as [Response, Response];
    expect(blobs.b.size).toBe(7);
    expect(created.a.attachments[0].size).toBe(7);
    expect(notCreated.c).toMatchObject({ type: 'blobNotFound', notFound: ['#nope'] });
  });

  test('writes a bodyStructure as it is given, with the header fields of its parts', async () => {
    const image = await deployment.upload(Buffer.from('image'));
    const created = await create({
      subject: 'Tree',
      bodyStructure: {
        type: 'multipart/mixed',
        'header:X-Root:asText': 'Würzel',
        subParts: [
          {
            type: 'multipart/related',
            subParts: [
              { partId: 'h', type: 'text/html', 'header:Content-Description:asText': 'The text' },
              { blobId: image, type: 'image/png', cid: 'i@example.test', disposition: 'inline', language: ['en', 'de'], location: 'i.png', size: 99 },
            ],
          },
          { partId: 'f', 'header:Content-Type': ' text/plain; format=flowed; charset=iso-8859-1', disposition: 'ATTACHMENT', name: 'note.txt' },
        ],
      },
      bodyValues: { h: { value: '<img src="cid:i@example.test">' }, f: { value: 'flows \non' } },
    });
    const bodyProperties = ['type', 'name', 'charset', 'disposition', 'cid', 'language', 'location', 'size', 'subParts', 'header:Content-Description:asText'];
    const email = await get(created['id'] as string, { properties: ['bodyStructure', 'header:X-Root:asText'], bodyProperties });
    expect(email['header:X-Root:asText']).toBe('Würzel');
    expect(email['bodyStructure']).toMatchObject({
      type: 'multipart/mixed',
      subParts: [
        {
          type: 'multipart/related',
          subParts: [
            { type: 'text/html', 'header:Content-Description:asText': 'The text' },
            { type: 'image/png', cid: 'i@example.test', disposition: 'inline', language: ['en', 'de'], location: 'i.png', size: 5 },
          ],
        },
        { type: 'text/plain', charset: 'utf-8', disposition: 'attachment', name: 'note.txt' },
      ],
    });
    expect(await rawOf(created)).toContain('Content-Type: text/plain; charset=utf-8; format=flowed\r\n');
  });

  // @pitfall set create-email
  test('accepts header fields in every form, and returns them in it', async () => {
    const properties = {
      'header:Subject': ' raw, not encoded',
      'header:Comments:asText': 'Ümlaut',
      'header:Resent-To:asAddresses': [{ name: 'B', email: 'b@example.test' }],
      'header:To:asGroupedAddresses': [
        { name: 'Team', addresses: [{ name: null, email: 'a@example.test' }] },
        { name: null, addresses: [{ name: 'C', email: 'c@example.test' }] },
      ],
      'header:References:asMessageIds': ['a@b', 'c@d'],
      'header:X-When:asDate': '2026-11-21T09:30:00+01:00',
      'header:List-Unsubscribe:asURLs': ['https://example.test/u', 'mailto:u@example.test'],
      'header:X-Many:asText:all': ['one', 'zwö'],
      'header:X-Raw:all': [' a', ' b\r\n c'],
      'header:X-None:asText': null,
      'header:X-Empty:all': [],
    };
    const created = await create(properties);
    const email = await get(created['id'] as string, { properties: Object.keys(properties) });
    expect(email).toEqual({ id: created['id'], ...properties });
    expect(created).toMatchObject({ subject: 'raw, not encoded', references: ['a@b', 'c@d'], to: [{ email: 'a@example.test' }, { email: 'c@example.test' }] });
  });

  test('joins the Thread that inReplyTo and references name', async () => {
    const parent = await deployment.deliver({ id: 'parent', subject: 'Plan' });
    const { threadId } = await get(parent, { properties: ['threadId'] });
    deployment.later(60);
    const created = await create({ subject: 'Re: Plan', inReplyTo: ['parent@example.net'], references: ['parent@example.net'], ...text('yes') });
    expect(created['threadId']).toBe(threadId);
    expect((await deployment.call('Thread/get', { ids: [threadId] }))['list'][0].emailIds).toEqual([parent, created['id']]);
  });

  test('creates, updates and destroys in one call, under creation ids', async () => {
    const old = await create({ subject: 'old' });
    const inDrafts = { mailboxIds: { [drafts]: true } };
    const responses = await deployment.perform([
      ['Mailbox/set', { accountId: 'acc_alice', create: { new: { name: 'Ideas' } } }, '0'],
      [
        'Email/set',
        {
          accountId: 'acc_alice',
          create: { a: { mailboxIds: { '#new': true }, subject: 'a' }, b: inDrafts, c: inDrafts },
          update: { '#a': { 'keywords/$flagged': true }, [old['id'] as string]: { 'mailboxIds/#new': true } },
          destroy: ['#b'],
        },
        '1',
      ],
      ['Email/set', { accountId: 'acc_alice', destroy: [old['id']], update: { '#c': { 'keywords/$seen': true } } }, '2'],
    ]);
    const [mailboxes, first, second] = responses.map(([, args]) => args) as [Json, Json, Json];
    const ids = ['a', 'b', 'c'].map((creationId) => first['created'][creationId].id as string);
    const found = await deployment.call('Email/get', { ids, properties: ['keywords', 'mailboxIds'] });
    const newMailbox = mailboxes['created'].new.id as string;
    expect(first).toMatchObject({ notCreated: null, notUpdated: null, notDestroyed: null, destroyed: [ids[1]] });
    expect(second).toMatchObject({ notUpdated: null, destroyed: [old['id']] });
    expect(found['list']).toEqual([
      { id: ids[0], keywords: { $flagged: true }, mailboxIds: { [newMailbox]: true } },
      { id: ids[2], keywords: { $seen: true }, mailboxIds: { [drafts]: true } },
    ]);
    expect(found['notFound']).toEqual([ids[1]]);
  });

  test('shows in Email/changes, in the counters of the Mailbox, and by its blob', async () => {
    const { state } = await deployment.call('Email/get', { ids: [] });
    const created = await create({ subject: 'new', ...text('x') });
    expect((await deployment.call('Email/changes', { sinceState: state }))['created']).toEqual([created['id']]);
    expect((await deployment.call('Mailbox/get', { ids: [drafts] }))['list'][0]).toMatchObject({ totalEmails: 1, unreadEmails: 1 });
    const again = await create({ ...text('y'), attachments: [{ blobId: created['blobId'], type: 'message/rfc822' }] });
    expect(again['attachments'][0].size).toBe(created['size']);
  });

  test('stores nothing when ifInState does not match, and never a second message', async () => {
    const before = deployment.objects.keys();
    const response = await set({ ifInState: 'Email-99', create: { a: { mailboxIds: { [drafts]: true } } } });
    expect(response['type']).toBe('stateMismatch');
    expect(deployment.objects.keys()).toEqual(before);
    await create({});
    expect(deployment.objects.keys().filter((key) => key.startsWith('messages/'))).toHaveLength(1);
  });

  test('stores an Email of as many parts, levels and header fields as the limits allow', async () => {
    const nested = (depth: number): Json =>
      depth === 0 ? { partId: 't', type: 'text/plain' } : { type: 'multipart/mixed', subParts: [nested(depth - 1), ...(depth === 1 ? leaves : [])] };
    const leaves = Array.from({ length: emailLimits.maxBodyPartsPerEmail - emailLimits.maxBodyPartDepth - 1 }, () => ({ partId: 't', type: 'text/plain' }));
    const fields = Object.fromEntries(Array.from({ length: emailLimits.maxHeaderFieldsPerPart }, (_, index) => [`header:X-${index}`, ' x']));
    const created = await create({ ...fields, bodyStructure: nested(emailLimits.maxBodyPartDepth), bodyValues: { t: { value: 'x' } } });
    const { bodyStructure, headers } = await get(created['id'] as string, { properties: ['bodyStructure', 'headers'], bodyProperties: ['type'] });
    const count = (part: Json): number => 1 + ((part['subParts'] ?? []) as Json[]).reduce((sum, each) => sum + count(each), 0);
    expect(count(bodyStructure as Json)).toBe(emailLimits.maxBodyPartsPerEmail);
    expect(JSON.stringify(bodyStructure)).not.toContain('octet-stream');
    expect((headers as Json[]).filter(({ name }) => (name as string).startsWith('X-'))).toHaveLength(emailLimits.maxHeaderFieldsPerPart);
  });

  test('is overQuota when the account has no room for the Email', async () => {
    deployment = await jmapDeployment({ quotaDefaults: { octets: 300, count: 10 } });
    drafts = (await deployment.roles())['drafts']!;
    const { created, notCreated } = await set({ create: { a: { mailboxIds: { [drafts]: true }, ...text('x'.repeat(300)) } } });
    expect([created, notCreated.a.type]).toEqual([null, 'overQuota']);
  });

  test('saves a draft anew in a full account when the same call destroys the old one', async () => {
    deployment = await jmapDeployment({ quotaDefaults: { octets: 100_000, count: 1 } });
    drafts = (await deployment.roles())['drafts']!;
    const old = await create(text('first'));
    const draft = { mailboxIds: { [drafts]: true }, ...text('second') };
    expect((await set({ create: { a: draft } }))['notCreated'].a.type).toBe('overQuota');
    const { created, destroyed, notCreated } = await set({ create: { a: draft }, destroy: [old['id']] });
    expect([Object.keys(created as Json), destroyed, notCreated]).toEqual([['a'], [old['id']], null]);
  });
});
