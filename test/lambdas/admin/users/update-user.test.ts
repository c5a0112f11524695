import type { User } from '../../../../contract/admin/users.ts';
import { principalsIn } from '../../../../core/directory/users/principals.ts';
import { adminApiPerTest } from '../../../support/admin-api.ts';
import { createUser } from '../../../support/admin-resources.ts';
import { perTest } from '../../../support/per-test.ts';

const api = adminApiPerTest();
let username: string;
const alice = perTest(() => createUser(api, 'alice@example.test'));
beforeEach(() => {
  username = alice.idp_identities![0]!.username;
});

const update = (fields: object, user_id = alice.user_id, token?: string) => api.call('/users/UpdateUser', { user_id, ...fields }, token);
const remove = (user_id: string) => api.call('/users/DeleteUser', { user_id });
const principal = (principalId: string) => principalsIn(api.directory).find({ principalId, isMachine: false });
/** The stored number of active admins. */
const adminCount = async () => (await api.directory.get({ pk: 'admins', sk: 'summary' }))?.['count'];

describe('UpdateUser', () => {
  test('changes the given fields only', async () => {
    expect((await update({ display_name: 'Alice' })).body['user']).toMatchObject({
      ...alice,
      name: 'Alice',
      display_name: 'Alice',
      updated_at: expect.any(String),
    });
    expect((await update({ is_admin: true })).body['user']).toMatchObject({ display_name: 'Alice', is_admin: true, is_active: true });
    expect((await api.ok('/users/GetUser', { user_id: alice.user_id }))['user']).toMatchObject({ name: 'Alice', is_admin: true });
    expect(await api.auditLogs('users/UpdateUser')).toMatchObject([
      {
        entity_id: alice.user_id,
        status: 'success',
        changes: [
          { field: 'is_admin', old_value: 'false', new_value: 'true' },
          { field: 'admin_role', new_value: 'ALL' },
        ],
      },
      { entity_id: alice.user_id, entity_name: 'Alice', status: 'success', changes: [{ field: 'display_name', new_value: 'Alice' }] },
    ]);
  });

  test('an empty display_name removes the stored one, so the name is the address; a blank one is rejected', async () => {
    await update({ display_name: 'Alice' });
    const { user } = (await update({ display_name: '' })).body;
    expect(user).toMatchObject({ name: alice.primary_email });
    expect(user).not.toHaveProperty('display_name');
    expect((await api.ok('/users/GetUser', { user_id: alice.user_id }))['user']).toEqual(user);
    expect(await update({ display_name: ' ' })).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
  });

  test('without a change succeeds and is audited without changes', async () => {
    const { user } = (await update({})).body;
    expect(user).toEqual(alice);
    expect((await update({ is_active: true })).body['user']).toEqual(alice);
    expect(await api.auditLogs('users/UpdateUser')).toMatchObject([
      { status: 'success', changes: [] },
      { status: 'success', changes: [] },
    ]);
  });

  test('immediately deactivates a user in both APIs and at the identity provider, and reactivates them', async () => {
    expect((await update({ is_active: false })).status).toBe(200);
    expect(await principal(alice.user_id)).toMatchObject({ isActive: false });
    expect([...api.identityProvider.blocked]).toEqual([username]);
    expect((await update({ is_active: true })).body['user']).toMatchObject({ is_active: true });
    expect(await principal(alice.user_id)).toMatchObject({ isActive: true });
    expect([...api.identityProvider.blocked]).toEqual([]);
  });

  test.each([{ is_admin: false }, { is_active: false }])(
    'an admin after %j is refused at the next call, even with a token that has the scope',
    async (change) => {
      await update({ is_admin: true });
      expect((await api.call('/status/Ping', {}, 'former-admin')).status).toBe(403);
      expect((await update({ is_admin: true }, 'user_person')).status).toBe(200);
      expect((await api.call('/status/Ping', {}, 'former-admin')).status).toBe(200);
      expect((await update(change, 'user_person')).status).toBe(200);
      expect((await api.call('/status/Ping', {}, 'former-admin')).status).toBe(403);
    },
  );

  test('neither demotes nor deactivates the last admin, and DeleteUser does not delete them', async () => {
    const responses = [await update({ is_admin: false }, 'user_admin'), await update({ is_active: false }, 'user_admin'), await remove('user_admin')];
    for (const response of responses) {
      expect(response).toMatchObject({ status: 400, body: { code: 'failed_precondition', message: 'this is the last admin with the role ALL' } });
    }
    // A deactivated admin does not count.
    await update({ is_admin: true });
    await update({ is_active: false });
    expect((await update({ is_admin: false }, 'user_admin')).status).toBe(400);
    await update({ is_active: true });
    expect((await update({ is_admin: false }, 'user_admin', 'machine')).status).toBe(200);
  });

  test.each(['is_admin', 'is_active'])('of two admins that remove each other’s %s concurrently, one remains', async (field) => {
    for (let round = 0; round < 10; round++) {
      for (const id of ['user_admin', 'user_person']) {
        expect((await update({ is_admin: true, is_active: true }, id, 'machine')).status).toBe(200);
      }
      expect(await adminCount()).toBe(2);
      const responses = await Promise.all(['user_admin', 'user_person'].map((id) => update({ [field]: false }, id, 'machine')));
      expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
      expect(await adminCount()).toBe(1);
    }
  });

  test('of an unknown user is not_found, of a deleted user failed_precondition', async () => {
    expect(await update({ is_active: true }, 'user_unknown')).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await update({ is_active: true }, 'user_deleted')).toMatchObject({
      status: 400,
      body: { code: 'failed_precondition', message: 'the user is deleted' },
    });
    expect(await api.auditLogs('users/UpdateUser')).toMatchObject([
      { status: 'failure', error_msg: 'the user is deleted', entity_id: 'user_deleted' },
      { status: 'failure', error_msg: 'there is no such user', entity_id: 'user_unknown' },
    ]);
  });

  test('the directory and the identity provider agree after concurrent deactivation and activation', async () => {
    for (let round = 0; round < 20; round++) {
      await Promise.all([update({ is_active: false }), update({ is_active: true }), update({ display_name: `Alice ${round}` })]);
      const { user } = await api.ok('/users/GetUser', { user_id: alice.user_id });
      expect(api.identityProvider.blocked.has(username)).toBe(!(user as User).is_active);
      expect(await api.users.find(alice.user_id)).not.toMatchObject({ sign_in_pending: true });
    }
  });
});
