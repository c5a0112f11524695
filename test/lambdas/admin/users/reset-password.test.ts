import { memoryTable } from '../../../fakes/memory-table.ts';
import { adminApi, adminApiPerTest } from '../../../support/admin-api.ts';
import { createUser } from '../../../support/admin-resources.ts';
import { failingTable } from '../../../support/failing-table.ts';
import { perTest } from '../../../support/per-test.ts';

const api = adminApiPerTest();
const alice = perTest(() => createUser(api, 'alice@example.test'));
const usernameOf = ({ idp_identities: [identity] = [] }: Awaited<ReturnType<typeof createUser>>) => identity!.username;

const reset = (user_id = alice.user_id) => api.call('/users/ResetPassword', { user_id });

describe('ResetPassword', () => {
  test('returns the temporary password that the identity provider has, which meets the pool’s policy', async () => {
    const { body } = await reset();
    expect(body).toEqual({ temporary_password: api.identityProvider.temporaryPasswords.get(usernameOf(alice)) });
    const password = body['temporary_password'] as string;
    expect(password).toMatch(/^[a-zA-Z2-9]{4}(-[a-zA-Z2-9]{4}){3}$/);
    for (const required of [/[a-z]/, /[A-Z]/, /[0-9]/]) expect(password).toMatch(required);
    expect((await reset()).body).not.toEqual(body);
  });

  test('ends all sessions of the user, and the audit log says who did it, without the password', async () => {
    const before = new Date(Date.now() - 60_000).toISOString();
    const { body } = await reset();
    expect(api.identityProvider.endedSessions).toEqual([usernameOf(alice)]);
    const stored = await api.users.find(alice.user_id);
    expect(stored!.tokens_revoked_at! > before).toBe(true);
    const entries = (await api.ok('/audit/ListAuditLogs', { operation: 'users/ResetPassword' }))['audit_logs'];
    expect(entries).toMatchObject([{ status: 'success', entity_id: alice.user_id, entity_name: 'alice@example.test', actor: { email: 'admin@example.test' } }]);
    expect(JSON.stringify([entries, stored])).not.toContain(body['temporary_password']);
  });

  test.each([
    ['deactivated', () => api.ok('/users/UpdateUser', { user_id: alice.user_id, is_active: false })],
    ['deleted', () => api.ok('/users/DeleteUser', { user_id: alice.user_id })],
  ])('of a user who is %s is refused and changes no password', async (text, change) => {
    await change();
    expect(await reset()).toMatchObject({ status: 400, body: { code: 'failed_precondition', message: expect.stringContaining(text) } });
    expect(api.identityProvider.temporaryPasswords.size).toBe(0);
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
    const { user_id } = await createUser(crashing, 'alice@example.test');
    directory.endProcessAtWrite(write, when);
    expect(await crashing.call('/users/ResetPassword', { user_id })).toMatchObject({ status: 500 });
    directory.recover();
    const { temporary_password: password } = await crashing.ok('/users/ResetPassword', { user_id });
    expect([...crashing.identityProvider.temporaryPasswords.values()]).toEqual([password]);
    expect((await crashing.users.find(user_id))!.tokens_revoked_at).toBeDefined();
  });
});
