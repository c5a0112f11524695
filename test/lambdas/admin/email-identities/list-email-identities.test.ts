import type { EmailIdentity } from '../../../../contract/admin/email-identities.ts';
import { adminApiPerTest } from '../../../support/admin-api.ts';

let now: Date;
beforeEach(() => {
  now = new Date('2026-11-21T08:38:00Z');
});
const api = adminApiPerTest({ clock: () => now });

const email = 'someone@else.test';
const add = (address = email) => api.call('/email-identities/AddEmailIdentity', { email: address });
const list = async (request: object = {}) =>
  (await api.ok('/email-identities/ListEmailIdentities', request)) as { identities: EmailIdentity[]; next_page_token: string };

describe('ListEmailIdentities', () => {
  test('lists the addresses page by page', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await add(`${name}@else.test`);
    const addresses: string[] = [];
    let page_token = '';
    do {
      const page = await list({ page_size: 2, page_token });
      addresses.push(...page.identities.map((identity) => identity.email));
      page_token = page.next_page_token;
    } while (page_token !== '');
    expect(addresses).toEqual(['a', 'b', 'c', 'd', 'e'].map((name) => `${name}@else.test`));
  });

  test('stores a provider position that is longer than a page token for a day; the token can be used repeatedly', async () => {
    for (const name of ['a', 'b', 'c']) await add(`${name}@else.test`);
    const { next_page_token: page_token } = await list({ page_size: 1 });
    expect(page_token.length).toBeLessThanOrEqual(512);
    const second = await list({ page_size: 1, page_token });
    expect(second.identities).toMatchObject([{ email: 'b@else.test' }]);
    expect(await list({ page_size: 1, page_token })).toEqual(second);
    const stored = await api.directory.query({ pk: 'email-identity-page' });
    expect(stored.map(({ expiresAt }) => expiresAt)).toEqual(stored.map(() => Date.parse('2026-11-22T08:38:00Z') / 1000));
    await api.directory.write(stored.map(({ pk, sk }) => ({ delete: { pk, sk } })));
    expect(await api.call('/email-identities/ListEmailIdentities', { page_size: 1, page_token })).toMatchObject({
      status: 400,
      body: { code: 'invalid_argument', message: 'page_token has expired; start again from the first page' },
    });
  });

  test('rejects a page_token of another method and an altered one', async () => {
    for (const name of ['a', 'b', 'c']) await add(`${name}@else.test`);
    const { next_page_token: token } = await list({ page_size: 1 });
    const altered = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
    for (const [path, page_token] of [
      ['/domains/ListDomains', token],
      ['/email-identities/ListEmailIdentities', altered],
    ] as const) {
      expect(await api.call(path, { page_token })).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
    }
  });

  test('returns the status of each address, also of addresses registered outside Postrider, with stable ids', async () => {
    await add();
    api.senderAddresses.setStatus(email);
    await api.senderAddresses.register('elsewhere@else.test');
    api.senderAddresses.setStatus('elsewhere@else.test', 'FAILED');
    const { identities } = await list();
    expect(identities.map((identity) => [identity.email, identity.verification_status])).toEqual([
      ['elsewhere@else.test', 'VERIFICATION_STATUS_FAILED'],
      [email, 'VERIFICATION_STATUS_SUCCESS'],
    ]);
    now = new Date('2026-12-01T00:00:00Z');
    expect((await list()).identities).toEqual(identities);
  });
});
