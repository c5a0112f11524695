import { searchLimits, unadvertisedLimits } from '../../../../contract/jmap/core.ts';
import { mailStore } from '../../../../core/mail/mail-store/table-mail-store.ts';
import type { Table } from '../../../../core/storage/table.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { mailCommit } from '../../../support/email-fixtures.ts';
import { jmapDeployment, type JmapDeployment, type Json } from '../jmap-deployment.ts';

const mail: Readonly<Record<string, string>> = {
  plain: [
    'From: "Zoë Müller" <zoe.mueller@mail.example.net>',
    'To: Alice <alice@example.test>, Bob Stone <bob@lists.example.org>',
    'Cc: Crew <team@example.test>',
    'Subject: Quarterly report',
    'List-Id: <news.example.net>',
    'X-Priority: 1',
    'Content-Type: text/plain; charset=utf-8',
    '',
    'The straße to the café was closed.',
    'Please confirm the invoice number 4711.',
    '',
  ].join('\n'),
  html: [
    'From: shop@store.example',
    'To: alice@example.test',
    'Bcc: The Accountant <hidden@example.test>',
    'Subject: =?UTF-8?B?5p2x5Lqs5aSn5a2m44Gu44GK55+l44KJ44Gb?=',
    'MIME-Version: 1.0',
    'Content-Type: text/html; charset=utf-8',
    '',
    '<html><head><style>invisible</style><link title="invisible"></head><body class="invisible"><p>The in<b>voice</b> is attached.</p>',
    '<p>number</p><p>4711</p><img src="invisible.png" alt="Blue &eacute;toile"><a href=x title=\'Track "parcel"\'>here</a>',
    '<img hidden alt="invisible"></body></html>',
    '',
  ].join('\n'),
  attached: [
    'From: Bob <bob@example.test>',
    'To: alice@example.test',
    'Subject: Files',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'See below.',
    '--b',
    'Content-Type: text/plain; name="notes.txt"',
    'Content-Disposition: attachment; filename="notes.txt"',
    '',
    'A walrus is in this attachment.',
    '--b',
    'Content-Type: application/pdf; name="Annual Budget.pdf"',
    'Content-Disposition: attachment; filename="Annual Budget.pdf"',
    'Content-Transfer-Encoding: base64',
    '',
    'd2FscnVz',
    '--b--',
    '',
  ].join('\n'),
  scripts: [
    'From: alice@example.test',
    'To: bob@example.test',
    'Subject: Привет мир',
    'Content-Type: text/plain; charset=utf-8',
    '',
    '我们在北京大学学习。',
    'ภาษาไทยง่ายนิดเดียว',
    'こんにちは世界',
    'שָׁלוֹם',
    '',
  ].join('\n'),
};

