import type { AccountMember } from '../../../../contract/admin/accounts.ts';
import { membersIn } from '../../../../core/directory/users/members.ts';
import { principalsIn } from '../../../../core/directory/users/principals.ts';
import { adminApiPerTest, headlessClientIds } from '../../../support/admin-api.ts';
import { createAccount, createDomain, createUser } from '../../../support/admin-resources.ts';

const api = adminApiPerTest();
let account_id: string;
beforeEach(async () => {
  ({ account_id } = await createAccount(api, { domain_id: await createDomain(api) }));
});

describe('PutAccountMember and DeleteAccountMember', () => {
  const put = (user_id: string, role: string) => api.call('/accounts/PutAccountMember', { account_id, user_id, role });
  const remove = (user_id: string) => api.call('/accounts/DeleteAccountMember', { account_id, user_id });
  const roles = async () => {
    const { members } = await api.ok('/accounts/ListAccountMembers', { account_id });
    return Object.fromEntries((members as AccountMember[]).map(({ user_id, role }) => [user_id, role]));
  };
  const membershipsOf = async (principalId: string) => (await principalsIn(api.directory).find({ principalId, isMachine: false }))?.memberships;

  test('add a member, change their role and remove them, on the account and on the user', async () => {
    expect(await put('user_admin', 'READ')).toMatchObject({ status: 200, body: { member: { account_id, user_id: 'user_admin', role: 'READ' } } });
    expect((await api.ok('/accounts/GetAccount', { account_id }))['account']).toMatchObject({ shared: true });
    const changed = await put('user_admin', 'ACCOUNT_ROLE_WRITE');
    expect(changed).toMatchObject({ status: 200, body: { member: { role: 'WRITE' } } });
    expect(await membershipsOf('user_admin')).toEqual([
      { accountId: account_id, role: 'WRITE', accountName: 'Alice', isOwner: false, createdAt: expect.any(String) },
    ]);
    expect(await remove('user_admin')).toMatchObject({ status: 200, body: {} });
    expect(await roles()).toEqual({ user_person: 'ADMIN' });
    expect(await membershipsOf('user_admin')).toEqual([]);
    expect((await api.ok('/accounts/GetAccount', { account_id }))['account']).toMatchObject({ shared: false });
  });

  test('a headless client does not make an account shared, whether it comes before or after a person', async () => {
    const isShared = async () => ((await api.ok('/accounts/GetAccount', { account_id }))['account'] as { shared: boolean }).shared;
    await put('jmapheadless', 'WRITE');
    expect(await isShared()).toBe(false);
    await put('user_admin', 'READ');
    expect(await isShared()).toBe(true);
    await remove('jmapheadless');
    expect(await isShared()).toBe(true);
    await put('jmapheadless', 'WRITE');
    await remove('user_admin');
    expect(await isShared()).toBe(false);
    await api.ok('/accounts/DeleteAccount', { account_id });
    expect((await api.ok('/accounts/RestoreAccount', { account_id }))['account']).toMatchObject({ shared: false });
  });

  test('are listed with their names, and say who is gone', async () => {
    const ben = await createUser(api, 'ben@example.test');
    const gone = await createUser(api, 'gone@example.test');
    for (const { user_id } of [ben, gone]) await put(user_id, 'READ');
    await put('jmapheadless', 'WRITE');
    await put('user_admin', 'READ');
    await api.ok('/users/UpdateUser', { user_id: ben.user_id, display_name: 'Ben', is_active: false });
    await api.ok('/users/DeleteUser', { user_id: gone.user_id });
    const { members } = (await api.ok('/accounts/ListAccountMembers', { account_id })) as { members: AccountMember[] };
    expect(Object.fromEntries(members.map(({ name, is_active: isActive }) => [name, isActive]))).toEqual({
      Ben: false,
      'gone@example.test': false,
      JmapHeadless: true,
      admin: true,
      person: true,
    });
  });

  test('a headless client that the deployment has no more is not active', async () => {
    await put('jmapheadless', 'WRITE');
    const members = await membersIn(api.directory, new Map()).list(account_id);
    expect(members.find(({ user_id }) => user_id === 'jmapheadless')).toMatchObject({ name: 'jmapheadless', is_active: false });
  });

  test('PutAccountMember with the current role changes nothing', async () => {
    const first = await put('user_admin', 'READ');
    expect(await put('user_admin', 'READ')).toEqual(first);
  });

  test('accept a headless client as a member, by its name', async () => {
    const [clientId] = headlessClientIds;
    expect(await put(clientId, 'READ')).toMatchObject({ status: 200, body: { member: { user_id: clientId, name: 'AdminHeadless', is_active: true } } });
    expect(await principalsIn(api.directory).find({ principalId: clientId, isMachine: true })).toMatchObject({
      isActive: true,
      isAdmin: false,
      memberships: [{ accountId: account_id, role: 'READ' }],
    });
    expect(await remove(clientId)).toMatchObject({ status: 200 });
  });

  test.each(['user_unknown', 'user_deleted', 'otherclient', 'acc_x'])('PutAccountMember of the user %s is not_found', async (user_id) => {
    expect(await put(user_id, 'READ')).toMatchObject({ status: 404, body: { message: 'there is no such user' } });
  });

  test('DeleteAccountMember of a user who is not a member is not_found', async () => {
    expect(await remove('user_admin')).toMatchObject({ status: 404, body: { code: 'not_found', message: 'there is no such member' } });
  });

  test('neither demote nor remove the last ADMIN', async () => {
    await put('user_admin', 'WRITE');
    for (const response of [await put('user_person', 'READ'), await remove('user_person')]) {
      expect(response).toMatchObject({ status: 400, body: { code: 'failed_precondition' } });
    }
    await put('user_admin', 'ADMIN');
    expect((await put('user_person', 'READ')).status).toBe(200);
    expect(await remove('user_admin')).toMatchObject({ status: 400, body: { code: 'failed_precondition' } });
  });

  test('of two ADMINs that demote each other concurrently, one remains', async () => {
    for (let round = 0; round < 20; round++) {
      await put('user_admin', 'ADMIN');
      await put('user_person', 'ADMIN');
      const responses = await Promise.all([put('user_admin', 'READ'), round % 2 ? remove('user_person') : put('user_person', 'WRITE')]);
      expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
      expect(Object.values(await roles()).filter((role) => role === 'ADMIN')).toHaveLength(1);
      expect(await api.directory.get({ pk: 'account', sk: account_id })).toMatchObject({ admin_count: 1, member_count: Object.keys(await roles()).length });
    }
  });

  test('ten equal concurrent calls of PutAccountMember add the member once', async () => {
    const responses = await Promise.all(Array.from({ length: 10 }, () => put('user_admin', 'READ')));
    expect(responses.every(({ status }) => status === 200)).toBe(true);
    expect(await api.directory.get({ pk: 'account', sk: account_id })).toMatchObject({ member_count: 2, admin_count: 1 });
  });
});
