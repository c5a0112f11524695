import * as fc from 'fast-check';
import type { EmailFilter, Mailbox } from '../../../webmail/jmap/types.ts';
import { parseSearch, searchFilter, textOf } from '../../../webmail/search/search-text.ts';
import { jmapDeployment, type JmapDeployment } from '../../lambdas/jmap/jmap-deployment.ts';
import { assertProperty } from '../../support/assert-property.ts';

const mailbox = (id: string, more: Partial<Mailbox> = {}): Mailbox =>
  ({ id, name: id, parentId: null, role: null, sortOrder: 10, ...more }) as unknown as Mailbox;

/** Terms as `operator=value`, with `-` before a negated one. */
const shown = (text: string): string[] => parseSearch(text).map(({ operator, value, isNegated }) => `${isNegated ? '-' : ''}${operator}=${value}`);

describe('the text of a search', () => {
  test.each([
    ['two words', ['text=two', 'text=words']],
    ['"a phrase" of', ['text=a phrase', 'text=of']],
    ['“a phrase” and „another“', ['text=a phrase', 'text=and', 'text=another']],
    ['FROM:bob To:alice cC:eve', ['from=bob', 'to=alice', 'cc=eve']],
    ['subject:"two words"body:x', ['subject=two words', 'body=x']],
    ['subject:"say \\"no\\" in C:\\\\new or C:\\old"', ['subject=say "no" in C:\\new or C:\\old']],
    ['-word -"a phrase" -from:bob -has:attachment', ['-text=word', '-text=a phrase', '-from=bob', '-has=attachment']],
    ['a - b --c', ['text=a', 'text=-', 'text=b', '-text=-c']],
    ['10:30 https://example.test/from:x text:x re:', ['text=10:30', 'text=https://example.test/from:x', 'text=text:x', 'text=re:']],
    ['from: bob', ['text=bob']],
    ['-subject: from:"" "" "', []],
    ['"from:bob" "-x"', ['text=from:bob', 'text=-x']],
    ['an "unclosed phrase from:bob', ['text=an', 'text=unclosed phrase from:bob']],
    ['15" screen\u3000wide', ['text=15"', 'text=screen', 'text=wide']],
    ['', []],
  ])('%j has its terms', (text, terms) => expect(shown(text)).toEqual(terms));

  const pieces = ['from:', 'IN:', '-', '"', '“', '”', '\\', "'", ' ', '\u3000', 'a', 'ü', ':', 'is:unread', '10:30', '*', '\ud83d'];
  const texts = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...pieces) }));

  test('is written from its terms as it is read', () => {
    assertProperty(
      fc.property(texts, (text) => expect(parseSearch(textOf(parseSearch(text)))).toEqual(parseSearch(text))),
      { numRuns: 500 },
    );
  });

  test('loses the term that is taken out, and nothing else', () => {
    const terms = parseSearch('is:unread subject:"two words" from:bob');
    expect(textOf(terms.filter(({ operator }) => operator !== 'is'))).toBe('subject:"two words" from:bob');
  });
});

const now = new Date(2026, 10, 30, 15, 20);
const mailboxes = [
  mailbox('inbox', { role: 'inbox', name: 'Posteingang' }),
  mailbox('trash', { role: 'trash' }),
  mailbox('junk', { role: 'junk' }),
  mailbox('projects', { name: 'Projects' }),
  mailbox('old', { name: 'Old things' }),
  mailbox('under', { name: 'Über uns', parentId: 'old' }),
  mailbox('copies', { name: 'Projects', parentId: 'old' }),
  mailbox('2025', { parentId: 'old' }),
  mailbox('more 2025', { name: '2025', parentId: 'projects' }),
];
const filterOf = (text: string, mailboxId?: string) =>
  searchFilter(parseSearch(text), { mailboxes, mailboxId, labels: [{ keyword: '$Work', name: 'Für Arbeit' }], now });