describe('Email/query by texts', () => {
  let deployment: JmapDeployment;
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    deployment = await jmapDeployment();
    for (const [id, raw] of Object.entries(mail)) ids[id] = await deployment.deliver({ id, raw });
  });
  const query = (filter: Json, args: Json = {}) => deployment.call('Email/query', { filter, ...args });
  const namesOf = async (filter: Json): Promise<string[]> => {
    const { ids: found, ...error } = await query(filter);
    if (!found) throw new Error(JSON.stringify(error));
    return found.map((id: string) => Object.keys(ids).find((name) => ids[name] === id)).sort();
  };

  // @requirement 8621 §4.4.1 query-text
  // @requirement 8621 §4.4.1 query-address-fields
  // @requirement 8621 §4.4.1 query-subject-body
  // @requirement 8621 §4.4.1 query-header
  // @requirement 8621 §4.4.1 query-has-attachment
  test.each<[string, Json, string[]]>([
    ['a word of the body', { body: 'invoice' }, ['html', 'plain']],
    ['a word in any field', { text: 'report' }, ['plain']],
    ['words in different fields', { text: 'quarterly zoe 4711' }, ['plain']],
    ['all words, not some', { text: 'quarterly walrus' }, []],
    ['letters of any case, without accents', { body: 'STRASSE cafe' }, ['plain']],
    ['a phrase', { body: '"invoice number"' }, ['plain']],
    ['a phrase in another order', { body: '"number invoice"' }, []],
    ['a prefix', { body: 'confi*' }, ['plain']],
    ['the visible text of HTML, and nothing else of it', { text: 'invisible' }, []],
    ['what HTML says of a picture', { body: '"blue etoile"' }, ['html']],
    ['the title of a link in HTML', { text: '"track parcel"' }, ['html']],
    ['no phrase over two attributes', { body: '"etoile track"' }, []],
    ['a phrase over a picture in it', { body: '"4711 here"' }, ['html']],
    ['a text/plain attachment', { body: 'walrus' }, ['attached']],
    ['the name of an attachment in text', { text: '"annual budget"' }, ['attached']],
    ['no name of an attachment in body', { body: 'budget' }, []],
    // @pitfall query address-filters
    ['from by name', { from: 'müller' }, ['plain']],
    // @pitfall query address-filters
    ['from by the whole address', { from: 'zoe.mueller@mail.example.net' }, ['plain']],
    ['from by the user, and a label of the domain', { from: 'mueller store' }, []],
    ['from by a label of the domain', { from: 'store' }, ['html']],
    // @pitfall query address-filters
    ['to by the name and the address of the second one', { to: 'stone lists.example.org' }, ['plain']],
    ['no phrase over two addresses', { to: '"test bob"' }, []],
    // @pitfall query address-filters
    ['cc by the name', { cc: 'crew' }, ['plain']],
    // @pitfall query address-filters
    ['cc by the address', { cc: 'team@example.test' }, ['plain']],
    // @pitfall query address-filters
    ['bcc by the name', { bcc: 'accountant' }, ['html']],
    // @pitfall query address-filters
    ['bcc by the address', { bcc: 'hidden@example.test' }, ['html']],
    ['subject', { subject: 'files' }, ['attached']],
    ['a header field by its name, in any case', { header: ['x-PRIORITY'] }, ['plain']],
    ['a header field by its name and text', { header: ['List-Id', 'news example'] }, ['plain']],
    ['a header field with another text', { header: ['X-Priority', '2'] }, []],
    ['a header field that no message has', { header: ['X-Nothing'] }, []],
    ['hasAttachment', { hasAttachment: true }, ['attached']],
    ['no attachment', { hasAttachment: false, from: 'alice' }, ['scripts']],
    ['a blank text', { text: ' ' }, ['attached', 'html', 'plain', 'scripts']],
    ['Chinese words', { body: '北京大学' }, ['scripts']],
    ['a Japanese word', { subject: '大学' }, ['html']],
    ['a Thai word', { body: 'ไทย' }, ['scripts']],
    ['Cyrillic letters of any case', { subject: 'ПРИВЕТ' }, ['scripts']],
    ['Hebrew without points', { body: 'שלום' }, ['scripts']],
    [
      'NOT, OR and AND of texts',
      {
        operator: 'AND',
        conditions: [
          { operator: 'NOT', conditions: [{ body: '"invoice number"' }, { hasAttachment: true }] },
          { operator: 'OR', conditions: [{ from: 'alice' }, { body: 'invoice', minSize: 10 }] },
        ],
      },
      ['html', 'scripts'],
    ],
  ])('finds %s', async (_, filter, expected) => {
    expect(await namesOf(filter)).toEqual(expected);
  });

  // @requirement 8621 §4.4.1 query-subject-body
  test('finds an Email by the texts, subjects and addresses of its attached messages, and of messages in these, with snippets', async () => {
    const other = await jmapDeployment();
    const message = (name: string, parts: readonly string[]) =>
      [
        `From: ${name} <${name}@example.net>`,
        `Subject: About ${name}`,
        `Content-Type: multipart/mixed; boundary=${name}`,
        '',
        ...parts.flatMap((part) => [`--${name}`, part]),
        `--${name}--`,
        '',
      ].join('\n');
    const text = (content: string) => `Content-Type: text/html\n\n<p class="markup">${content}</p>`;
    const attached = (content: string) => `Content-Type: message/rfc822\n\n${content}`;
    const report = 'Content-Type: message/delivery-status\n\nFinal-Recipient: rfc822; zebra@example.org\n';
    const base64 = Buffer.from('Subject: Encoded\r\n\r\nA tapir.').toString('base64');
    const inner = message('inner', [text('A walrus.'), attached(message('innermost', [text('A narwhal.')]))]);
    const id = await other.deliver({
      raw: message('outer', [text('See below.'), attached(inner), report, `Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n${base64}`]),
    });
    const found = async (body: string) => (await other.call('Email/query', { filter: { body } }))['ids'] as string[];
    for (const words of ['below', 'walrus', '"about inner"', 'inner@example.net', 'narwhal', '"about innermost"', 'zebra@example.org', 'tapir']) {
      expect([words, await found(words)]).toEqual([words, [id]]);
    }
    for (const words of ['outer', 'boundary', 'markup', '"walrus narwhal"']) expect([words, await found(words)]).toEqual([words, []]);
    expect(await other.call('SearchSnippet/get', { filter: { body: 'narwhal' }, emailIds: [id] })).toMatchObject({
      list: [{ preview: 'A <mark>narwhal</mark>.' }],
    });
  });

  test('finds a message right after its delivery', async () => {
    const other = await jmapDeployment();
    const found = () => other.call('Email/query', { filter: { text: 'pangolin' } }).then((answer) => answer['ids']);
    expect(await found()).toEqual([]);
    const id = await other.deliver({ raw: 'Subject: Hello\n\nA pangolin arrives.\n' });
    expect(await found()).toEqual([id]);
    await other.call('Email/set', { destroy: [id] });
    expect(await found()).toEqual([]);
  });

  test('finds an Email that another Lambda destroys while the request reads it, because its view and its state have it', async () => {
    const table = memoryTable();
    let meanwhile: () => Promise<unknown> = async () => {};
    const batchGet: Table['batchGet'] = async (keys) => {
      const act = meanwhile;
      meanwhile = async () => {};
      await act();
      return table.batchGet(keys);
    };
    const other = await jmapDeployment({ mail: { ...table, batchGet } });
    const id = await other.deliver();
    const store = mailStore({ table });
    const { queryState } = await other.call('Email/query', {});
    meanwhile = async () => store.commit((await store.open('acc_alice'))!, () => mailCommit({ destroyEmails: [id] }));
    expect(await other.call('Email/query', { filter: { body: 'hello' } })).toMatchObject({ ids: [id], queryState });
    expect(await other.call('Email/query', { filter: { body: 'hello' } })).toMatchObject({ ids: [] });
  });

  test('reads only the Emails that the other conditions leave', async () => {
    const gets: string[] = [];
    const other = await jmapDeployment();
    for (let i = 0; i < 5; i++) await other.deliver({ isJunk: i > 0 });
    const get = other.objects.get.bind(other.objects);
    other.objects.get = (key, range) => {
      gets.push(key);
      return get(key, range);
    };
    const { inbox } = await other.roles();
    expect((await other.call('Email/query', { filter: { inMailbox: inbox, body: 'hello' } }))['ids']).toHaveLength(1);
    expect(gets).toHaveLength(1);
  });

  test('responds with serverUnavailable, and notifies the indexer, when more Emails are not indexed than a request may read', async () => {
    const other = await jmapDeployment();
    const { maxUnindexedEmailsInRequest } = unadvertisedLimits;
    Object.assign(unadvertisedLimits, { maxUnindexedEmailsInRequest: 2 });
    try {
      for (let i = 0; i < 3; i++) await other.deliver();
      expect(await other.call('Email/query', { filter: { body: 'hello' } })).toMatchObject({ type: 'serverUnavailable' });
      expect((await other.mail.get({ pk: 'acc_alice#log', sk: 'HEAD' }))!['searchDue']).toBe('behind');
    } finally {
      Object.assign(unadvertisedLimits, { maxUnindexedEmailsInRequest });
    }
    expect((await other.call('Email/query', { filter: { body: 'hello' } }))['ids']).toHaveLength(3);
  });

  test.each<[string, Json, string]>([
    ['a header without a name', { header: [] }, 'invalidArguments'],
    ['a header with three texts', { header: ['a', 'b', 'c'] }, 'invalidArguments'],
    ['a text of another type', { text: 7 }, 'invalidArguments'],
    ['too many words', { text: 'w '.repeat(searchLimits.maxSearchTerms + 1) }, 'unsupportedFilter'],
    [
      'too many words in all filters',
      { operator: 'OR', conditions: Array.from({ length: 6 }, (_, i) => ({ text: `w${i} `.repeat(searchLimits.maxSearchTerms) })) },
      'unsupportedFilter',
    ],
    ['too many prefixes', { text: Array.from({ length: 20 }, (_, i) => `w${i}*`).join(' ') }, 'unsupportedFilter'],
  ])('refuses %s', async (_, filter, type) => {
    expect(await query(filter)).toMatchObject({ type });
  });

  test.each<[string, Json[], string[]]>([
    ['from: the name, or else the address', [{ property: 'from' }], ['b2', 'c3', 'a1', 'd4']],
    ['from, descending', [{ property: 'from', isAscending: false }], ['d4', 'a1', 'c3', 'b2']],
    ['to, then subject', [{ property: 'to' }, { property: 'subject' }], ['c3', 'd4', 'a1', 'b2']],
    ['subject without prefixes, Emails with an equal one by the next sort', [{ property: 'subject' }, { property: 'from' }], ['b2', 'c3', 'a1', 'd4']],
    ['subject by numbers', [{ property: 'subject', collation: 'i;ascii-numeric' }, { property: 'from' }], ['a1', 'b2', 'c3', 'd4']],
  ])('sorts by %s', async (_, sort, expected) => {
    const other = await jmapDeployment();
    const named = new Map<string, string>();
    for (const [name, from, to, subject] of [
      ['a1', 'Zoë <a@example.net>', 'b@example.net', '9 lives'],
      ['b2', 'anna@example.net', 'C <a@example.net>', 'Re: 10 apples'],
      ['c3', '"Bob" <z@example.net>', 'a@example.net', 'Fwd: RE: 10 Apples'],
      ['d4', 'Žofie <b@example.net>', 'a@example.net', 'Plans'],
    ] as const) {
      named.set(await other.deliver({ id: name, raw: Buffer.from(`From: ${from}\r\nTo: ${to}\r\nSubject: ${subject}\r\n\r\n.\r\n`) }), name);
    }
    const { ids: sorted } = await other.call('Email/query', { sort });
    expect(sorted.map((id: string) => named.get(id))).toEqual(expected);
  });

  test('calculates the changes of a search', async () => {
    const other = await jmapDeployment();
    const filter = { body: 'hello' };
    const kept = await other.deliver();
    const { queryState } = await other.call('Email/query', { filter });
    const added = await other.deliver();
    await other.deliver({ raw: 'Subject: x\n\nbye\n' });
    await other.call('Email/set', { update: { [kept]: { 'keywords/$seen': true } } });
    const changes = await other.call('Email/queryChanges', { filter, sinceQueryState: queryState });
    expect(changes).toMatchObject({ removed: [], added: [{ id: added }] });
  });
});
