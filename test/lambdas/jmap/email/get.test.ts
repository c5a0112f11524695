import { jmapDeployment, type JmapDeployment, type Json } from '../jmap-deployment.ts';

const withAttachment = `From: "Bob, the builder" <bob@example.net>, Team: carol@example.net;
To: alice@example.test
Cc: dan@example.net
Subject: =?UTF-8?B?R3LDvMOfZQ==?=
Message-ID: <root@example.net>
References: <a@example.net> <b@example.net>
In-Reply-To: <b@example.net>
Date: Sat, 21 Nov 2026 08:38:00 +0100
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=outer

--outer
Content-Type: multipart/alternative; boundary=inner

--inner
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable

Gr=C3=BC=C3=9Fe aus K=C3=B6ln
--inner
Content-Type: text/html; charset=utf-8

<p>Hallo</p>
--inner--
--outer
Content-Type: image/png; name*=UTF-8''Bild%20%C3%BC.png
Content-Disposition: attachment; filename*=UTF-8''Bild%20%C3%BC.png
Content-Transfer-Encoding: base64
Content-ID: <pic@example.net>
Content-Language: de, en
Content-Location: https://example.net/pic.png

iVBORw0KGgo=
--outer--
`;

describe('Email/get', () => {
  let deployment: JmapDeployment;
  let id: string;
  let roles: Record<string, string>;
  beforeAll(async () => {
    deployment = await jmapDeployment();
    roles = await deployment.roles();
    id = await deployment.deliver({ raw: withAttachment, keywords: ['$seen'], receivedAt: Date.UTC(2026, 10, 21, 8, 0, 1, 250) });
  });
  const get = async (args: Json = {}): Promise<Json> => (await deployment.call('Email/get', { ids: [id], ...args }))['list'][0] as Json;

  // @requirement 8621 §4.2 get-default-properties
  // @requirement 8621 §4.1.1 email-size
  test('returns the default properties of RFC 8621 §4.2', async () => {
    const email = await get();
    expect(Object.keys(email).sort()).toEqual([
      'attachments',
      'bcc',
      'blobId',
      'bodyValues',
      'cc',
      'from',
      'hasAttachment',
      'htmlBody',
      'id',
      'inReplyTo',
      'keywords',
      'mailboxIds',
      'messageId',
      'preview',
      'receivedAt',
      'references',
      'replyTo',
      'sender',
      'sentAt',
      'size',
      'subject',
      'textBody',
      'threadId',
      'to',
    ]);
    expect(email).toMatchObject({
      id,
      keywords: { $seen: true },
      mailboxIds: { [roles['inbox']!]: true },
      size: Buffer.byteLength(withAttachment.replaceAll('\n', '\r\n')),
      receivedAt: '2026-11-21T08:00:01.250Z',
      messageId: ['root@example.net'],
      inReplyTo: ['b@example.net'],
      references: ['a@example.net', 'b@example.net'],
      from: [
        { name: 'Bob, the builder', email: 'bob@example.net' },
        { name: null, email: 'carol@example.net' },
      ],
      to: [{ name: null, email: 'alice@example.test' }],
      cc: [{ name: null, email: 'dan@example.net' }],
      bcc: null,
      sender: null,
      replyTo: null,
      subject: 'Grüße',
      sentAt: '2026-11-21T08:38:00+01:00',
      hasAttachment: true,
      preview: 'Grüße aus Köln',
      bodyValues: {},
    });
    expect(email['blobId']).toMatch(/^B[\w-]{22}$/);
  });

  // @requirement 8620 §1.4 date-form
  test('returns receivedAt without a fraction when it is zero', async () => {
    const other = await deployment.deliver({ receivedAt: Date.UTC(2026, 10, 21, 8) });
    expect((await get({ ids: [other], properties: ['receivedAt'] }))['receivedAt']).toBe('2026-11-21T08:00:00Z');
  });

  // @requirement 8620 §5.1 get-properties
  // @pitfall get id
  // @pitfall get requested-only
  test('returns id and the requested properties only', async () => {
    expect(Object.keys(await get({ properties: ['subject'] })).sort()).toEqual(['id', 'subject']);
    expect(await get({ properties: [] })).toEqual({ id });
    expect(await get({ properties: ['keywords', 'keywords', 'id'] })).toEqual({ id, keywords: { $seen: true } });
  });

  // @requirement 8620 §5.1 get-all
  // @requirement 8620 §5.1 get-not-found
  // @pitfall get ids
  test('returns all Emails for ids null, none for [], and unknown ids as notFound', async () => {
    expect((await deployment.call('Email/get', { properties: ['id'] }))['list'].length).toBeGreaterThan(0);
    expect(await deployment.call('Email/get', { ids: [] })).toMatchObject({ list: [], notFound: [] });
    expect(await deployment.call('Email/get', { ids: ['Mnope', id], properties: ['id'] })).toMatchObject({ list: [{ id }], notFound: ['Mnope'] });
  });

  test('returns Emails in the order of ids', async () => {
    const other = await deployment.deliver();
    const { list } = await deployment.call('Email/get', { ids: [other, id], properties: ['subject'] });
    expect(list.map((email: Json) => email['id'])).toEqual([other, id]);
  });

  // @requirement 8620 §5.1 get-invalid-property
  test.each([
    ['an unknown property', { properties: ['colour'] }],
    ['an unknown body property', { bodyProperties: ['colour'] }],
    ['the body property constructor', { bodyProperties: ['constructor'] }],
    ['a negative maxBodyValueBytes', { maxBodyValueBytes: -1 }],
  ])('refuses %s with invalidArguments', async (_what, args) => {
    expect(await deployment.call('Email/get', { ids: [id], ...args })).toMatchObject({ type: 'invalidArguments' });
  });

  describe('body parts', () => {
    test('textBody, htmlBody and attachments list the parts with the default properties', async () => {
      const { textBody, htmlBody, attachments } = await get({ properties: ['textBody', 'htmlBody', 'attachments'] });
      expect(textBody).toMatchObject([{ type: 'text/plain', charset: 'utf-8', disposition: null, name: null, cid: null }]);
      expect(htmlBody).toMatchObject([{ type: 'text/html' }]);
      expect(attachments).toEqual([
        {
          partId: expect.any(String) as string,
          blobId: expect.stringMatching(/^P[\w-]{22}_/) as string,
          size: 8,
          name: 'Bild ü.png',
          type: 'image/png',
          charset: null,
          disposition: 'attachment',
          cid: 'pic@example.net',
          language: ['de', 'en'],
          location: 'https://example.net/pic.png',
        },
      ]);
    });

    // @requirement 8621 §4.2 get-body-properties
    // @pitfall get body-properties
    test('parts have the properties that bodyProperties names', async () => {
      expect(
        (
          await get({ properties: ['attachments'], bodyProperties: ['type', 'subParts', 'header:Content-Transfer-Encoding', 'header:Content-Language:asText'] })
        )['attachments'],
      ).toEqual([{ type: 'image/png', subParts: null, 'header:Content-Transfer-Encoding': ' base64', 'header:Content-Language:asText': 'de, en' }]);
    });

    // @pitfall get header-forms-of-parts
    test('parts have their own header fields in every form, and null or no instance of those that they lack', async () => {
      const fields = {
        'header:Content-Description': ' =?utf-8?Q?Gr=C3=BC=C3=9Fe?=',
        'header:content-description:asText': 'Grüße',
        'header:X-From:asAddresses': [{ name: 'A', email: 'a@b' }],
        'header:X-To:asGroupedAddresses': [{ name: 'G', addresses: [] }],
        'header:X-Ids:asMessageIds': ['a@b'],
        'header:X-When:asDate': '2026-11-21T08:38:00+01:00',
        'header:X-Url:asURLs': ['https://example.net'],
        'header:X-Twice:all': [' 1', ' 2'],
        'header:X-Twice:asText': '2',
        'header:Subject': null,
        'header:Subject:asText:all': [],
      };
      const other = await deployment.deliver({
        raw: [
          'Subject: of the message',
          'Content-Type: multipart/mixed; boundary=x',
          '',
          '--x',
          'Content-Description: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=',
          'X-From: A <a@b>',
          'X-To: G:;',
          'X-Ids: <a@b>',
          'X-When: Sat, 21 Nov 2026 08:38:00 +0100',
          'X-Url: <https://example.net>',
          'X-Twice: 1',
          'X-Twice: 2',
          '',
          'text',
          '--x--',
          '',
        ].join('\n'),
      });
      const { list } = await deployment.call('Email/get', { ids: [other], properties: ['textBody', 'bodyStructure'], bodyProperties: Object.keys(fields) });
      expect([list[0].textBody, list[0].bodyStructure.subParts]).toEqual([[fields], [fields]]);
      expect(list[0].bodyStructure['header:Subject']).toBe(' of the message');
    });

    test('headers of a part are the fields of its own header block', async () => {
      const { attachments } = await get({ properties: ['attachments'], bodyProperties: ['headers'] });
      expect(attachments[0].headers.map(({ name }: Json) => name)).toEqual([
        'Content-Type',
        'Content-Disposition',
        'Content-Transfer-Encoding',
        'Content-ID',
        'Content-Language',
        'Content-Location',
      ]);
    });

    // @requirement 8621 §4.1.4 part-id
    // @requirement 8621 §4.1.4 body-structure
    test('bodyStructure contains all parts; a multipart has no blobId', async () => {
      const { bodyStructure } = await get({ properties: ['bodyStructure'], bodyProperties: ['type', 'partId', 'blobId', 'subParts'] });
      expect(bodyStructure).toMatchObject({
        type: 'multipart/mixed',
        partId: null,
        blobId: null,
        subParts: [{ type: 'multipart/alternative', subParts: [{ type: 'text/plain', subParts: null }, { type: 'text/html' }] }, { type: 'image/png' }],
      });
      const part = bodyStructure.subParts[0].subParts[0] as Json;
      expect([part['partId'], part['blobId']]).toEqual([expect.any(String), expect.stringMatching(/^P/)]);
    });

    test('bodyStructure contains all parts when bodyProperties does not name subParts', async () => {
      expect((await get({ properties: ['bodyStructure'], bodyProperties: ['type'] }))['bodyStructure']).toEqual({
        type: 'multipart/mixed',
        subParts: [{ type: 'multipart/alternative', subParts: [{ type: 'text/plain' }, { type: 'text/html' }] }, { type: 'image/png' }],
      });
    });
  });
});

