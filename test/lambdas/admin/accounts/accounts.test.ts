import { mailboxesOf } from '../../../../core/mail/mailbox/mailbox-record.ts';
import { adminApi, headlessClientIds } from '../../../support/admin-api.ts';
import { failingTable } from '../../../support/failing-table.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { addressesIn } from '../../../../core/directory/addresses.ts';
import { principalsIn } from '../../../../core/directory/principals.ts';
import { mailStore } from '../../../../core/mail/table-mail-store.ts';

type Api = Awaited<ReturnType<typeof adminApi>>;
type Account = { account_id: string };
let api: Api;
let domainId: string;

const addDomain = async (to: Api, more: object = {}) =>
  ((await to.ok('/domains/AddDomain', { domain: 'example.test', receive_enabled: true, ...more }))['domain'] as { id: string }).id;

beforeEach(async () => {
  api = await adminApi();
  domainId = await addDomain(api);
});

const wanted = (more: object = {}) => ({ user_id: 'user_person', name: 'Alice', local_part: 'alice', domain_id: domainId, ...more });
const create = async (more: object = {}) => (await api.ok('/accounts/CreateAccount', wanted(more)))['account'] as Account;

describe('CreateAccount', () => {
  test('makes an account with its address, its mailboxes and its owner as ADMIN', async () => {
    const { account } = await api.ok('/accounts/CreateAccount', wanted({ local_part: 'Alice' }));
    expect(account).toEqual({
      account_id: expect.stringMatching(/^acc_[A-Za-z0-9_-]{21}$/), name: 'Alice', email: 'alice@example.test', shared: false, created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    });
    const { account_id } = account as Account;
    expect((await api.ok('/accounts/GetAccount', { account_id }))['account']).toEqual(account);
    expect((await api.ok('/accounts/ListAccounts'))['accounts']).toEqual([account]);
    expect((await api.ok('/accounts/ListAccountMembers', { account_id }))['members']).toMatchObject([{ account_id, user_id: 'user_person', role: 'ADMIN' }]);
    const view = await mailStore({ table: api.mail }).open(account_id);
    expect(mailboxesOf(view!).all().map(({ role }) => role).toSorted((a, b) => (a! < b! ? -1 : 1))).toEqual(['archive', 'drafts', 'inbox', 'junk', 'sent', 'trash']);
    expect(await addressesIn(api.directory).resolve(['Alice@Example.Test', 'bob@example.test'])).toEqual(new Map([['Alice@Example.Test', { accountId: account_id }]]));
    expect(await principalsIn(api.directory).find({ principalId: 'user_person', isMachine: false })).toEqual({
      principalId: 'user_person', isMachine: false, isActive: true, isAdmin: false, username: 'person@example.test',
      memberships: [{ accountId: account_id, role: 'ADMIN', accountName: 'Alice', isOwner: true }],
    });
  });

  test('the first account is the owner’s primary one, and stays so', async () => {
    const first = await create();
    await create({ local_part: 'second' });
    expect((await api.ok('/users/GetUser', { user_id: 'user_person' }))['user']).toMatchObject({ primary_account_id: first.account_id });
  });

  test.each([
    ['an unknown user', { user_id: 'user_unknown' }, 404, 'not_found'],
    ['a deleted user', { user_id: 'user_deleted' }, 404, 'not_found'],
    ['an inactive user', { user_id: 'user_inactive' }, 400, 'failed_precondition'],
    ['an unknown domain', { domain_id: 'dom_unknown' }, 404, 'not_found'],
    ['an id of another kind', { domain_id: 'user_person' }, 404, 'not_found'],
  ])('%s is refused and changes nothing', async (_, more, status, code) => {
    expect(await api.call('/accounts/CreateAccount', wanted(more))).toMatchObject({ status, body: { code } });
    expect(await api.directory.get({ pk: 'address', sk: 'alice@example.test' })).toBeUndefined();
  });

  test('a domain that does not send is failed_precondition', async () => {
    const id = await addDomain(api, { domain: 'silent.test', send_enabled: false });
    expect(await api.call('/accounts/CreateAccount', wanted({ domain_id: id }))).toMatchObject({ status: 400, body: { code: 'failed_precondition' } });
  });

  test('an address that is taken, in any case, is already_exists', async () => {
    await create();
    expect(await api.call('/accounts/CreateAccount', wanted({ local_part: 'ALICE', user_id: 'user_admin' }))).toMatchObject({ status: 409, body: { code: 'already_exists' } });
  });

  test('of ten at once for one address one wins', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => api.call('/accounts/CreateAccount', wanted({ user_id: index % 2 ? 'user_person' : 'user_admin' }))));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
    expect((await api.ok('/accounts/ListAccounts'))['accounts']).toHaveLength(1);
  });

  test('five at once for one owner are all made', async () => {
    const made = await Promise.all([1, 2, 3, 4, 5].map((index) => create({ local_part: `box${index}` })));
    expect(new Set(made.map(({ account_id }) => account_id)).size).toBe(5);
    expect((await principalsIn(api.directory).find({ principalId: 'user_person', isMachine: false }))?.memberships).toHaveLength(5);
  });

  test.each(['before', 'after'] as const)('a crash %s its write leaves nothing in either table or all of it, as one account', async (when) => {
    const tables = { directory: failingTable(memoryTable()), mail: failingTable(memoryTable()) };
    const crashing = await adminApi(tables);
    const domain_id = await addDomain(crashing);
    tables.mail.endProcessAtWrite(0, when);
    expect((await crashing.call('/accounts/CreateAccount', wanted({ domain_id }))).status).toBe(500);
    expect((await addressesIn(tables.directory).resolve(['alice@example.test'])).size).toBe(when === 'before' ? 0 : 1);
    tables.mail.recover();
    // 409: the first call was complete, and only its answer was lost.
    expect((await crashing.call('/accounts/CreateAccount', wanted({ domain_id }))).status).toBe(when === 'before' ? 200 : 409);
    const accounts = (await crashing.ok('/accounts/ListAccounts'))['accounts'] as Account[];
    expect(accounts).toHaveLength(1);
    expect(await mailStore({ table: tables.mail }).open(accounts[0]!.account_id)).toBeDefined();
    expect((await addressesIn(tables.directory).resolve(['alice@example.test'])).get('alice@example.test')).toEqual({ accountId: accounts[0]!.account_id });
  });
});

