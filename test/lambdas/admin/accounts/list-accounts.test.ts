import type { Account } from '../../../../contract/admin/accounts.ts';
import { directoryKeys } from '../../../../contract/deployment/keys.ts';
import { headKey } from '../../../../core/account-log/keys.ts';
import { adminApi, adminApiPerTest, storeLimitedAdmins } from '../../../support/admin-api.ts';
import { createAccount, createDomain, createUser } from '../../../support/admin-resources.ts';

test('ListAccounts returns the accounts page by page', async () => {
  const api = await adminApi();
  const domain_id = await createDomain(api);
  for (const local_part of ['a', 'b', 'c']) await createAccount(api, { domain_id, local_part });
  const first = await api.ok('/accounts/ListAccounts', { page_size: 2 });
  expect(first['accounts']).toHaveLength(2);
  const second = await api.ok('/accounts/ListAccounts', { page_size: 2, page_token: first['next_page_token'] });
  expect(second).toMatchObject({ accounts: [{ name: 'Alice' }], next_page_token: '' });
});

describe('ListAccounts with include_use', () => {
  const api = adminApiPerTest({ quotaDefaults: { octets: 5_000, count: 10 } });

  const newUser = async (name: string) =>
    (await api.ok('/users/CreateUser', { email: `${name.toLowerCase()}@elsewhere.test`, display_name: name }))['user'] as { readonly user_id: string };
  /** A person with an account of their own. */
  const person = async (name: string, domain_id: string) => {
    const { user_id } = await newUser(name);
    return { user_id, ...(await createAccount(api, { domain_id, user_id, name, local_part: name.toLowerCase() })) };
  };
  const uses = async () => {
    const { accounts } = await api.ok('/accounts/ListAccounts', { include_use: true, order_by: 'NAME' });
    return Object.fromEntries((accounts as Account[]).map(({ name, use }) => [name, use]));
  };
  const signIn = async (userId: string, at: string, clientId = 'webmail', isSignIn = true) =>
    api.users.recordTokens((await api.users.find(userId))!, { clientId, isSignIn }, new Date(at));

  test('says who owns each account, its members, storage and last use', async () => {
    const domain_id = await createDomain(api);
    const [ada, bob] = [await person('Ada', domain_id), await person('Bob', domain_id)];
    const sales = await createAccount(api, { domain_id, user_id: ada.user_id, name: 'Sales', local_part: 'sales' });
    for (const [user_id, role] of [
      [bob.user_id, 'ADMIN'],
      ['jmapheadless', 'READ'],
    ]) {
      await api.ok('/accounts/PutAccountMember', { account_id: sales.account_id, user_id, role });
    }
    await signIn(bob.user_id, '2027-01-02T03:04:05.000Z');
    await signIn(bob.user_id, '2027-01-04T03:04:05.000Z', 'mail-app', false);
    await api.mail.write([{ update: headKey(ada.account_id), set: { bytes: 1_200, messages: 3 } }]);
    const storage = { octets_used: 0, max_octets: 5_000, emails_used: 0, max_emails: 10 };
    const last_used_at = '2027-01-04T03:04:05.000Z';
    const all = await uses();
    expect(all).toEqual({
      Ada: { owners: ['Ada'], members: 1, storage: { ...storage, octets_used: 1_200, emails_used: 3 }, never_used: true },
      Bob: { owners: ['Bob'], members: 1, storage, last_used_at, never_used: false },
      Sales: { owners: expect.arrayContaining(['Ada', 'Bob']) as unknown, members: 2, storage, last_used_at, never_used: false },
    });
    expect(all['Sales']!.owners).toHaveLength(2);
    expect((await api.ok('/accounts/ListAccounts', {}))['accounts']).toEqual(expect.not.arrayContaining([expect.objectContaining({ use: expect.anything() })]));
  });

  test('names the ADMINs of an account whose owner is removed, and leaves out what is missing', async () => {
    const domain_id = await createDomain(api);
    const [ada, bob, carol] = [await person('Ada', domain_id), await person('Bob', domain_id), await person('Carol', domain_id)];
    await api.ok('/accounts/PutAccountMember', { account_id: ada.account_id, user_id: bob.user_id, role: 'ADMIN' });
    await api.ok('/users/DeleteUser', { user_id: ada.user_id });
    expect((await uses())['Ada']).toMatchObject({ owners: ['Ada'], members: 2 });
    await api.directory.write([{ delete: directoryKeys.user(ada.user_id) }]);
    await api.directory.write([{ delete: directoryKeys.user(carol.user_id) }]);
    await api.mail.write([{ delete: headKey(carol.account_id) }]);
    const all = await uses();
    expect(all['Ada']).toMatchObject({ owners: ['Bob'] });
    expect(all['Carol']).toEqual({ owners: [], members: 1, never_used: false });
  });

  test('reads a limited number of members, and says nothing about the use of accounts with more', async () => {
    const domain_id = await createDomain(api);
    const ada = await person('Ada', domain_id);
    for (let n = 0; n < 3; n += 1) {
      const { user_id } = await createUser(api, `member${n}@elsewhere.test`);
      await api.ok('/accounts/PutAccountMember', { account_id: ada.account_id, user_id, role: 'READ' });
    }
    await signIn(ada.user_id, '2027-01-02T03:04:05.000Z');
    expect((await uses())['Ada']).toMatchObject({ owners: ['Ada'], members: 4, never_used: false });
    expect((await uses())['Ada']).not.toHaveProperty('last_used_at');
  });

  test('is for HELPDESK and READ_ONLY too', async () => {
    await storeLimitedAdmins(api);
    const domain_id = await createDomain(api);
    await createAccount(api, { domain_id, user_id: 'user_admin', name: 'Boss', local_part: 'boss' });
    for (const token of ['helpdesk', 'read-only'] as const) {
      expect(await api.call('/accounts/ListAccounts', { include_use: true }, token)).toMatchObject({
        status: 200,
        body: { accounts: [{ use: { owners: ['admin'], last_used_at: expect.anything() as unknown } }] },
      });
    }
  });
});
