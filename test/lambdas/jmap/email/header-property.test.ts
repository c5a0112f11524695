import { jmapDeployment, type JmapDeployment, type Json } from '../jmap-deployment.ts';

const raw = `Received: from a by b; Sat, 21 Nov 2026 07:00:00 +0000
Received: from c by d; Sat, 21 Nov 2026 06:00:00 +0000
From: =?UTF-8?Q?=C3=9Cbermut?= <sender@example.net>
To: Friends: ann@example.net, "Ben B." <ben@example.net>; , alone@example.net
Subject: =?UTF-8?Q?Zweite?=
 =?UTF-8?Q?_Zeile?=
Message-ID: <one@example.net>
References: <a@example.net>
 <b@example.net>
Date: Sat, 21 Nov 2026 08:38:00 +0100
Resent-Date: not a date
List-Unsubscribe: <https://example.net/u?x=1>, <mailto:u@example.net>
List-Id: The list <list.example.net>
X-Sent: Sat, 21 Nov 2026 08:38:00 +0100
X-Original: Ann <ann@example.net>, <https://example.net/x>
X-Custom: =?ISO-8859-1?Q?caf=E9?=
X-Twice: first
X-Twice: second

Body
`;

describe('header properties of Email/get', () => {
  let deployment: JmapDeployment;
  let id: string;
  beforeAll(async () => {
    deployment = await jmapDeployment();
    id = await deployment.deliver({ raw });
  });
  const property = async (name: string): Promise<unknown> => {
    const { list, ...rest } = await deployment.call('Email/get', { ids: [id], properties: [name] });
    return list ? (list[0] as Json)[name] : rest;
  };

  // @requirement 8621 §4.1.3 header-property
  // @requirement 8621 §4.1.3 header-property-all
  // @requirement 8621 §4.2 get-header-capitalization
  test.each<[string, unknown]>([
    // @pitfall get header-forms
    ['header:Subject', ' =?UTF-8?Q?Zweite?=\r\n =?UTF-8?Q?_Zeile?='],
    ['header:subject:asRaw', ' =?UTF-8?Q?Zweite?=\r\n =?UTF-8?Q?_Zeile?='],
    // @pitfall get header-forms
    ['header:Subject:asText', 'Zweite Zeile'],
    ['header:X-Custom:asText', 'café'],
    // @pitfall get header-forms
    ['header:From:asAddresses', [{ name: 'Übermut', email: 'sender@example.net' }]],
    [
      'header:To:asAddresses',
      [
        { name: null, email: 'ann@example.net' },
        { name: 'Ben B.', email: 'ben@example.net' },
        { name: null, email: 'alone@example.net' },
      ],
    ],
    // @pitfall get header-forms
    [
      'header:To:asGroupedAddresses',
      [
        {
          name: 'Friends',
          addresses: [
            { name: null, email: 'ann@example.net' },
            { name: 'Ben B.', email: 'ben@example.net' },
          ],
        },
        { name: null, addresses: [{ name: null, email: 'alone@example.net' }] },
      ],
    ],
    // @pitfall get header-forms
    ['header:References:asMessageIds', ['a@example.net', 'b@example.net']],
    // @pitfall get header-forms
    ['header:Date:asDate', '2026-11-21T08:38:00+01:00'],
    ['header:Resent-Date:asDate', null],
    // @pitfall get header-forms
    ['header:List-Unsubscribe:asURLs', ['https://example.net/u?x=1', 'mailto:u@example.net']],
    ['header:List-Id:asText', 'The list <list.example.net>'],
    ['header:List-Id:asURLs', ['list.example.net']],
    ['header:List-Id:asAddresses:all', [[{ name: 'The list', email: 'list.example.net' }]]],
    ['header:LIST-ID:asMessageIds', ['list.example.net']],
    ['header:List-Id:asDate', null],
    ['header:X-Sent:asDate', '2026-11-21T08:38:00+01:00'],
    ['header:X-Original:asURLs', ['ann@example.net', 'https://example.net/x']],
    ['header:X-Original:asMessageIds', ['ann@example.net', 'https://example.net/x']],
    ['header:X-Twice', ' second'],
    // @pitfall get header-forms
    ['header:X-Twice:all', [' first', ' second']],
    ['header:X-Twice:asText:all', ['first', 'second']],
    ['header:Nobody', null],
    ['header:Nobody:all', []],
    ['header:Nobody:asAddresses', null],
  ])('returns %s', async (name, value) => {
    expect(await property(name)).toEqual(value);
  });

  // @requirement 8621 §4.1.2.2 text-form-fields
  // @requirement 8621 §4.1.2.3 addresses-form-fields
  // @requirement 8621 §4.1.3 header-property-suffix-order
  // @requirement 8621 §4.2 get-forbidden-form
  test.each([
    'header:',
    'header::all',
    'header:Subject:asNothing',
    'header:Subject:asText:some',
    'header:Sub ject',
    'header:Subject:all:asText',
    'header:Subject:asDate',
    'header:From:asText',
    'header:Date:asURLs',
    'header:Message-ID:asAddresses',
    'header:Received:asText',
    'header:Subject:constructor',
  ])('refuses %s with invalidArguments', async (name) => {
    expect(await property(name)).toMatchObject({ type: 'invalidArguments' });
  });

  // @requirement 8621 §4.1.3 headers
  test('headers contains all fields in order, undecoded', async () => {
    const headers = (await property('headers')) as Json[];
    expect(headers.map((field) => field['name'])).toEqual([
      'Received',
      'Received',
      'From',
      'To',
      'Subject',
      'Message-ID',
      'References',
      'Date',
      'Resent-Date',
      'List-Unsubscribe',
      'List-Id',
      'X-Sent',
      'X-Original',
      'X-Custom',
      'X-Twice',
      'X-Twice',
    ]);
    expect(headers[13]).toEqual({ name: 'X-Custom', value: ' =?ISO-8859-1?Q?caf=E9?=' });
  });

  // @pitfall get raw-octets
  test('8-bit octets of a header field are decoded', async () => {
    const other = await deployment.deliver({ raw: Buffer.from('Subject: Gr\xfc\xdfe\r\nX-Eight: Gr\xc3\xbc\xc3\x9fe\r\n\r\nx\r\n', 'latin1') });
    const { list } = await deployment.call('Email/get', { ids: [other], properties: ['subject', 'header:X-Eight:asText'] });
    expect(list[0]).toMatchObject({ subject: 'Grüße', 'header:X-Eight:asText': 'Grüße' });
  });

  test('only the header block of the message is read', async () => {
    const big = await deployment.deliver({ raw: `Subject: x\n\n${'x'.repeat(500_000)}` });
    const get = deployment.objects.get.bind(deployment.objects);
    const read: number[] = [];
    deployment.jmap.dependencies.objects.get = async (key, range) => {
      const object = await get(key, range);
      read.push(object!.bytes.length);
      return object;
    };
    await deployment.call('Email/get', { ids: [big], properties: ['header:Subject'] });
    deployment.jmap.dependencies.objects.get = get;
    expect(read).toEqual([expect.any(Number)]);
    expect(read[0]).toBeLessThan(100);
  });
});
