import type { User } from '../../../../contract/admin/users.ts';
import { principalsIn } from '../../../../core/directory/users/principals.ts';
import type { Table } from '../../../../core/storage/table.ts';
import { withRemoval } from '../../../lambdas/account-removal/removal.ts';

/** The directory whose profiles are the records of the users. */
const withRecordsAsProfiles = (table: Table): Table => ({
  ...table,
  query: async (query) =>
    Promise.all(
      (await table.query(query)).map(async (item) =>
        item.sk === 'profile' ? { ...(await table.get({ pk: 'user', sk: item.pk.slice('member#'.length) })), pk: item.pk, sk: item.sk } : item,
      ),
    ),
});

/** The directory without the records of users, so that a principal is found only by the profile. */
const withoutRecords = (table: Table): Table => ({ ...table, get: () => Promise.reject(new Error('the record of the user was read')) });

const findIn = (directory: Table, principalId: string) => principalsIn(directory).find({ principalId, isMachine: false });

describe('The principal that requests check', () => {
  let api: Awaited<ReturnType<typeof withRemoval>>;
  let alice: User;
  beforeEach(async () => {
    api = await withRemoval({ recoverableSeconds: 86_400 });
    const { user } = await api.ok('/users/CreateUser', { email: 'alice@example.test' });
    alice = user as User;
  });
  const update = (fields: object) => api.ok('/users/UpdateUser', { user_id: alice.user_id, ...fields });

  test.each<[string, () => Promise<unknown>, object]>([
    ['an invitation', () => Promise.resolve(), { username: 'alice@example.test', isActive: true, isAdmin: false }],
    ['an appointment as admin', () => update({ is_admin: true }), { isAdmin: true }],
    [
      'a demotion',
      async () => {
        await update({ is_admin: true });
        await update({ is_admin: false });
      },
      { isAdmin: false },
    ],
    ['a deactivation', () => update({ is_active: false }), { isActive: false, tokensRevokedAt: expect.any(Number) }],
    [
      'a reactivation',
      async () => {
        await update({ is_active: false });
        await update({ is_active: true });
      },
      { isActive: true, tokensRevokedAt: expect.any(Number) },
    ],
    ['a deletion', () => api.ok('/users/DeleteUser', { user_id: alice.user_id }), { isActive: false }],
    [
      'a restoration',
      async () => {
        await api.ok('/users/DeleteUser', { user_id: alice.user_id });
        await api.ok('/users/RestoreUser', { user_id: alice.user_id });
      },
      { isActive: true },
    ],
    [
      'the restoration of the primary account',
      async () => {
        const accountId = await api.create('alice', alice.user_id);
        await api.ok('/accounts/DeleteAccount', { account_id: accountId });
        await api.ok('/accounts/RestoreAccount', { account_id: accountId });
      },
      { primaryAccountId: expect.any(String), memberships: [{ isOwner: true }] },
    ],
    ['a first account', () => api.create('alice', alice.user_id), { primaryAccountId: expect.any(String), memberships: [{ role: 'ADMIN', isOwner: true }] }],
    [
      'a second account',
      async () => {
        await api.create('alice', alice.user_id);
        await api.create('second', alice.user_id);
      },
      { primaryAccountId: expect.any(String), memberships: [{ isOwner: true }, { isOwner: true }] },
    ],
    [
      'the removal of the primary account',
      async () => {
        const accountId = await api.create('alice', alice.user_id);
        await api.create('second', alice.user_id);
        await api.ok('/accounts/DeleteAccount', { account_id: accountId });
      },
      { primaryAccountId: expect.any(String), memberships: [{ isOwner: true }] },
    ],
  ])('is read by one query, and agrees with the record of the user, after %s', async (_title, change, expected) => {
    await change();
    const found = await findIn(withoutRecords(api.directory), alice.user_id);
    expect(found).toMatchObject(expected);
    expect(found).toEqual(await findIn(withRecordsAsProfiles(api.directory), alice.user_id));
  });

  test('has a profile even if the user became the first admin', async () => {
    const { user } = await api.users.findForUpdate(alice.user_id);
    await api.directory.write([{ delete: { pk: 'admins', sk: 'summary' } }]);
    expect(await api.users.appointFirstAdmin(user!, new Date(), [])).toBe(true);
    expect(await findIn(withoutRecords(api.directory), alice.user_id)).toMatchObject({ isAdmin: true, isActive: true });
  });
});
