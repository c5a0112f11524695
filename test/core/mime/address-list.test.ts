import * as fc from 'fast-check';
import { parseAddressList } from '../../../core/mime/address-list.ts';
import { assertProperty } from '../../support/assert-property.ts';

/** The groups of a list as texts: `name <email>`, without a name `email`; those of a group after its name. */
const read = (text: string, { isCut = false, decodesAddresses = true } = {}): readonly string[] =>
  parseAddressList(text, isCut, decodesAddresses).flatMap((group) => [
    ...(group.name === null ? [] : [`${group.name}:`]),
    ...group.addresses.map(({ name, email }) => (name === null ? email : `${name} <${email}>`)),
  ]);

// @pitfall attack damaged-addresses
test.each<readonly [kind: string, list: string, read: readonly string[]]>([
  ['a quoted local part', '"john doe"@elsewhere.test, <"a,b"@x.test>', ['"john doe"@elsewhere.test', '"a,b"@x.test']],
  ['comments', 'Pete(A nice \\) chap) <pete(his account)@silly.test(his host)>', ['Pete <pete@silly.test>']],
  ['a comment as name', 'kim@x.test (a (b) c), root (Charlie Root)', ['a (b) c <kim@x.test>', 'Charlie Root <root>']],
  ['a comment within a domain', 'lou@good.test(x)evil.test', ['evil.test <lou@good.test>']],
  ['a route', '<@route.test,@b.test:ruth@x.test>', ['ruth@x.test']],
  ['blanks around dots', 'john . roe @ example.com, jdoe@test . example, <a @ b . test>', ['john.roe@example.com', 'jdoe@test.example', 'a@b.test']],
  ['domain literals', 'ops@[IPv6:2001:db8::1], <a@[192.0.2.1]>', ['ops@[IPv6:2001:db8::1]', 'a@[192.0.2.1]']],
  ['groups', '(c)Hidden recipients :(nobody) ;, G: a@x.test, Ann <b@y.test>; c@z.test', ['Hidden recipients:', 'G:', 'a@x.test', 'Ann <b@y.test>', 'c@z.test']],
  ['a group that does not end', 'undisclosed-recipients:', ['undisclosed-recipients:']],
  ['a group in a group', 'A: B: x@y.test;; z@w.test', ['A:', 'B:', 'x@y.test', 'z@w.test']],
  [
    'names',
    'Joe Q. Public <j@x.test>, "Giant; \\"Big\\" Box" <s@y.test>, J. D. <jd@z.test>',
    ['Joe Q. Public <j@x.test>', 'Giant; "Big" Box <s@y.test>', 'J. D. <jd@z.test>'],
  ],
  ['an address as name', 'ann@x.test via Sales <sales@y.test>', ['ann@x.test via Sales <sales@y.test>']],
  [
    'encoded words with special characters',
    '=?utf-8?Q?Doe,_<Jane>?= <jane@x.test>, "=?utf-8?B?SsO8?=" <j@x.test>',
    ['Doe, <Jane> <jane@x.test>', 'Jü <j@x.test>'],
  ],
  ['an encoded address', 'Ann <=?utf-8?q?ann=40x=2Etest?=>, =?utf-8?q?ben=40x=2Etest?=', ['Ann <ann@x.test>', 'ben@x.test']],
  ['a name and an address in one encoded word, or in quotes', '=?utf-8?B?SsO8IDxqdUB4LnRlc3Q+?=, "Ann <ann@x.test>"', ['Jü <ju@x.test>', 'Ann <ann@x.test>']],
  [
    'addresses of Outlook',
    'Ann [mailto:ann@x.test]; <mailto:ben@x.test>; mailto:cy@x.test?subject=a',
    ['Ann <ann@x.test>', 'ben@x.test', 'cy@x.test?subject=a'],
  ],
  ['brackets in names', '[Sales, Berlin] <a@x.test>, [Team] b@x.test', ['[Sales, Berlin] <a@x.test>', '[Team] <b@x.test>']],
  ['a name behind its address', '<ann@x.test> Ann, ben@x.test (Ben)', ['Ann <ann@x.test>', 'Ben <ben@x.test>']],
  ['no address', 'just a name, MAILER-DAEMON <>, <>, ) , (, ,', ['just a name', 'MAILER-DAEMON']],

  ['brackets too many', 'Nora <<nora@x.test>>, Ann > <ann@x.test>', ['Nora <nora@x.test>', 'Ann <ann@x.test>']],
  ['a bracket too few', 'Ann <ann@x.test, Ben <ben@x.test>, Cy <cy@x.test', ['Ann <ann@x.test>', 'Ben <ben@x.test>', 'Cy <cy@x.test>']],
  ['a quote too many', '"Ann <ann@x.test>, "Ben" <ben@x.test>', ['Ann <ann@x.test>', 'Ben <ben@x.test>']],
  ['a quote without an end in each name', '"Ann <ann@x.test>, "Ben <ben@x.test>', ['Ann <ann@x.test>', 'Ben <ben@x.test>']],
  ['a quote that only ends', 'Ann" <ann@x.test>, "Ben" <ben@x.test>', ['Ann <ann@x.test>', 'Ben <ben@x.test>']],
  ['a comment that does not end', 'Ann (sales <ann@x.test>, Ben <ben@x.test>', ['Ann (sales <ann@x.test>', 'Ben <ben@x.test>']],
  ['no comma', 'Ann <ann@x.test> Ben <ben@x.test>, cy@x.test dan@x.test', ['Ann <ann@x.test>', 'Ben <ben@x.test>', 'cy@x.test', 'dan@x.test']],
  ['a comma within an address', '<ann@x,test>', ['ann@x,test']],
])('addresses with %s are read', (_, list, expected) => expect(read(list)).toEqual(expected));

