import { ruleMatches } from '../../../../../sandbox/services/ses/inbound/matching-receipt-rules.ts';

describe('a receipt rule matches', () => {
  test.each([
    ['everything without conditions', [], 'anyone@anywhere.test'],
    ['an address', ['Alice@example.test'], 'Alice@Example.test'],
    ['an address with a label', ['alice@example.test'], 'alice+news@example.test'],
    ['a domain', ['example.test'], 'anyone@EXAMPLE.test'],
    ['all subdomains', ['.example.test'], 'anyone@a.b.example.test'],
    ['any of several', ['other.test', 'example.test'], 'anyone@example.test'],
  ])('%s', (_, Recipients, address) => expect(ruleMatches({ Recipients }, address, true)).toBe(true));
});

test.each([
  ['Alice@example.test', false],
  ['Alice+News@example.test', false],
  ['alice+News@example.test', true],
])('a receipt rule for alice@example.test matches %s in another case: %p where case counts, and always where it does not', (address, isMatch) => {
  const rule = { Recipients: ['alice@example.test'] };
  expect([ruleMatches(rule, address, true), ruleMatches(rule, address, false)]).toEqual([isMatch, true]);
});

describe('a receipt rule does not match', () => {
  test.each([
    ['another address', ['alice@example.test'], 'bob@example.test'],
    ['subdomains of a domain', ['example.test'], 'anyone@a.example.test'],
    ['the domain, when it wants subdomains', ['.example.test'], 'anyone@example.test'],
    ['a domain that only ends the same', ['example.test'], 'anyone@notexample.test'],
  ])('%s', (_, Recipients, address) => expect(ruleMatches({ Recipients }, address, true)).toBe(false));
});