test('addresses of a domain that does not receive are nobody’s', async () => {
  const id = await addDomain(api, { domain: 'outbound.test', receive_enabled: false });
  await create({ domain_id: id });
  expect((await addressesIn(api.directory).resolve(['alice@outbound.test', '', '@', 'no-at'])).size).toBe(0);
});

test('accounts that are not there are not_found, by every method', async () => {
  for (const [method, more] of [['GetAccount', {}], ['ListAccountMembers', {}], ['PutAccountMember', { user_id: 'user_person', role: 'READ' }], ['DeleteAccountMember', { user_id: 'user_person' }]] as const) {
    expect(await api.call(`/accounts/${method}`, { account_id: 'acc_unknown', ...more })).toMatchObject({ status: 404, body: { code: 'not_found', message: 'there is no such account' } });
  }
});

test('ListAccounts pages', async () => {
  for (const local_part of ['a', 'b', 'c']) await create({ local_part });
  const first = await api.ok('/accounts/ListAccounts', { page_size: 2 });
  expect(first['accounts']).toHaveLength(2);
  const second = await api.ok('/accounts/ListAccounts', { page_size: 2, page_token: first['next_page_token'] });
  expect(second).toMatchObject({ accounts: [{ name: 'Alice' }], next_page_token: '' });
});

