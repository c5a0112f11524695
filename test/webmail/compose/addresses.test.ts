import { formatAddress, isValidAddress, readAddresses, readAllAddresses, withAdded } from '../../../webmail/compose/addresses.ts';

/** Each address as `name <address>`, or as the text after `!` if it is not valid. */
const read = (text: string): readonly string[] =>
  readAllAddresses(text).map(({ name, email, isValid }) => (isValid ? (name === null ? email : `${name} <${email}>`) : `!${email}`));

describe('addresses in a text', () => {
  test.each<[string, string[]]>([
    ['', []],
    [' \n,; \t', []],
    ['a@x.org', ['a@x.org']],
    ['<a@x.org>', ['a@x.org']],
    ['< a@x.org >', ['a@x.org']],
    ['Ann <a@x.org>', ['Ann <a@x.org>']],
    ['Ann<a@x.org>', ['Ann <a@x.org>']],
    ['Ann B. Smith <a@x.org>', ['Ann B. Smith <a@x.org>']],
    ['"Last, First" <a@x.org>', ['Last, First <a@x.org>']],
    [String.raw`"Ann \"Annie\" \\ Smith" <a@x.org>`, [String.raw`Ann "Annie" \ Smith <a@x.org>`]],
    ['"Ann" Smith <a@x.org>', ['Ann Smith <a@x.org>']],
    ['a@x.org (Ann)', ['Ann <a@x.org>']],
    ['a@x.org (Ann (the first), Smith)', ['Ann (the first), Smith <a@x.org>']],
    ['(work) Ann <a@x.org> (not at home)', ['Ann <a@x.org>']],
    ['a@x.org <a@x.org>', ['a@x.org']],
    ["'A@x.org' <a@x.org>", ['a@x.org']],
    ['Jürgen Groß <jürgen@bücher.example>', ['Jürgen Groß <jürgen@bücher.example>']],
    ['田中 <田中@例え.jp>', ['田中 <田中@例え.jp>']],
    ['"a b,c"@x.org', ['"a b,c"@x.org']],
    ['Ann <"a b,c"@x.org>', ['Ann <"a b,c"@x.org>']],
    [String.raw`"a\"b"@x.org`, [String.raw`"a\"b"@x.org`]],
    ['\u202aa@x.org\u202c\u200b', ['a@x.org']],
    ['Ann\u0000\n\u0007', ['!Ann']],
    ['10:30 Club <c@x.org>', ['10:30 Club <c@x.org>']],
    ['Ann :) <a@x.org>', ['Ann :) <a@x.org>']],
    ["O'Brien <o'brien@x.org>", ["O'Brien <o'brien@x.org>"]],
  ])('are read from %j', (text, expected) => expect(read(text)).toEqual(expected));

  test.each<[string, string[]]>([
    ['a@x.org, b@x.org,c@x.org', ['a@x.org', 'b@x.org', 'c@x.org']],
    ['a@x.org; b@x.org;', ['a@x.org', 'b@x.org']],
    ['a@x.org\r\nb@x.org\rc@x.org\u2028d@x.org', ['a@x.org', 'b@x.org', 'c@x.org', 'd@x.org']],
    ['a@x.org\tb@x.org', ['a@x.org', 'b@x.org']],
    ['Ann Smith\ta@x.org\nBob\tb@x.org\n', ['Ann Smith <a@x.org>', 'Bob <b@x.org>']],
    ['Smith\tAnn\ta@x.org', ['Smith Ann <a@x.org>']],
    ['a@x.org b@x.org', ['a@x.org', 'b@x.org']],
    ['Ann <a@x.org> Bob <b@x.org>', ['Ann <a@x.org>', 'Bob <b@x.org>']],
    ['<a@x.org><b@x.org>', ['a@x.org', 'b@x.org']],
    ['Smith, Ann <a@x.org>; Jones, Bob <b@x.org>', ['Smith, Ann <a@x.org>', 'Jones, Bob <b@x.org>']],
    ['Smith, Ann, Dr. <a@x.org>, Jones, Bob <b@x.org>', ['Smith, Ann, Dr. <a@x.org>', 'Jones, Bob <b@x.org>']],
    ['c@x.org, Smith, Ann <a@x.org>', ['c@x.org', 'Smith, Ann <a@x.org>']],
    ['"Long name"\n <a@x.org>,\n\tBob <b@x.org>', ['Long name <a@x.org>', 'Bob <b@x.org>']],
    ['Team: a@x.org, Bob <b@x.org>; c@x.org', ['a@x.org', 'Bob <b@x.org>', 'c@x.org']],
    ['Team:a@x.org;', ['a@x.org']],
    ['Team: Smith, Ann <a@x.org>;', ['Smith, Ann <a@x.org>']],
    ['To: Ann <a@x.org>', ['Ann <a@x.org>']],
    ['undisclosed-recipients:;', []],
    ['mailto:a@x.org', ['a@x.org']],
    ['Ann <MAILTO:a@x.org>', ['Ann <a@x.org>']],
    ['mailto:a@x.org,b%40x.org?to=c@x.org&subject=Hi,%20d@x.org&bcc=evil@x.org e@x.org', ['a@x.org', 'b@x.org', 'c@x.org', 'e@x.org']],
    ['mailto:a@x.org;mailto:b@x.org, mailto:c@x.org', ['a@x.org', 'b@x.org', 'c@x.org']],
    ['mailto:%a@x.org?x', ['%a@x.org']],
  ])('are separated in %j', (text, expected) => expect(read(text)).toEqual(expected));

  test.each<[string, string[]]>([
    ['bob', ['!bob']],
    ['bob, ann', ['!bob', '!ann']],
    ['bob, a@x.org', ['!bob', 'a@x.org']],
    ['bob; Ann <a@x.org>', ['!bob', 'Ann <a@x.org>']],
    ['bob\nAnn <a@x.org>', ['!bob', 'Ann <a@x.org>']],
    ['bob,\nAnn <a@x.org>', ['!bob', 'Ann <a@x.org>']],
    ['a, b, c, d, Ann <a@x.org>', ['!a', '!b', '!c', 'd, Ann <a@x.org>']],
    ['Ann <ann>', ['!Ann <ann>']],
    ['Last, Ann <ann>', ['!Last', '!Ann <ann>']],
    ['Ann <a@x.org', ['!Ann <a@x.org']],
    ['Ann <a@x.org, b@x.org', ['!Ann <a@x.org', 'b@x.org']],
    ['a@x.org>', ['!a@x.org>']],
    ['"Last, First <a@x.org>, b@x.org', ['Last, First <a@x.org>', 'b@x.org']],
    ['"Ann <a@x.org>, "Bob" <b@x.org>', ['Ann <a@x.org>', 'Bob <b@x.org>']],
    ['"Ann <a@x.org>\n"Bob" <b@x.org>', ['Ann <a@x.org>', 'Bob <b@x.org>']],
    ['Ann (a@x.org, b@x.org', ['!Ann (a@x.org', 'b@x.org']],
    ['a@@x.org', ['!a@@x.org']],
    ['a@b@x.org', ['!a@b@x.org']],
    ['<>', ['!<>']],
    ['Note: hello', ['!Note: hello']],
    ['mailto:nobody', ['!nobody']],
    ['a@x.org <b@', ['!a@x.org <b@']],
    ['a b@x.org', ['!a b@x.org']],
  ])('are kept as text where %j is wrong', (text, expected) => expect(read(text)).toEqual(expected));

  test.each<[string, string[], string]>([
    ['a@x.org', [], 'a@x.org'],
    ['a@x.org,', ['a@x.org'], ''],
    ['a@x.org, b', ['a@x.org'], 'b'],
    ['Smith, Ann', [], 'Smith, Ann'],
    ['Smith, Ann <a@x.org>,', ['a@x.org'], ''],
    ['bob;', ['bob'], ''],
    ['a@x.org, "Smith, An', ['a@x.org'], '"Smith, An'],
  ])('leave the rest that is still typed: %j', (text, addresses, rest) => {
    const found = readAddresses(text);
    expect(found.addresses.map(({ email }) => email)).toEqual(addresses);
    expect(found.rest).toBe(rest);
  });
});

