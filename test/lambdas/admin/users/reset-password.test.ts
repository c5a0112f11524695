import { adminApiPerTest } from '../../../support/admin-api.ts';
import { createDomain, createUser } from '../../../support/admin-resources.ts';
import { perTest } from '../../../support/per-test.ts';
import { credentialResetSuite, usernameOf } from './credential-reset-suite.ts';

const api = adminApiPerTest();
const alice = perTest(() => createUser(api, 'alice@example.test'));

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
    const entries = await api.auditLogs('users/ResetPassword');
    expect(entries).toMatchObject([{ status: 'success', entity_id: alice.user_id, entity_name: 'alice@example.test', actor: { email: 'admin@example.test' } }]);
    expect(JSON.stringify([entries, stored])).not.toContain(body['temporary_password']);
  });

  describe('with invitation_email', () => {
    const home = 'alice@home.example';
    const mailTo = (invitation_email: string) => api.call('/users/ResetPassword', { user_id: alice.user_id, invitation_email });

    test('mails the temporary password to that address, returns it to nobody, and ends all sessions', async () => {
      expect(await mailTo(home)).toMatchObject({ status: 200, body: {} });
      const password = api.identityProvider.temporaryPasswords.get(usernameOf(alice))!;
      expect(api.systemMail.sent).toMatchObject([
        { to: home, text: expect.stringMatching(new RegExp(`reset your password.*alice@example\\.test.*${password}`, 's')) as string },
      ]);
      expect(api.identityProvider.endedSessions).toEqual([usernameOf(alice)]);
      const entries = await api.auditLogs('users/ResetPassword');
      expect(entries).toMatchObject([{ status: 'success', entity_id: alice.user_id }]);
      expect(JSON.stringify(entries)).not.toContain(home);
    });

    test('at a domain that is received here is refused, and changes nothing', async () => {
      await createDomain(api, { domain: 'here.test', receive_enabled: true });
      expect(await mailTo('team@here.test')).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
      expect([api.identityProvider.temporaryPasswords.size, api.identityProvider.endedSessions.length]).toEqual([0, 0]);
    });

    test('ends the sessions also when the mail is not sent, and says what to do', async () => {
      api.systemMail.fault.error = new Error('timeout');
      expect(await mailTo(home)).toMatchObject({
        status: 503,
        body: { message: expect.stringMatching(/password was reset, but .* try users\/ResetPassword again/) as string },
      });
      expect((await api.users.find(alice.user_id))!.tokens_revoked_at).toBeDefined();
      expect(await api.auditLogs('users/ResetPassword')).toMatchObject([{ status: 'failure' }]);
    });

    test('tells an admin where the console is', async () => {
      await api.ok('/users/UpdateUser', { user_id: alice.user_id, is_admin: true });
      await mailTo(home);
      expect(api.systemMail.sent[0]!.text).toContain('https://console.example.test');
    });
  });

  credentialResetSuite({
    path: '/users/ResetPassword',
    api,
    alice,
    prepare: () => undefined,
    expectUnchanged: ({ identityProvider }) => expect(identityProvider.temporaryPasswords.size).toBe(0),
    expectReset: ({ identityProvider }, { temporary_password: password }) => expect([...identityProvider.temporaryPasswords.values()]).toEqual([password]),
  });
});