describe('members', () => {
  let account_id: string;
  beforeEach(async () => {
    ({ account_id } = await create());
  });
  const put = (user_id: string, role: string) => api.call('/accounts/PutAccountMember', { account_id, user_id, role });
  const remove = (user_id: string) => api.call('/accounts/DeleteAccountMember', { account_id, user_id });
  const roles = async () => Object.fromEntries(((await api.ok('/accounts/ListAccountMembers', { account_id }))['members'] as { user_id: string; role: string }[]).map(({ user_id, role }) => [user_id, role]));

  test('a member is added, changed and removed, seen from both sides', async () => {
    expect(await put('user_admin', 'READ')).toMatchObject({ status: 200, body: { member: { account_id, user_id: 'user_admin', role: 'READ' } } });
    expect((await api.ok('/accounts/GetAccount', { account_id }))['account']).toMatchObject({ shared: true });
    const changed = await put('user_admin', 'ACCOUNT_ROLE_WRITE');
    expect(changed).toMatchObject({ status: 200, body: { member: { role: 'WRITE' } } });
    expect((await principalsIn(api.directory).find({ principalId: 'user_admin', isMachine: false }))?.memberships).toEqual([{ accountId: account_id, role: 'WRITE', accountName: 'Alice', isOwner: false }]);
    expect(await remove('user_admin')).toMatchObject({ status: 200, body: {} });
    expect(await roles()).toEqual({ user_person: 'ADMIN' });
    expect((await principalsIn(api.directory).find({ principalId: 'user_admin', isMachine: false }))?.memberships).toEqual([]);
    expect((await api.ok('/accounts/GetAccount', { account_id }))['account']).toMatchObject({ shared: false });
  });

  test('the same role again changes nothing', async () => {
    const first = await put('user_admin', 'READ');
    expect(await put('user_admin', 'READ')).toEqual(first);
  });

  test('a headless client is a principal like a user', async () => {
    const [clientId] = headlessClientIds;
    expect(await put(clientId, 'READ')).toMatchObject({ status: 200, body: { member: { user_id: clientId } } });
    expect(await principalsIn(api.directory).find({ principalId: clientId, isMachine: true })).toMatchObject({ isActive: true, isAdmin: false, memberships: [{ accountId: account_id, role: 'READ' }] });
    expect(await remove(clientId)).toMatchObject({ status: 200 });
  });

  test.each(['user_unknown', 'user_deleted', 'otherclient', 'acc_x'])('%s is not_found', async (user_id) => {
    expect(await put(user_id, 'READ')).toMatchObject({ status: 404, body: { message: 'there is no such user' } });
  });

  test('somebody who is no member can not be removed', async () => {
    expect(await remove('user_admin')).toMatchObject({ status: 404, body: { code: 'not_found', message: 'there is no such member' } });
  });

  test('the last ADMIN is neither demoted nor removed', async () => {
    await put('user_admin', 'WRITE');
    for (const answer of [await put('user_person', 'READ'), await remove('user_person')]) expect(answer).toMatchObject({ status: 400, body: { code: 'failed_precondition' } });
    await put('user_admin', 'ADMIN');
    expect((await put('user_person', 'READ')).status).toBe(200);
    expect(await remove('user_admin')).toMatchObject({ status: 400, body: { code: 'failed_precondition' } });
  });

  test('of two ADMINs that demote each other at once one stays', async () => {
    for (let round = 0; round < 20; round++) {
      await put('user_admin', 'ADMIN');
      await put('user_person', 'ADMIN');
      const answers = await Promise.all([put('user_admin', 'READ'), round % 2 ? remove('user_person') : put('user_person', 'WRITE')]);
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
      expect(Object.values(await roles()).filter((role) => role === 'ADMIN')).toHaveLength(1);
      expect((await api.directory.get({ pk: 'account', sk: account_id }))).toMatchObject({ admin_count: 1, member_count: Object.keys(await roles()).length });
    }
  });

  test('the same change ten times at once is made once', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => put('user_admin', 'READ')));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(await api.directory.get({ pk: 'account', sk: account_id })).toMatchObject({ member_count: 2, admin_count: 1 });
  });
});