test.each<[string, boolean]>([
  ['a@x.org', true],
  ['a.b+c@sub.x-y.org', true],
  ['用户@例え.jp', true],
  ['"a b"@x.org', true],
  [`${'a'.repeat(64)}@x.org`, true],
  [`${'a'.repeat(65)}@x.org`, false],
  [`a@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.${'e'.repeat(63)}.org`, false],
  ['a@x', false],
  ['a@x..org', false],
  ['a@x.org.', false],
  ['.a@x.org', false],
  ['a..b@x.org', false],
  ['@x.org', false],
  ['a@', false],
  ['a@[192.0.2.1]', false],
  ['a@192.0.2.1', false],
  ['a b@x.org', false],
  ['a\u00a0b@x.org', false],
  ['a\r\nb@x.org', false],
  ['"a\nb"@x.org', false],
  ['a@x.org\n', false],
  ['a,b@x.org', false],
  ['a<b@x.org', false],
  ['a@x.org/y', false],
  ['a\ud800@x.org', false],
])('an address is valid: %j is %s', (email, isIt) => expect(isValidAddress(email)).toBe(isIt));

test.each([
  { name: null, email: 'a@x.org' },
  { name: 'Ann Smith', email: 'a@x.org' },
  { name: 'Smith, Ann', email: 'a@x.org' },
  { name: String.raw`Ann "A\B" (work); <x> [y]: z@x.org`, email: 'a@x.org' },
  { name: 'mailto:b@x.org', email: 'a@x.org' },
  { name: 'Team: x', email: 'a@x.org' },
  { name: '"', email: 'a@x.org' },
  { name: '\\', email: 'a@x.org' },
  { name: 'Ann', email: '"a,b"@x.org' },
])('an address is read again from its text: %j', (address) => expect(readAllAddresses(formatAddress(address))).toEqual([{ ...address, isValid: true }]));

