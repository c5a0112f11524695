import { principalsIn } from '../../../../core/directory/users/principals.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { adminApi, adminApiPerTest } from '../../../support/admin-api.ts';
import { createAccount, createDomain, createUser } from '../../../support/admin-resources.ts';
import { failingTable } from '../../../support/failing-table.ts';
import { perTest } from '../../../support/per-test.ts';

const api = adminApiPerTest();
let username: string;
const alice = perTest(() => createUser(api, 'alice@example.test'));
beforeEach(() => {
  username = alice.idp_identities![0]!.username;
});

const remove = (user_id = alice.user_id) => api.call('/users/DeleteUser', { user_id });
const principal = (principalId: string) => principalsIn(api.directory).find({ principalId, isMachine: false });

describe('DeleteUser', () => {
  test('marks the user as deleted and blocks sign-in; a repeated call succeeds', async () => {
    expect(await remove()).toMatchObject({ status: 200, body: {} });
    expect(await remove()).toMatchObject({ status: 200, body: {} });
    expect((await api.ok('/users/GetUser', { user_id: alice.user_id }))['user']).toMatchObject({ is_deleted: true, is_active: false });
    expect([...api.identityProvider.blocked]).toEqual([username]);
    expect(await principal(alice.user_id)).toMatchObject({ isActive: false });
  });

  test('says which accounts remain: the user’s own, which go on receiving, and those of others', async () => {
    const domain_id = await createDomain(api, { domain: 'here.test', receive_enabled: true });
    const own = await createAccount(api, { domain_id, user_id: alice.user_id, local_part: 'alice', name: 'Alice' });
    const sales = await createAccount(api, { domain_id, local_part: 'sales', name: 'Sales' });
    await api.ok('/accounts/PutAccountMember', { account_id: sales.account_id, user_id: alice.user_id, role: 'READ' });
    for (const _ of [1, 2]) {
      expect((await remove()).body).toMatchObject({
        own_accounts: [{ account_id: own.account_id, email: 'alice@here.test' }],
        other_accounts: [{ account_id: sales.account_id, name: 'Sales' }],
      });
    }
  });

  test('lets the address be invited again at once, as somebody new without accounts', async () => {
    const domain_id = await createDomain(api, { domain: 'here.test', receive_enabled: true });
    await createAccount(api, { domain_id, user_id: alice.user_id, local_part: 'alice', name: 'Alice' });
    await remove();
    const again = await createUser(api, 'alice@example.test');
    expect(again.user_id).not.toBe(alice.user_id);
    expect(again.idp_identities![0]!.username).not.toBe(username);
    expect((await api.ok('/users/ListUserAccounts', { user_id: again.user_id }))['accounts']).toEqual([]);
    await api.ok('/users/DeleteUser', { user_id: again.user_id });
    expect((await createUser(api, 'alice@example.test')).user_id).not.toBe(again.user_id);
  });

  test('of a deactivated user frees the address too', async () => {
    await api.ok('/users/UpdateUser', { user_id: alice.user_id, is_active: false });
    expect(await api.call('/users/CreateUser', { email: 'alice@example.test' })).toMatchObject({ status: 409 });
    await remove();
    await createUser(api, 'alice@example.test');
  });

  test('of an unknown user is not_found', async () => {
    expect(await remove('user_unknown')).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  test.each([
    [0, 'before'],
    [0, 'after'],
    [1, 'before'],
    [1, 'after'],
  ] as const)('the next call completes one that crashed at write %d, %s it', async (write, when) => {
    const directory = failingTable(memoryTable());
    const crashing = await adminApi({ directory });
    const bob = await createUser(crashing, 'bob@example.test');
    directory.endProcessAtWrite(write, when);
    expect((await crashing.call('/users/DeleteUser', { user_id: bob.user_id })).status).toBeGreaterThanOrEqual(500);
    directory.recover();
    expect(await crashing.call('/users/DeleteUser', { user_id: bob.user_id })).toMatchObject({ status: 200 });
    expect([...crashing.identityProvider.blocked]).toEqual([bob.idp_identities![0]!.username]);
    expect(await crashing.users.find(bob.user_id)).toMatchObject({ is_deleted: true, is_active: false });
    expect(await crashing.users.find(bob.user_id)).not.toHaveProperty('sign_in_pending');
    expect((await createUser(crashing, 'bob@example.test')).user_id).not.toBe(bob.user_id);
  });

  test('immediately refuses the user although the identity provider fails; the next call completes it', async () => {
    api.identityProvider.fault.error = Object.assign(new Error('slow'), { name: 'TooManyRequestsException' });
    expect(await remove()).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(await principal(alice.user_id)).toMatchObject({ isActive: false });
    expect(await api.auditLogs('users/DeleteUser')).toMatchObject([
      { status: 'failure', error_msg: expect.stringContaining('busy'), changes: [{ field: 'is_active' }, { field: 'is_deleted' }] },
    ]);
    api.identityProvider.fault.error = undefined;
    expect((await remove()).status).toBe(200);
    expect([...api.identityProvider.blocked]).toEqual([username]);
    expect(await api.auditLogs('users/DeleteUser')).toMatchObject([{ status: 'success' }, { status: 'failure' }]);
  });
});