const alternative = (text: string, html: string) => `Subject: x
Content-Type: multipart/alternative; boundary=b

--b
Content-Type: text/plain; charset=utf-8

${text}
--b
Content-Type: text/html; charset=utf-8

${html}
--b--
`;

describe('bodyValues of Email/get', () => {
  let deployment: JmapDeployment;
  beforeAll(async () => {
    deployment = await jmapDeployment();
  });
  /** The body values of a message, by the media types of their parts. */
  const valuesOf = async (raw: string | Buffer, args: Json): Promise<Record<string, Json>> => {
    const id = await deployment.deliver({ raw });
    const { list } = await deployment.call('Email/get', {
      ids: [id],
      properties: ['bodyValues', 'bodyStructure'],
      bodyProperties: ['partId', 'type', 'subParts'],
      ...args,
    });
    const { bodyValues, bodyStructure } = list[0] as Json;
    const parts: Json[] = bodyStructure.subParts ?? [bodyStructure];
    return Object.fromEntries(
      Object.entries(bodyValues as Json).map(([partId, value]) => [parts.find((part) => part['partId'] === partId)!['type'], value as Json]),
    );
  };
  const all = { fetchAllBodyValues: true };

  // @requirement 8621 §4.2 get-body-values
  test('contain the parts that the fetch…BodyValues arguments select; {} without them', async () => {
    const raw = alternative('Text', '<p>HTML</p>');
    expect(await valuesOf(raw, {})).toEqual({});
    expect(Object.keys(await valuesOf(raw, { fetchTextBodyValues: true }))).toEqual(['text/plain']);
    expect(Object.keys(await valuesOf(raw, { fetchHTMLBodyValues: true }))).toEqual(['text/html']);
    expect(Object.keys(await valuesOf(raw, all)).sort()).toEqual(['text/html', 'text/plain']);
  });

  // @requirement 8621 §4.1.4 body-values
  // @pitfall get line-ends
  test('are decoded and have line feeds as line ends', async () => {
    const raw = 'Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nGr=FC=DFe=\n!\nZeile 2\n';
    expect(await valuesOf(raw, all)).toEqual({ 'text/plain': { value: 'Grüße!\nZeile 2\n', isEncodingProblem: false, isTruncated: false } });
  });

  // @requirement 8621 §4.1.4 body-value-problem
  // @pitfall get encoding-problem
  // @pitfall get unknown-charset
  test('report an encoding problem when the charset is unknown or the octets do not match it', async () => {
    expect(await valuesOf('Content-Type: text/plain; charset=klingon\n\nHello\n', all)).toMatchObject({
      'text/plain': { value: 'Hello\n', isEncodingProblem: true },
    });
    expect(await valuesOf(Buffer.from('Content-Type: text/plain; charset=utf-8\r\n\r\nGr\xfc\xdfe\r\n', 'latin1'), all)).toMatchObject({
      'text/plain': { isEncodingProblem: true },
    });
  });

  // @requirement 8621 §4.2 get-truncate
  // @pitfall get truncated-character
  test('are truncated to maxBodyValueBytes, not within a character', async () => {
    const { 'text/plain': { value, isTruncated } = {} } = await valuesOf(alternative('üüüüüüüü', 'x'), { fetchTextBodyValues: true, maxBodyValueBytes: 5 });
    expect([value, isTruncated]).toEqual(['üü', true]);
  });

  // @requirement 8621 §4.2 get-truncate-tag
  // @pitfall get truncated-tag
  test('are truncated before an HTML tag that does not fit', async () => {
    const { 'text/html': { value, isTruncated } = {} } = await valuesOf(alternative('x', '<p>Hello</p><img src="x">'), {
      fetchHTMLBodyValues: true,
      maxBodyValueBytes: 15,
    });
    expect([value, isTruncated]).toEqual(['<p>Hello</p>', true]);
  });

  test('of a long text: only the returned octets are read', async () => {
    const read: number[] = [];
    const get = deployment.objects.get.bind(deployment.objects);
    deployment.jmap.dependencies.objects.get = async (key, range) => {
      const object = await get(key, range);
      read.push(object!.bytes.length);
      return object;
    };
    const values = await valuesOf(`Content-Type: text/plain; charset=utf-8\n\n${'ä'.repeat(1_000_000)}\n`, { ...all, maxBodyValueBytes: 1001 });
    expect(values['text/plain']).toMatchObject({ value: 'ä'.repeat(500), isTruncated: true, isEncodingProblem: false });
    expect(Math.max(...read)).toBeLessThan(10_000);
    deployment.jmap.dependencies.objects.get = get;
  });

  test('that exceed the size of a response fail with requestTooLarge', async () => {
    const raw = `Content-Type: text/plain\n\n${'x'.repeat(1_900_000)}\n`;
    const ids = [await deployment.deliver({ raw }), await deployment.deliver({ raw }), await deployment.deliver({ raw }), await deployment.deliver({ raw })];
    expect(await deployment.call('Email/get', { ids, properties: ['bodyValues'], ...all })).toMatchObject({ type: 'requestTooLarge' });
    expect((await deployment.call('Email/get', { ids: ids.slice(1), properties: ['bodyValues'], ...all }))['list']).toHaveLength(3);
  });

  test('of a message that is not valid RFC 5322 are returned', async () => {
    const id = await deployment.deliver({ raw: Buffer.from([0, 1, 2, 255, 254, 10]) });
    expect((await deployment.call('Email/get', { ids: [id], ...all }))['list']).toHaveLength(1);
  });
});
