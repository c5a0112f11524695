import { adminApiPerTest } from '../../../support/admin-api.ts';
import { createUser } from '../../../support/admin-resources.ts';
import { perTest } from '../../../support/per-test.ts';

const api = adminApiPerTest();
const alice = perTest(() => createUser(api, 'alice@example.test'));

const resend = (user_id = alice.user_id) => api.call('/users/ResendInvitation', { user_id });
const refusal = (text: string) => ({ status: 400, body: { code: 'failed_precondition', message: expect.stringContaining(text) } });

describe('ResendInvitation', () => {
  test('invites the user again, and the audit log has it', async () => {
    expect(await resend()).toMatchObject({ status: 200, body: {} });
    expect(api.identityProvider.invitations).toEqual(['alice@example.test', 'alice@example.test']);
    expect(await api.auditLogs('users/ResendInvitation')).toMatchObject([{ status: 'success', entity_id: alice.user_id, entity_name: 'alice@example.test' }]);
  });

  test('of a user who has chosen a password is refused with the remedy', async () => {
    api.identityProvider.choosePassword('alice@example.test');
    expect(await resend()).toMatchObject(refusal('Forgot your password?'));
  });

  test.each([
    ['is deactivated', { is_active: false }],
    ['is deleted', undefined],
  ])('of a user who %s is refused without a mail', async (text, change) => {
    if (change) await api.ok('/users/UpdateUser', { user_id: alice.user_id, ...change });
    else await api.ok('/users/DeleteUser', { user_id: alice.user_id });
    expect(await resend()).toMatchObject(refusal(text));
    expect(api.identityProvider.invitations).toHaveLength(1);
  });

  test('of an unknown user is not_found', async () => {
    expect(await resend('user_unknown')).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});
