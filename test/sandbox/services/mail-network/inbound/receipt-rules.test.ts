import { ruleMatches } from '../../../../../sandbox/services/mail-network/inbound/receipt-rules.ts';

describe('a receipt rule matches', () => {
  test.each([
    ['everything without conditions', [], 'anyone@anywhere.test'],
    ['an address', ['alice@example.test'], 'Alice@Example.test'],
    ['an address with a label', ['alice@example.test'], 'alice+news@example.test'],
    ['a domain', ['example.test'], 'anyone@EXAMPLE.test'],
    ['all subdomains', ['.example.test'], 'anyone@a.b.example.test'],
    ['any of several', ['other.test', 'example.test'], 'anyone@example.test'],
  ])('%s', (_, Recipients, address) => expect(ruleMatches({ Recipients }, address)).toBe(true));
});

describe('a receipt rule does not match', () => {
  test.each([
    ['another address', ['alice@example.test'], 'bob@example.test'],
    ['subdomains of a domain', ['example.test'], 'anyone@a.example.test'],
    ['the domain, when it wants subdomains', ['.example.test'], 'anyone@example.test'],
    ['a domain that only ends the same', ['example.test'], 'anyone@notexample.test'],
  ])('%s', (_, Recipients, address) => expect(ruleMatches({ Recipients }, address)).toBe(false));
});
