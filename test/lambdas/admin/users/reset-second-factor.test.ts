import { memoryTable } from '../../../fakes/memory-table.ts';
import { adminApi, adminApiPerTest } from '../../../support/admin-api.ts';
import { createUser } from '../../../support/admin-resources.ts';
import { failingTable } from '../../../support/failing-table.ts';
import { perTest } from '../../../support/per-test.ts';

const api = adminApiPerTest();
const usernameOf = ({ idp_identities: [identity] = [] }: Awaited<ReturnType<typeof createUser>>) => identity!.username;
const alice = perTest(async () => {
  const user = await createUser(api, 'alice@example.test');
  api.identityProvider.authenticators.add(usernameOf(user));
  return user;
});

const reset = (user_id = alice.user_id) => api.call('/users/ResetSecondFactor', { user_id });

describe('ResetSecondFactor', () => {
  test('removes the authenticator app of the user, ends all sessions, and is audited', async () => {
    const before = new Date(Date.now() - 60_000).toISOString();
    expect(await reset()).toMatchObject({ status: 200, body: {} });
    expect([...api.identityProvider.authenticators]).toEqual([]);
    expect(api.identityProvider.endedSessions).toEqual([usernameOf(alice)]);
    expect((await api.users.find(alice.user_id))!.tokens_revoked_at! > before).toBe(true);
    expect((await api.ok('/audit/ListAuditLogs', { operation: 'users/ResetSecondFactor' }))['audit_logs'])
      .toMatchObject([{ status: 'success', entity_id: alice.user_id, entity_name: 'alice@example.test', actor: { email: 'admin@example.test' } }]);
  });

  test('succeeds for a user who has no authenticator app yet', async () => {
    await reset();
    expect(await reset()).toMatchObject({ status: 200 });
  });

  test.each([
    ['deactivated', () => api.ok('/users/UpdateUser', { user_id: alice.user_id, is_active: false })],
    ['deleted', () => api.ok('/users/DeleteUser', { user_id: alice.user_id })],
  ])('of a user who is %s is refused and removes nothing', async (text, change) => {
    await change();
    expect(await reset()).toMatchObject({ status: 400, body: { code: 'failed_precondition', message: expect.stringContaining(text) } });
    expect(api.identityProvider.authenticators.size).toBe(1);
  });

  test('of an unknown user is not_found', async () => {
    expect(await reset('user_unknown')).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  test('of a user whom the identity provider has lost is refused with the remedy', async () => {
    await api.identityProvider.remove(usernameOf(alice));
    expect(await reset()).toMatchObject({ status: 400, body: { code: 'failed_precondition', message: expect.stringContaining('delete the user') } });
  });

  test.each([
    [0, 'before'], [0, 'after'], [1, 'before'], [1, 'after'],
  ] as const)('the next call completes one that crashed at write %d, %s it', async (write, when) => {
    const directory = failingTable(memoryTable());
    const crashing = await adminApi({ directory });
    const user = await createUser(crashing, 'alice@example.test');
    crashing.identityProvider.authenticators.add(usernameOf(user));
    directory.endProcessAtWrite(write, when);
    expect(await crashing.call('/users/ResetSecondFactor', { user_id: user.user_id })).toMatchObject({ status: 500 });
    directory.recover();
    await crashing.ok('/users/ResetSecondFactor', { user_id: user.user_id });
    expect(crashing.identityProvider.authenticators.size).toBe(0);
    expect((await crashing.users.find(user.user_id))!.tokens_revoked_at).toBeDefined();
  });
});
