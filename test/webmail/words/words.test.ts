import { forwarded, isDisguised, octets, personName, shownAddress } from '../../../webmail/words/words.ts';

test.each([
  ['Alice', 'alice@example.com', 'Alice'],
  [' ', 'alice@example.com', 'alice@example.com'],
  [null, 'alice@example.com', 'alice@example.com'],
  ['boss@example.com', 'mallory@elsewhere.test', 'mallory@elsewhere.test'],
  ['Ali\u202ece', 'mallory@elsewhere.test', 'mallory@elsewhere.test'],
  [null, 'a@\u0430pple.com', 'a@xn--pple-43d.com'],
])('a person with the name %j and the address %s is shown as %s', (name, email, shown) => {
  expect(personName({ name, email })).toBe(shown);
  expect(isDisguised({ name, email })).toBe(name !== null && /[@\u202e]/.test(name));
});

test.each([
  ['alice@example.com', 'alice@example.com'],
  ['a@münchen.de', 'a@münchen.de'],
  ['a@пример.рф', 'a@пример.рф'],
  ['a@日本.jp', 'a@日本.jp'],
  ['a@аррӏе.com', 'a@xn--80ak6aa92e.com'],
  ['a@exαmple.com', 'a@xn--exmple-qxe.com'],
  ['nobody', 'nobody'],
  ['', ''],
])('the address %s is shown as %s', (email, shown) => expect(shownAddress(email)).toBe(shown));

test.each([
  [999, '999 bytes'],
  [1500, /^1[.,]5 kB$/],
  [2_000_000, '2 MB'],
  [5_000_000_000, '5 GB'],
])('%d octets are %s', (size, shown) => expect(octets(size)).toMatch(shown));

test.each([
  [[], [], true, undefined],
  [['a@elsewhere.test'], ['a@elsewhere.test'], true, undefined],
  [['a@elsewhere.test'], [], true, 'Mail is forwarded to a@elsewhere.test.'],
  [['a@elsewhere.test'], [], false, 'Mail is forwarded to a@elsewhere.test; no copy is kept here.'],
  [['a@elsewhere.test', 'b@elsewhere.test', 'c@exαmple.com'], ['b@elsewhere.test'], true, 'Mail is forwarded to a@elsewhere.test and c@xn--exmple-qxe.com.'],
])('a forwarding to %j, of which %j are unconfirmed, with a copy: %s, is said as %j', (addresses, unconfirmed, keepsCopy, said) =>
  expect(forwarded({ addresses, unconfirmed, keepsCopy })).toBe(said),
);