test('a line break in a name does not come into its text', () => expect(formatAddress({ name: 'a\r\nBcc: b', email: 'a@x.org' })).toBe('"a Bcc: b" <a@x.org>'));

test.each<[string, number | undefined, string[]]>([
  ['c@x.org, C@x.org, A@X.org', undefined, ['a@x.org', 'b@x.org', 'c@x.org']],
  ['c@x.org, wrong', 1, ['a@x.org', 'c@x.org', 'wrong', 'b@x.org']],
  ['c@x.org', 9, ['a@x.org', 'b@x.org', 'c@x.org']],
])('addresses are added once, without what was read beside them: %s at %s', (text, at, expected) => {
  const addresses = ['a@x.org', 'b@x.org'].map((email) => ({ name: null, email }));
  expect(withAdded(addresses, readAllAddresses(text), at)).toEqual(expected.map((email) => ({ name: null, email })));
});

test('ten thousand addresses are read', () => {
  const list = Array.from({ length: 10_000 }, (_, index) => `"Last ${index}, First" <a${index}@x.org>`);
  expect(read(list.join(', '))).toHaveLength(10_000);
});

/** Texts that make a reader slow that looks back or ahead. */
test.each([
  '"',
  '(',
  ')',
  '<',
  '\\"',
  '"\\"',
  '(\\(',
  '("',
  ':',
  'a:',
  '@:',
  ',',
  ' ',
  '<"',
  '"a',
  'a@x.org ',
  'mailto:',
  'a@',
  '\\',
  '\n ',
  '"x"y',
  '?',
  'a,b,',
  "'",
  '.',
])('the time of reading grows with the text only: many %j', (part) => {
  const timeOf = (count: number): number => {
    const text = part.repeat(count);
    const begin = performance.now();
    readAllAddresses(text);
    readAllAddresses(`"${text}`);
    return performance.now() - begin;
  };
  timeOf(1000);
  expect(timeOf(150_000)).toBeLessThan(20_000);
});