const usual = { inMailboxOtherThan: ['trash', 'junk'] };
const local = (...date: [number, number, number]): string => new Date(...date).toISOString().replace('.000Z', 'Z');

describe('the filter of a search', () => {
  test.each<[string, readonly EmailFilter[]]>([
    ['two "old words" - it\'s', [{ text: 'two "old words" - it\'s' }]],
    ["'tis", [{ text: `"'tis"` }]],
    ['from:bob from:"Bob B" subject:"say \\"no\\""', [{ from: 'bob' }, { from: '"Bob B"' }, { subject: String.raw`"say \"no\""` }]],
    ['IS:Unread is:read is:flagged', [{ notKeyword: '$seen' }, { hasKeyword: '$seen' }, { hasKeyword: '$flagged' }]],
    ['has:attachment larger:1.5MB smaller:200kb', [{ hasAttachment: true }, { minSize: 1_500_000 }, { maxSize: 200_000 }]],
    ['label:"fur arbeit" label:$Later', [{ hasKeyword: '$work' }, { hasKeyword: '$later' }]],
    ['-a -from:b', [{ operator: 'NOT', conditions: [{ text: 'a' }, { from: 'b' }] }]],
    ['before:2026-11-30 after:2026-1', [{ before: local(2026, 10, 30) }, { after: local(2026, 0, 1) }]],
    ['after:2024 after:2024/2/29', [{ after: local(2024, 0, 1) }, { after: local(2024, 1, 29) }]],
    ['after:today after:yesterday', [{ after: local(2026, 10, 30) }, { after: local(2026, 10, 29) }]],
    [
      'after:7d after:2w after:9m after:1y',
      [{ after: local(2026, 10, 23) }, { after: local(2026, 10, 16) }, { after: local(2026, 1, 28) }, { after: local(2025, 10, 30) }],
    ],
    ['before:9999y', [{ before: '1970-01-01T00:00:00Z' }]],
  ])('of %j looks everywhere but in Trash and Junk', (text, conditions) => {
    expect(filterOf(text)).toEqual({ filter: { operator: 'AND', conditions: [usual, ...conditions] }, problems: [] });
  });

  test.each<[string, string | undefined, EmailFilter]>([
    ['', undefined, usual],
    ['', 'projects', { inMailbox: 'projects' }],
    ['in:Inbox', 'projects', { inMailbox: 'inbox' }],
    ['in:posteingang', undefined, { inMailbox: 'inbox' }],
    ['in:TRASH', undefined, { inMailbox: 'trash' }],
    ['in:"U\u0308ber uns"', undefined, { inMailbox: 'under' }],
    ['in:"old things/uber uns"', undefined, { inMailbox: 'under' }],
    ['in:projects', undefined, { inMailbox: 'projects' }],
    ['in:2025', undefined, { operator: 'OR', conditions: [{ inMailbox: '2025' }, { inMailbox: 'more 2025' }] }],
    ['in:inbox in:trash', undefined, { operator: 'OR', conditions: [{ inMailbox: 'inbox' }, { inMailbox: 'trash' }] }],
    ['in:anywhere', 'projects', {}],
    ['-in:inbox', undefined, { operator: 'AND', conditions: [usual, { operator: 'NOT', conditions: [{ inMailbox: 'inbox' }] }] }],
  ])('of %j, searched in %s, names the mailboxes', (text, mailboxId, filter) => {
    expect(filterOf(text, mailboxId)).toEqual({ filter, problems: [] });
  });

  test.each(['before:2026-02-30', 'after:2026-13', 'after:soon', 'larger:big', 'is:new', 'is:constructor', 'has:wings', 'in:nowhere', 'label:"a b"'])(
    'says why it ignores %j',
    (text) => expect(filterOf(text)).toEqual({ filter: usual, problems: [expect.stringContaining(parseSearch(text)[0]!.value)] }),
  );

  test('has a bounded number of conditions', () => {
    const { filter, problems } = filterOf('from:a '.repeat(10_000));
    expect([(filter as { conditions: unknown[] }).conditions.length, problems.length]).toEqual([51, 1]);
    expect(JSON.stringify(filterOf('x'.repeat(100_000)).filter).length).toBeLessThan(1000);
  });
});

