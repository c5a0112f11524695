import { adminApiPerTest } from '../../../support/admin-api.ts';
import { createUser } from '../../../support/admin-resources.ts';
import { perTest } from '../../../support/per-test.ts';
import { usernameOf } from './credential-reset-suite.ts';

const api = adminApiPerTest();
const alice = perTest(() => createUser(api, 'alice@example.test'));

describe('EndSessions', () => {
  test('ends all sessions, refuses their tokens, keeps the rest of the user, and is audited', async () => {
    const before = (await api.users.find(alice.user_id))!;
    expect(await api.call('/users/EndSessions', { user_id: alice.user_id })).toMatchObject({ status: 200, body: {} });
    expect(api.identityProvider.endedSessions).toEqual([usernameOf(alice)]);
    const { tokens_revoked_at: at, version, ...kept } = (await api.users.find(alice.user_id))!;
    const { version: versionBefore, ...known } = before;
    expect(kept).toEqual(known);
    expect(at! > before.created_at).toBe(true);
    expect(version).toBe(versionBefore + 1);
    expect(await api.auditLogs('users/EndSessions')).toMatchObject([
      { status: 'success', entity_id: alice.user_id, entity_name: 'alice@example.test', actor: { email: 'admin@example.test' } },
    ]);
  });

  test.each([
    ['deactivated', () => api.ok('/users/UpdateUser', { user_id: alice.user_id, is_active: false }), 400],
    ['deleted', () => api.ok('/users/DeleteUser', { user_id: alice.user_id }), 400],
    ['lost by the identity provider', () => api.identityProvider.remove(usernameOf(alice)), 200],
  ])('of a user who is %s', async (_, change, status) => {
    await change();
    expect(await api.call('/users/EndSessions', { user_id: alice.user_id })).toMatchObject({ status });
  });

  test('of an unknown user is not_found', async () => {
    expect(await api.call('/users/EndSessions', { user_id: 'user_unknown' })).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});
