import type { User } from '../../../../contract/admin/users.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { adminApi, adminApiPerTest } from '../../../support/admin-api.ts';
import { createAccount, createDomain, createUser } from '../../../support/admin-resources.ts';
import { failingTable } from '../../../support/failing-table.ts';
import { perTest } from '../../../support/per-test.ts';

const api = adminApiPerTest();
const alice = perTest(async () => {
  const user = await createUser(api, 'alice@here.test');
  await api.ok('/users/DeleteUser', { user_id: user.user_id });
  return user;
});

const restore = (email?: string) => api.call('/users/RestoreUser', { user_id: alice.user_id, email });
const subAt = async (email: string, to = api) => (await to.identityProvider.find(email))?.sub;
const subOf = (user: User) => user.idp_identities![0]!.sub;

describe('RestoreUser', () => {
  test('gives the user their address back, and refuses it to others again', async () => {
    expect(await restore()).toMatchObject({ status: 200, body: { user: { primary_email: 'alice@here.test', is_active: true, is_deleted: false } } });
    expect(await subAt('alice@here.test')).toBe(subOf(alice));
    expect(await api.call('/users/CreateUser', { email: 'alice@here.test' })).toMatchObject({ status: 409 });
  });

  test('is refused while somebody new has the address, and succeeds with another one', async () => {
    const again = await createUser(api, 'alice@here.test');
    expect(await restore()).toMatchObject({
      status: 409,
      body: { code: 'already_exists', message: expect.stringContaining('another one as email') as string },
    });
    expect(await api.users.find(alice.user_id)).toMatchObject({ is_deleted: true });
    const { user } = (await restore('alice.former@here.test')).body as { user: User };
    expect(user).toMatchObject({
      primary_email: 'alice.former@here.test',
      name: 'alice.former@here.test',
      idp_identities: [{ email: 'alice.former@here.test' }],
    });
    expect([await subAt('alice@here.test'), await subAt('alice.former@here.test')]).toEqual([subOf(again), subOf(alice)]);
    expect(await api.auditLogs('users/RestoreUser')).toMatchObject([
      {
        status: 'success',
        changes: expect.arrayContaining([{ field: 'primary_email', old_value: 'alice@here.test', new_value: 'alice.former@here.test' }]) as unknown,
      },
      { status: 'failure' },
    ]);
  });

  test('is refused while the mailbox of somebody else has the address, and not because of the user’s own', async () => {
    const domain_id = await createDomain(api, { domain: 'here.test', receive_enabled: true });
    const bob = await createUser(api, 'bob@example.test');
    const account = await createAccount(api, { domain_id, user_id: bob.user_id, local_part: 'alice' });
    expect(await restore()).toMatchObject({ status: 409, body: { message: expect.stringContaining('mailbox of another user') as string } });
    await api.ok('/accounts/DeleteAccount', { account_id: account.account_id });
    const carol = await createUser(api, 'carol@example.test');
    await createAccount(api, { domain_id, user_id: carol.user_id, local_part: 'carol' });
    await api.ok('/users/DeleteUser', { user_id: carol.user_id });
    expect(await api.call('/users/RestoreUser', { user_id: carol.user_id, email: 'carol@here.test' })).toMatchObject({ status: 200 });
  });

  test.each(['before', 'after'] as const)('the next call completes one that crashed %s any write', async (when) => {
    for (let write = 0; ; write++) {
      const directory = failingTable(memoryTable());
      const crashing = await adminApi({ directory });
      const bob = await createUser(crashing, 'bob@example.test');
      await crashing.ok('/users/DeleteUser', { user_id: bob.user_id });
      directory.endProcessAtWrite(write, when);
      const crashed = (await crashing.call('/users/RestoreUser', { user_id: bob.user_id })).status !== 200;
      directory.recover();
      if (!crashed) break;
      await crashing.call('/users/RestoreUser', { user_id: bob.user_id });
      expect(await crashing.users.find(bob.user_id)).toMatchObject({ is_active: true, is_deleted: false });
      expect([...crashing.identityProvider.blocked]).toEqual([]);
      expect(await subAt('bob@example.test', crashing)).toBe(subOf(bob));
      expect(await crashing.call('/users/CreateUser', { email: 'bob@example.test' })).toMatchObject({ status: 409 });
      expect(write).toBeLessThan(10);
    }
  });

  test('and CreateUser for the same address at once have one winner, who signs in with it', async () => {
    const [restored, created] = await Promise.all([restore(), api.call('/users/CreateUser', { email: 'alice@here.test' })]);
    expect([restored.status, created.status].filter((status) => status === 200)).toHaveLength(1);
    expect(await api.users.holderOf('alice@here.test')).toBe(restored.status === 200 ? alice.user_id : (created.body['user'] as User).user_id);
  });
});
