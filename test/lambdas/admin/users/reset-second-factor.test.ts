import { adminApiPerTest, type AdminApi } from '../../../support/admin-api.ts';
import { createUser } from '../../../support/admin-resources.ts';
import { perTest } from '../../../support/per-test.ts';
import { credentialResetSuite, usernameOf } from './credential-reset-suite.ts';

const api = adminApiPerTest();
const prepare = ({ identityProvider }: AdminApi, user: Awaited<ReturnType<typeof createUser>>): void => {
  identityProvider.authenticators.add(usernameOf(user));
};
const alice = perTest(async () => {
  const user = await createUser(api, 'alice@example.test');
  prepare(api, user);
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
    expect(await api.auditLogs('users/ResetSecondFactor')).toMatchObject([
      { status: 'success', entity_id: alice.user_id, entity_name: 'alice@example.test', actor: { email: 'admin@example.test' } },
    ]);
  });

  test('succeeds for a user who has no authenticator app yet', async () => {
    await reset();
    expect(await reset()).toMatchObject({ status: 200 });
  });

  credentialResetSuite({
    path: '/users/ResetSecondFactor',
    api,
    alice,
    prepare,
    expectUnchanged: ({ identityProvider }) => expect(identityProvider.authenticators.size).toBe(1),
    expectReset: ({ identityProvider }) => expect(identityProvider.authenticators.size).toBe(0),
  });
});
