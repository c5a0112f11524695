import { searchLimits, unadvertisedLimits } from '../../../../contract/jmap/core.ts';
import { mailStore } from '../../../../core/mail/mail-store/table-mail-store.ts';
import type { Table } from '../../../../core/storage/table.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { mailCommit } from '../../../support/email-fixtures.ts';
import { jmapDeployment, type JmapDeployment, type Json } from '../jmap-deployment.ts';

const minute = 60_000;
const start = Date.UTC(2026, 10, 21, 8, 0);
const at = (index: number) => new Date(start + index * minute).toISOString().replace('.000', '');

/**
 * m0 to m4 arrive a minute apart; m5 arrives with m4. m1 and m3 reply to m0, m2 is junk, and m3 has the keywords $seen
 * and $flagged.
 */
describe('Email/query', () => {
  let deployment: JmapDeployment;
  let roles: Record<string, string>;
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    deployment = await jmapDeployment();
    roles = await deployment.roles();
    const reply = { references: 'm0', subject: 'Re: Subject of m0' };
    ids['m0'] = await deployment.deliver({ id: 'm0', receivedAt: start });
    ids['m1'] = await deployment.deliver({ id: 'm1', receivedAt: start + minute, ...reply });
    ids['m2'] = await deployment.deliver({ id: 'm2', receivedAt: start + 2 * minute, isJunk: true });
    ids['m3'] = await deployment.deliver({ id: 'm3', receivedAt: start + 3 * minute, keywords: ['$seen', '$flagged'], ...reply });
    const [x, y] = [
      await deployment.deliver({ id: 'm4', receivedAt: start + 4 * minute }),
      await deployment.deliver({ id: 'm5', receivedAt: start + 4 * minute, raw: `Subject: big\n\n${'x'.repeat(5000)}` }),
    ];
    [ids['m4'], ids['m5']] = [x, y].sort() as [string, string];
  });
  const query = (args: Json = {}) => deployment.call('Email/query', args);
  const namesOf = async (args: Json = {}): Promise<string[]> => {
    const { ids: found } = await query(args);
    return found.map((id: string) => Object.keys(ids).find((name) => ids[name] === id));
  };
  const oldestFirst = [{ property: 'receivedAt' }];
  const all = ['m0', 'm1', 'm2', 'm3', 'm4', 'm5'];

  // @requirement 8620 §5.5 query-null-filter
  // @pitfall query null-arguments
  test('returns all Emails, newest first, without a filter and a sort, and when both are null', async () => {
    expect(await namesOf()).toEqual(['m4', 'm5', 'm3', 'm2', 'm1', 'm0']);
    expect(await namesOf({ filter: null, sort: null })).toEqual(await namesOf({ filter: {}, sort: [] }));
  });

  // @requirement 8620 §5.5 query-ascending-default
  // @requirement 8620 §5.5 query-sort-stable
  // @requirement 8621 §4.4.2 query-sort-received
  // @pitfall query ascending
  // @pitfall query equal-keys
  test('sorts in ascending order by default, and Emails with equal values by id', async () => {
    expect(await namesOf({ sort: oldestFirst })).toEqual(all);
    expect(await namesOf({ sort: [{ property: 'receivedAt', isAscending: false }] })).toEqual(['m4', 'm5', 'm3', 'm2', 'm1', 'm0']);
  });

  // @requirement 8621 §4.4.2 query-sorts
  test('sorts by size, and by sentAt then receivedAt', async () => {
    const { ids: bySize } = await query({ sort: [{ property: 'size', isAscending: false }] });
    const { list } = await deployment.call('Email/get', { ids: bySize, properties: ['size'] });
    const sizes = list.map(({ size }: Json) => size);
    expect(sizes).toEqual(sizes.toSorted((one: number, other: number) => other - one));
    expect((await query({ sort: [{ property: 'sentAt' }, { property: 'receivedAt' }] }))['ids']).toHaveLength(6);
  });

  // @requirement 8620 §5.5 query-operators
  // @requirement 8621 §4.4.1 query-in-mailbox
  // @requirement 8621 §4.4.1 query-dates
  // @requirement 8621 §4.4.1 query-sizes
  // @requirement 8621 §4.4.1 query-keywords
  // @requirement 8621 §4.4.1 query-thread-keywords
  // @requirement 8621 §4.4.1 query-empty-condition
  test.each<[string, () => Json, string[]]>([
    ['inMailbox', () => ({ inMailbox: roles['junk'] }), ['m2']],
    ['inMailbox of an unknown mailbox', () => ({ inMailbox: 'Fnope' }), []],
    ['inMailboxOtherThan', () => ({ inMailboxOtherThan: [roles['inbox']] }), ['m2']],
    ['hasKeyword, in any case', () => ({ hasKeyword: '$Seen' }), ['m3']],
    ['notKeyword', () => ({ notKeyword: '$seen' }), ['m0', 'm1', 'm2', 'm4', 'm5']],
    ['a keyword of no Email', () => ({ hasKeyword: 'never' }), []],
    ['someInThreadHaveKeyword, in any case', () => ({ someInThreadHaveKeyword: '$SEEN' }), ['m0', 'm1', 'm3']],
    ['noneInThreadHaveKeyword', () => ({ noneInThreadHaveKeyword: '$seen' }), ['m2', 'm4', 'm5']],
    ['allInThreadHaveKeyword, not of one among several', () => ({ allInThreadHaveKeyword: '$seen' }), []],
    [
      'keywords of threads within operators',
      () => ({ operator: 'NOT', conditions: [{ someInThreadHaveKeyword: '$seen' }, { inMailbox: roles['junk'] }] }),
      ['m4', 'm5'],
    ],
    // @pitfall query after
    ['after, inclusive', () => ({ after: at(3) }), ['m3', 'm4', 'm5']],
    // @pitfall query before
    ['before, exclusive', () => ({ before: at(3) }), ['m0', 'm1', 'm2']],
    ['after and before', () => ({ after: at(1), before: at(3) }), ['m1', 'm2']],
    ['minSize', () => ({ minSize: 5000 }), ['m5']],
    ['maxSize', () => ({ maxSize: 5000 }), ['m0', 'm1', 'm2', 'm3', 'm4']],
    ['several conditions of one object', () => ({ inMailbox: roles['inbox'], notKeyword: '$seen', before: at(4) }), ['m0', 'm1']],
    ['OR', () => ({ operator: 'OR', conditions: [{ inMailbox: roles['junk'] }, { hasKeyword: '$flagged' }] }), ['m2', 'm3']],
    [
      'NOT of several: none of them',
      () => ({ operator: 'NOT', conditions: [{ inMailbox: roles['junk'] }, { hasKeyword: '$flagged' }] }),
      ['m0', 'm1', 'm4', 'm5'],
    ],
    [
      'AND of OR and NOT',
      () => ({
        operator: 'AND',
        conditions: [
          { operator: 'OR', conditions: [{ before: at(2) }, { after: at(4) }] },
          { operator: 'NOT', conditions: [{ minSize: 5000 }] },
        ],
      }),
      ['m0', 'm1', 'm4'],
    ],
    // @pitfall query nested-operators
    [
      'NOT of OR of ANDs, each with inMailbox',
      () => ({
        operator: 'NOT',
        conditions: [
          {
            operator: 'OR',
            conditions: [
              { operator: 'AND', conditions: [{ inMailbox: roles['inbox'] }, { before: at(1) }] },
              { operator: 'AND', conditions: [{ inMailbox: roles['junk'] }, { notKeyword: '$flagged' }] },
            ],
          },
        ],
      }),
      ['m1', 'm3', 'm4', 'm5'],
    ],
  ])('filters by %s', async (_what, filter, names) => {
    const sorted = (await namesOf({ filter: filter() })).sort();
    const isBig = (name: string) => name === 'm4' || name === 'm5';
    expect(sorted.map((name) => (isBig(name) ? 'new' : name))).toEqual(names.map((name) => (isBig(name) ? 'new' : name)));
    expect((await query({ filter: filter(), calculateTotal: true }))['total']).toBe(names.length);
  });

  const byKeyword = (property: string, isAscending: boolean) => [{ property, keyword: '$Flagged', isAscending }, ...oldestFirst];
  test('sorts by hasKeyword: Emails without the keyword first in ascending order', async () => {
    expect(await namesOf({ sort: byKeyword('hasKeyword', true) })).toEqual(['m0', 'm1', 'm2', 'm4', 'm5', 'm3']);
    expect(await namesOf({ sort: byKeyword('hasKeyword', false) })).toEqual(['m3', 'm0', 'm1', 'm2', 'm4', 'm5']);
    expect((await query({ sort: [{ property: 'hasKeyword', keyword: '$flagged' }] }))['ids']).toEqual([
      ...['m0', 'm1', 'm2', 'm4', 'm5'].map((name) => ids[name]!).sort(),
      ids['m3'],
    ]);
  });

  // @requirement 8621 §4.4.2 query-sort-keywords
  test('sorts by someInThreadHaveKeyword and allInThreadHaveKeyword, whichever Email of the thread has the keyword', async () => {
    expect(await namesOf({ sort: byKeyword('someInThreadHaveKeyword', false) })).toEqual(['m0', 'm1', 'm3', 'm2', 'm4', 'm5']);
    expect(await namesOf({ sort: byKeyword('allInThreadHaveKeyword', false) })).toEqual(all);
    expect(await namesOf({ sort: byKeyword('someInThreadHaveKeyword', false), collapseThreads: true })).toEqual(['m0', 'm2', 'm4', 'm5']);
  });

  test('sorts by two keywords, and by a keyword after a date', async () => {
    const flagged = { property: 'hasKeyword', keyword: '$flagged', isAscending: false };
    const seenThreads = { property: 'someInThreadHaveKeyword', keyword: '$seen' };
    expect(await namesOf({ sort: [seenThreads, flagged, ...oldestFirst] })).toEqual(['m2', 'm4', 'm5', 'm3', 'm0', 'm1']);
    expect(await namesOf({ sort: [...oldestFirst, flagged] })).toEqual(all);
  });

  // @requirement 8621 §4.4.3 query-collapse
  test('collapseThreads returns the first Email of each thread in the sort order; total counts those', async () => {
    expect(await namesOf({ collapseThreads: true })).toEqual(['m4', 'm5', 'm3', 'm2']);
    expect(await namesOf({ collapseThreads: true, sort: oldestFirst })).toEqual(['m0', 'm2', 'm4', 'm5']);
    expect(await query({ collapseThreads: true, calculateTotal: true, position: 1, limit: 2 })).toMatchObject({ total: 4, position: 1 });
  });

  // @requirement 8620 §5.5 query-negative-position
  // @requirement 8620 §5.5 query-position-beyond
  test.each<[string, Json, string[], number]>([
    ['position', { position: 2 }, ['m2', 'm3', 'm4', 'm5'], 2],
    ['position and limit', { position: 1, limit: 2 }, ['m1', 'm2'], 1],
    ['position past the end', { position: 9 }, [], 9],
    // @pitfall query negative-position
    ['a negative position, from the end', { position: -2 }, ['m4', 'm5'], 4],
    ['a negative position before the beginning', { position: -99, limit: 1 }, ['m0'], 0],
    ['limit 0', { limit: 0 }, [], 0],
  ])('returns the window of %s', async (_what, args, names, position) => {
    const window = await query({ sort: oldestFirst, ...args });
    expect(window['ids'].map((id: string) => Object.keys(ids).find((name) => ids[name] === id))).toEqual(names);
    expect(window['position']).toBe(position);
  });

  // @requirement 8620 §5.5 query-anchor
  test('an anchor takes precedence over position', async () => {
    const anchored = (args: Json) => query({ sort: oldestFirst, anchor: ids['m3'], position: 99, limit: 2, ...args });
    expect(await anchored({})).toMatchObject({ position: 3, ids: [ids['m3'], ids['m4']] });
    expect(await anchored({ anchorOffset: -1 })).toMatchObject({ position: 2, ids: [ids['m2'], ids['m3']] });
    expect(await anchored({ anchorOffset: -9 })).toMatchObject({ position: 0, ids: [ids['m0'], ids['m1']] });
    expect(await anchored({ anchorOffset: 1 })).toMatchObject({ position: 4, ids: [ids['m4'], ids['m5']] });
  });

  // @pitfall query collapsed-counts
  test('an anchor, a position and the total are counted after collapsing', async () => {
    const collapsed = { sort: oldestFirst, collapseThreads: true, calculateTotal: true, limit: 1 };
    expect(await query({ ...collapsed, anchor: ids['m2'] })).toMatchObject({ position: 1, ids: [ids['m2']], total: 4 });
    expect(await query({ ...collapsed, anchor: ids['m2'], anchorOffset: 1 })).toMatchObject({ position: 2, ids: [ids['m4']] });
    expect(await query({ ...collapsed, position: -1 })).toMatchObject({ position: 3, ids: [ids['m5']] });
  });

  test('ignores anchorOffset without an anchor', async () => {
    expect(await query({ sort: oldestFirst, anchorOffset: 3, limit: 1 })).toMatchObject({ position: 0, ids: [ids['m0']] });
  });

  // @requirement 8620 §5.5 query-anchor-not-found
  test('fails with anchorNotFound for an anchor that the filter or collapseThreads excludes', async () => {
    expect(await query({ anchor: ids['m2'], filter: { inMailbox: roles['inbox'] } })).toMatchObject({ type: 'anchorNotFound' });
    expect(await query({ anchor: ids['m0'], collapseThreads: true })).toMatchObject({ type: 'anchorNotFound' });
  });

  // @requirement 8620 §5.5 query-limit-returned
  // @pitfall query lowered-limit
  test('returns limit when the server set one: without a limit, and for one above its own', async () => {
    expect(await query({ limit: unadvertisedLimits.maxIdsInQuery + 1 })).toMatchObject({ limit: unadvertisedLimits.maxIdsInQuery });
    expect(await query()).toMatchObject({ limit: unadvertisedLimits.maxIdsInQuery });
    expect(await query({ limit: 2 })).not.toHaveProperty('limit');
  });

  // @requirement 8620 §5.5 query-total
  // @requirement 8620 §5.5 query-state
  test('returns total only with calculateTotal; queryState is the state of Email', async () => {
    const { state } = await deployment.call('Email/get', { ids: [] });
    expect(await query()).toEqual({
      accountId: 'acc_alice',
      queryState: state,
      canCalculateChanges: true,
      position: 0,
      ids: expect.any(Array) as string[],
      limit: unadvertisedLimits.maxIdsInQuery,
    });
    expect((await query({ calculateTotal: true }))['total']).toBe(6);
  });

  // @requirement 8620 §5.5 query-unsupported-sort
  // @requirement 8620 §5.5 query-unsupported-filter
  // @requirement 8620 §5.5 query-negative-limit
  // @requirement 8620 §1.3 int-range
  test.each<[string, Json, string]>([
    // @pitfall query unsupported-filter
    ['an unknown condition', { filter: { colour: 'red' } }, 'unsupportedFilter'],
    ['the condition constructor', { filter: { constructor: 'x' } }, 'unsupportedFilter'],
    // @pitfall query unsupported-filter
    ['an unknown condition within an operator', { filter: { operator: 'AND', conditions: [{}, { nope: 1 }] } }, 'unsupportedFilter'],
    ['a date without zone', { filter: { after: '2026-11-21T08:00:00' } }, 'invalidArguments'],
    ['a date that does not exist', { filter: { after: '2026-13-41T08:00:00Z' } }, 'invalidArguments'],
    ['an operator with another property', { filter: { operator: 'AND', conditions: [], inMailbox: 'x' } }, 'invalidArguments'],
    ['a filter in a list', { filter: [{}] }, 'invalidArguments'],
    // @pitfall query unsupported-sort
    ['an unknown sort', { sort: [{ property: 'colour' }] }, 'unsupportedSort'],
    ['a sort by a keyword without the keyword', { sort: [{ property: 'hasKeyword' }] }, 'invalidArguments'],
    ['a sort by a keyword that is no string', { sort: [{ property: 'someInThreadHaveKeyword', keyword: 1 }] }, 'invalidArguments'],
    ['a sort by noneInThreadHaveKeyword', { sort: [{ property: 'noneInThreadHaveKeyword', keyword: 'x' }] }, 'unsupportedSort'],
    ['a negative limit', { limit: -1 }, 'invalidArguments'],
    ['a fractional position', { position: 1.5 }, 'invalidArguments'],
    ['collapseThreads that is no boolean', { collapseThreads: 'yes' }, 'invalidArguments'],
  ])('refuses %s', async (_what, args, type) => {
    expect(await query(args)).toMatchObject({ type });
  });
});

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
