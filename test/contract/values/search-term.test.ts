import { searchTerm } from '../../../contract/values/search-term.ts';

describe('what a person looks for', () => {
  test.each([
    ['an address', ' Ann@Elsewhere.test ', { kind: 'address', address: 'ann@elsewhere.test' }],
    ['an address with a name', 'Ann Example <ann@elsewhere.test>', { kind: 'address', address: 'ann@elsewhere.test' }],
    ['a link to an address', 'mailto:ann@elsewhere.test', { kind: 'address', address: 'ann@elsewhere.test' }],
    ['an address of SES’s mailbox simulator', 'bounce+1@simulator.amazonses.com', { kind: 'address', address: 'bounce+1@simulator.amazonses.com' }],
    ['a Message-ID in brackets', '<a.b@example.test>', { kind: 'messageId', id: '<a.b@example.test>' }],
    ['a field of a header', 'Message-ID: <a.b@example.test>', { kind: 'messageId', id: '<a.b@example.test>' }],
    ['SES’s Message-ID without brackets', '0100-a-000000@email.amazonses.com', { kind: 'messageId', id: '0100-a-000000@email.amazonses.com' }],
    ['a Message-ID that is no address', 'a@b', { kind: 'messageId', id: 'a@b' }],
    ['SES’s id', '010001a206c1df87-ac3c-000000', { kind: 'id', id: '010001a206c1df87-ac3c-000000' }],
    ['a submission id', 'submission_X3pIfvJ4', { kind: 'id', id: 'submission_X3pIfvJ4' }],
    ['a domain after an @', ' @Bücher.Test ', { kind: 'domain', domain: 'xn--bcher-kva.test' }],
    ['an @ before no domain', '@home', { kind: 'messageId', id: '@home' }],
    ['HTML', '<script>alert(1)</script>', { kind: 'messageId', id: '<script>alert(1)</script>' }],
    ['nothing', '  ', { kind: 'none' }],
  ])('is understood: %s', (_, typed, term) => {
    expect(searchTerm(typed)).toEqual(term);
  });
});