test('a text that was cut has no address that may be incomplete', () => {
  const whole = 'Ann <ann@x.test>';
  for (const next of [
    '"Ben" <ben@y.co.uk>',
    '"Lee, Ben; jr." <ben@y.co.uk>',
    'Ben (work, home) <ben@y.co.uk>',
    '=?utf-8?Q?Lee,_Ben?= <ben@y.co.uk>',
    'ben@y.co.uk (Lee, Ben)',
  ]) {
    const list = `${whole}, ${next}`;
    for (let length = 0; length <= list.length; length += 1) {
      expect(read(list.slice(0, length), { isCut: true })).toEqual(length > whole.length ? [whole] : []);
    }
  }
});

test('the address of an author is not decoded, since programs that check the author do not decode it', () => {
  expect(read('Ann <=?utf-8?q?ann=40x=2Etest?=>, "Ben <ben@x.test>"', { decodesAddresses: false })).toEqual([
    'Ann <=?utf-8?q?ann=40x=2Etest?=>',
    'Ben <ben@x.test>',
  ]);
});

test('a bracket before a hundred thousand words is read over', () => {
  expect(read(`<${'a '.repeat(130_000)}<b@x.test>`)).toEqual([expect.stringMatching(/^a a .* <b@x\.test>$/)]);
});

const people = ['Ann', 'Ben', 'Cy', 'Dan', 'Eve'].map((name) => ({ name, email: `${name.toLowerCase()}.lee@${name.toLowerCase()}.test` }));
type Person = (typeof people)[number];
const forms: readonly ((person: Person) => string)[] = [
  ({ name, email }) => `${name} Lee <${email}>`,
  ({ name, email }) => `"${name}" <${email}>`,
  ({ name, email }) => `${email} (${name})`,
  ({ name, email }) => `${name} (at work) <${email}>`,
  ({ name, email }) => `"${name}, jr." <${email}>`,
  ({ email }) => email,
];
const lists = fc.array(fc.tuple(fc.constantFrom(...people), fc.constantFrom(...forms)), { minLength: 1, maxLength: 5 });

/** The list with one character of the syntax left out, or put in between two words. */
const damaged = fc.tuple(lists, fc.nat(), fc.constantFrom('', '"', '<', '>', '(', ')', ',', ';')).map(([list, at, added]) => {
  const text = list.map(([person, form]) => form(person)).join(', ');
  const places = [...text.matchAll(added === '' ? /["<>(),]/g : /\b/g)];
  const place = places[at % Math.max(1, places.length)]?.index ?? 0;
  return text.slice(0, place) + added + text.slice(place + (added === '' ? 1 : 0));
});

test('a list with one character too few or too many gives nobody the address of another one', () => {
  assertProperty(
    fc.property(damaged, (text) => {
      for (const { name, email } of parseAddressList(text, false, true).flatMap(({ addresses }) => addresses)) {
        const owner = people.find((person) => person.email === email);
        if (owner) expect(people.filter((person) => person !== owner && name?.split(/\W/).includes(person.name))).toEqual([]);
      }
    }),
    { numRuns: 2000 },
  );
});

test('a list of whole addresses is read as it was written', () => {
  assertProperty(
    fc.property(lists, (list) => {
      const emails = parseAddressList(list.map(([person, form]) => form(person)).join(', '), false, true).flatMap(({ addresses }) => addresses);
      expect(emails.map(({ email }) => email)).toEqual(list.map(([{ email }]) => email));
    }),
    { numRuns: 500 },
  );
});
