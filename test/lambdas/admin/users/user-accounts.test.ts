import { adminApi } from '../../../support/admin-api.ts';

type Api = Awaited<ReturnType<typeof adminApi>>;
type Account = { account_id: string };

let api: Api;
let domainId: string;

beforeEach(async () => {
  api = await adminApi();
  domainId = ((await api.ok('/domains/AddDomain', { domain: 'example.test', receive_enabled: true }))['domain'] as { id: string }).id;
});

const account = async (local_part: string, user_id = 'user_person') =>
  (await api.ok('/accounts/CreateAccount', { user_id, name: local_part, local_part, domain_id: domainId }))['account'] as Account;
const byId = (a: Account, b: Account) => (a.account_id < b.account_id ? -1 : 1);

test('somebody without accounts has an empty overview', async () => {
  const { user } = await api.ok('/users/GetUser', { user_id: 'user_person' });
  expect(await api.ok('/users/GetUserOverview', { user_id: 'user_person' })).toEqual({ user, primary_account_aliases: [], accounts: [] });
  expect(await api.ok('/users/ListUserAccounts', { user_id: 'user_person' })).toEqual({ accounts: [] });
});

test('accounts, the primary one and its aliases are seen from the person', async () => {
  const [first, second] = [await account('first'), await account('second')];
  const others = await account('others', 'user_admin');
  await api.ok('/users/PutUserAccountMember', { user_id: 'user_person', account_id: others.account_id, role: 'READ' });
  await api.ok('/aliases/CreateAlias', { account_id: first.account_id, local_part: 'extra', domain_id: domainId });
  const overview = await api.ok('/users/GetUserOverview', { user_id: 'user_person' });
  expect(overview).toMatchObject({ user: { primary_account_id: first.account_id }, primary_account: first });
  expect((overview['primary_account_aliases'] as { email: string }[]).map(({ email }) => email).sort()).toEqual(['extra@example.test', 'first@example.test']);
  const shared = (await api.ok('/accounts/GetAccount', { account_id: others.account_id }))['account'] as Account;
  const expected = [first, second, shared].sort(byId);
  expect(overview['accounts']).toEqual(expected);
  expect(await api.ok('/users/ListUserAccounts', { user_id: 'user_person' })).toEqual({ accounts: expected });
});

test('a role is given, changed and taken from the person’s side as from the account’s', async () => {
  const { account_id } = await account('box', 'user_admin');
  const put = (role: string, user_id = 'user_person') => api.call('/users/PutUserAccountMember', { user_id, account_id, role });
  expect(await put('READ')).toMatchObject({ status: 200, body: { member: { account_id, user_id: 'user_person', role: 'READ' } } });
  expect(await put('ADMIN')).toMatchObject({ status: 200, body: { member: { role: 'ADMIN' } } });
  expect((await api.ok('/accounts/ListAccountMembers', { account_id }))['members']).toMatchObject([{ user_id: 'user_admin' }, { user_id: 'user_person', role: 'ADMIN' }]);
  expect(await api.call('/users/DeleteUserAccountMember', { user_id: 'user_person', account_id })).toMatchObject({ status: 200, body: {} });
  expect(await api.call('/users/DeleteUserAccountMember', { user_id: 'user_person', account_id })).toMatchObject({ status: 404 });
  expect(await api.call('/users/DeleteUserAccountMember', { user_id: 'user_admin', account_id })).toMatchObject({ status: 400, body: { code: 'failed_precondition' } });
  expect(await put('READ', 'user_admin')).toMatchObject({ status: 400, body: { code: 'failed_precondition' } });
  expect(await put('READ', 'user_unknown')).toMatchObject({ status: 404, body: { message: 'there is no such user' } });
  expect((await api.ok('/audit/ListAuditLogs', { operation: 'users/PutUserAccountMember' }))['audit_logs']).toMatchObject([
    { status: 'failure', entity_id: 'user_unknown' }, { status: 'failure', entity_id: 'user_admin' },
    { status: 'success', entity_id: 'user_person', metadata: { account_id }, changes: [{ field: 'role', old_value: 'READ', new_value: 'ADMIN' }] },
    { status: 'success', changes: [{ field: 'role', new_value: 'READ' }] },
  ]);
});

test.each(['ListUserAccounts', 'GetUserOverview'])('%s of somebody unknown is not_found', async (method) => {
  expect(await api.call(`/users/${method}`, { user_id: 'user_unknown' })).toMatchObject({ status: 404, body: { code: 'not_found', message: 'there is no such user' } });
});