/** A few mails of Alice by their ids, and how her server is searched. */
const searchedDeployment = async () => {
  const server: JmapDeployment = await jmapDeployment();
  const deliver = (
    id: string,
    subject: string,
    body: string,
    more: Partial<Parameters<JmapDeployment['deliver']>[0]> & { from?: string; type?: string } = {},
  ) =>
    server.deliver({
      id,
      raw: `From: ${more.from ?? 'Bob Builder <bob@example.net>'}\nTo: alice@example.test\nSubject: ${subject}\nMessage-ID: <${id}@example.net>\nContent-Type: ${more.type ?? 'text/plain'}\n\n${body}\n`,
      ...more,
    });
  const names = new Map<string, string>();
  const add = async (id: string, ...mail: [string, string, Parameters<typeof deliver>[3]?]) => names.set(await deliver(id, ...mail), id);
  await add('offer', 'The new offer', 'The quick brown fox.', { receivedAt: new Date(2026, 10, 30, 9).getTime() });
  await add('answer', 'Re: offer, new', 'The brown quick fox.', { receivedAt: new Date(2026, 10, 29, 23, 59).getTime(), keywords: ['$seen', '$flagged'] });
  await add(
    'picture',
    'A picture',
    '--b\nContent-Type: text/plain\n\nSee it.\n--b\nContent-Type: image/png; name=a.png\nContent-Disposition: attachment\n\nx\n--b--',
    { from: 'Carol Baker <carol@example.org>', type: 'multipart/mixed; boundary=b', receivedAt: new Date(2026, 9, 1).getTime(), keywords: ['work'] },
  );
  await add('spam', 'Cheap offer', 'Buy a quick fox.', { isJunk: true });
  const { list } = await server.call('Mailbox/get', { ids: null });
  const find = async (text: string): Promise<unknown> => {
    const { filter } = searchFilter(parseSearch(text), { mailboxes: list as Mailbox[], labels: [], now });
    const { ids, ...error } = await server.call('Email/query', { filter });
    return Array.isArray(ids) ? ids.map((id) => names.get(id as string)!).toSorted((one, other) => one.localeCompare(other)) : error;
  };
  return { find };
};

test.each<[string, readonly string[]]>([
  ['quick fox', ['answer', 'offer']],
  ['"quick brown"', ['offer']],
  ['-"quick brown"', ['answer', 'picture']],
  ['fox -from:carol', ['answer', 'offer']],
  ['subject:"new offer"', ['offer']],
  ['from:"carol baker"', ['picture']],
  ['from:bob to:alice -subject:re', ['offer']],
  ['body:picture', []],
  ['has:attachment', ['picture']],
  ['-has:attachment', ['answer', 'offer']],
  ['after:today', ['offer']],
  ['before:today', ['answer', 'picture']],
  ['after:yesterday before:2026-11-30', ['answer']],
  ['before:2026-11', ['picture']],
  ['is:unread', ['offer', 'picture']],
  ['is:read is:flagged', ['answer']],
  ['label:WORK', ['picture']],
  ['offer in:junk', ['spam']],
  ['offer in:anywhere', ['answer', 'offer', 'spam']],
  ['offer in:junk in:inbox -in:inbox', ['spam']],
  ['larger:1mb', []],
  ['smaller:1mb quick -', ['answer', 'offer']],
  ["'tis", []],
  [`say "no \\"way\\"" C:\\new`, []],
])('the server finds what %j asks for', async (text, found) => {
  const { find } = await searchedDeployment();
  expect(await find(text)).toEqual(found);
});
