import type { Account } from '../../../../contract/admin/accounts.ts';
import { adminApiPerTest } from '../../../support/admin-api.ts';
import { createAccount, createDomain, createUser } from '../../../support/admin-resources.ts';
import { usernameOf } from './credential-reset-suite.ts';

const api = adminApiPerTest();
let domainId: string;
beforeEach(async () => {
  domainId = await createDomain(api, { receive_enabled: true });
});

const create = (local_part: string, user_id = 'user_person') => createAccount(api, { user_id, name: local_part, local_part, domain_id: domainId });

test('GetUserOverview and ListUserAccounts of a user without accounts are empty', async () => {
  const { user } = await api.ok('/users/GetUser', { user_id: 'user_person' });
  expect(await api.ok('/users/GetUserOverview', { user_id: 'user_person' })).toEqual({ user, second_factors: [], primary_account_aliases: [], accounts: [] });
  expect(await api.ok('/users/ListUserAccounts', { user_id: 'user_person' })).toEqual({ accounts: [] });
});

test('GetUserOverview returns the primary account with its aliases, and every account of the user', async () => {
  const [first, second] = [await create('first'), await create('second')];
  const others = await create('others', 'user_admin');
  await api.ok('/users/PutUserAccountMember', { user_id: 'user_person', account_id: others.account_id, role: 'READ' });
  await api.ok('/aliases/CreateAlias', { account_id: first.account_id, local_part: 'extra', domain_id: domainId });
  const overview = await api.ok('/users/GetUserOverview', { user_id: 'user_person' });
  expect(overview).toMatchObject({ user: { primary_account_id: first.account_id }, primary_account: first });
  const aliases = overview['primary_account_aliases'] as { email: string }[];
  expect(aliases.map(({ email }) => email).sort()).toEqual(['extra@example.test', 'first@example.test']);
  const {
    quota: _quota,
    keep_recent_contacts: _keeps,
    ...shared
  } = (await api.ok('/accounts/GetAccount', { account_id: others.account_id }))['account'] as Account & {
    readonly quota: unknown;
    readonly keep_recent_contacts: unknown;
  };
  const expected = [first, second, shared].sort((a, b) => (a.account_id < b.account_id ? -1 : 1));
  expect(overview['accounts']).toEqual(expected);
  expect(await api.ok('/users/ListUserAccounts', { user_id: 'user_person' })).toEqual({ accounts: expected });
});

test('GetUserOverview returns the second factors that the identity provider lists, and the rest when it fails', async () => {
  const user = await createUser(api, 'alice@example.test');
  const overview = () => api.ok('/users/GetUserOverview', { user_id: user.user_id });
  api.identityProvider.authenticators.add(usernameOf(user));
  expect(await overview()).toMatchObject({ user, second_factors: ['AUTHENTICATOR_APP'] });
  api.identityProvider.fault.error = new Error('timeout');
  expect(await overview()).toMatchObject({ user, second_factors: [], accounts: [] });
});

test.each(['ListUserAccounts', 'GetUserOverview'])('%s of an unknown user is not_found', async (method) => {
  expect(await api.call(`/users/${method}`, { user_id: 'user_unknown' })).toMatchObject({
    status: 404,
    body: { code: 'not_found', message: 'there is no such user' },
  });
});
