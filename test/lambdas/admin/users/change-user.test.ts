import { principalsIn } from '../../../../core/directory/principals.ts';
import { adminApi } from '../../../support/admin-api.ts';
import { failingTable } from '../../../support/failing-table.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';

type User = { user_id: string; primary_email: string; is_active: boolean; is_admin: boolean; is_deleted: boolean; idp_identities: { username: string }[] };
type Api = Awaited<ReturnType<typeof adminApi>>;

let api: Api;
let alice: User;
let username: string;

const create = async (to: Api, email: string) => (await to.ok('/users/CreateUser', { email }))['user'] as User;

beforeEach(async () => {
  api = await adminApi();
  alice = await create(api, 'alice@example.test');
  username = alice.idp_identities[0]!.username;
});

const update = (more: object, user_id = alice.user_id, token?: string) => api.call('/users/UpdateUser', { user_id, ...more }, token);
const remove = (user_id = alice.user_id, token?: string) => api.call('/users/DeleteUser', { user_id }, token);
const entries = async (to: Api, operation: string) => (await to.ok('/audit/ListAuditLogs', { operation }))['audit_logs'] as { status: string; error_msg?: string }[];
const admins = async () => (await api.directory.get({ pk: 'admins', sk: 'summary' }))?.['count'];

describe('UpdateUser', () => {
  test('changes what is given and leaves the rest', async () => {
    expect((await update({ display_name: 'Alice' })).body['user']).toMatchObject({ ...alice, name: 'Alice', display_name: 'Alice', updated_at: expect.any(String) });
    expect((await update({ is_admin: true })).body['user']).toMatchObject({ display_name: 'Alice', is_admin: true, is_active: true });
    expect((await api.ok('/users/GetUser', { user_id: alice.user_id }))['user']).toMatchObject({ name: 'Alice', is_admin: true });
    expect(await entries(api, 'users/UpdateUser')).toMatchObject([
      { entity_id: alice.user_id, status: 'success', changes: [{ field: 'is_admin', old_value: 'false', new_value: 'true' }] },
      { entity_id: alice.user_id, entity_name: 'Alice', status: 'success', changes: [{ field: 'display_name', new_value: 'Alice' }] },
    ]);
  });

  test('an empty display name takes the one that is there away, so that the address is the name again; a blank one is none', async () => {
    await update({ display_name: 'Alice' });
    const { user } = (await update({ display_name: '' })).body;
    expect(user).toMatchObject({ name: alice.primary_email });
    expect(user).not.toHaveProperty('display_name');
    expect((await api.ok('/users/GetUser', { user_id: alice.user_id }))['user']).toEqual(user);
    expect(await update({ display_name: ' ' })).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
  });

  test('nothing to change is a success, and audited as one without changes', async () => {
    const { user } = (await update({})).body;
    expect(user).toEqual(alice);
    expect((await update({ is_active: true })).body['user']).toEqual(alice);
    expect(await entries(api, 'users/UpdateUser')).toMatchObject([{ status: 'success', changes: [] }, { status: 'success', changes: [] }]);
  });

  test('somebody deactivated is refused by both APIs at once and can not sign in; reactivated, both again', async () => {
    expect((await update({ is_active: false })).status).toBe(200);
    expect(await principalsIn(api.directory).find({ principalId: alice.user_id, isMachine: false })).toMatchObject({ isActive: false });
    expect([...api.identityProvider.blocked]).toEqual([username]);
    expect((await update({ is_active: true })).body['user']).toMatchObject({ is_active: true });
    expect(await principalsIn(api.directory).find({ principalId: alice.user_id, isMachine: false })).toMatchObject({ isActive: true });
    expect([...api.identityProvider.blocked]).toEqual([]);
  });

  test.each([{ is_admin: false }, { is_active: false }])('an admin after %j is refused at the next call, whatever their token says', async (more) => {
    await update({ is_admin: true });
    expect((await api.call('/status/Ping', {}, 'former-admin')).status).toBe(403);
    expect((await update({ is_admin: true }, 'user_person')).status).toBe(200);
    expect((await api.call('/status/Ping', {}, 'former-admin')).status).toBe(200);
    expect((await update(more, 'user_person')).status).toBe(200);
    expect((await api.call('/status/Ping', {}, 'former-admin')).status).toBe(403);
  });

  test('the last admin is neither demoted, nor deactivated, nor deleted', async () => {
    for (const answer of [await update({ is_admin: false }, 'user_admin'), await update({ is_active: false }, 'user_admin'), await remove('user_admin')]) {
      expect(answer).toMatchObject({ status: 400, body: { code: 'failed_precondition', message: 'this is the last admin' } });
    }
    // Somebody who is an admin but not active does not count.
    await update({ is_admin: true });
    await update({ is_active: false });
    expect((await update({ is_admin: false }, 'user_admin')).status).toBe(400);
    await update({ is_active: true });
    expect((await update({ is_admin: false }, 'user_admin', 'machine')).status).toBe(200);
  });

  test.each(['is_admin', 'is_active'])('of admins that take each other’s %s at once one stays', async (field) => {
    for (let round = 0; round < 10; round++) {
      for (const id of ['user_admin', 'user_person']) expect((await update({ is_admin: true, is_active: true }, id, 'machine')).status).toBe(200);
      expect(await admins()).toBe(2);
      const answers = await Promise.all(['user_admin', 'user_person'].map((id) => update({ [field]: false }, id, 'machine')));
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
      expect(await admins()).toBe(1);
    }
  });

  test('unknown and deleted people', async () => {
    expect(await update({ is_active: true }, 'user_unknown')).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await update({ is_active: true }, 'user_deleted')).toMatchObject({ status: 400, body: { code: 'failed_precondition', message: 'the user is deleted' } });
    expect(await entries(api, 'users/UpdateUser')).toMatchObject([
      { status: 'failure', error_msg: 'the user is deleted', entity_id: 'user_deleted' }, { status: 'failure', error_msg: 'there is no such user', entity_id: 'user_unknown' },
    ]);
  });

  test('deactivated and activated at once: the directory and the identity provider agree in the end', async () => {
    for (let round = 0; round < 20; round++) {
      await Promise.all([update({ is_active: false }), update({ is_active: true }), update({ display_name: `Alice ${round}` })]);
      const { user } = await api.ok('/users/GetUser', { user_id: alice.user_id });
      expect(api.identityProvider.blocked.has(username)).toBe(!(user as User).is_active);
      expect(await api.users.find(alice.user_id)).not.toMatchObject({ sign_in_pending: true });
    }
  });
});

describe('DeleteUser', () => {
  test('marks the person deleted, blocks sign-in, and is a success the second time too', async () => {
    expect(await remove()).toMatchObject({ status: 200, body: {} });
    expect(await remove()).toMatchObject({ status: 200, body: {} });
    expect((await api.ok('/users/GetUser', { user_id: alice.user_id }))['user']).toMatchObject({ is_deleted: true, is_active: false });
    expect([...api.identityProvider.blocked]).toEqual([username]);
    expect(await principalsIn(api.directory).find({ principalId: alice.user_id, isMachine: false })).toMatchObject({ isActive: false });
  });

  test('an unknown person is not_found', async () => {
    expect(await remove('user_unknown')).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  test.each([[0, 'before'], [0, 'after'], [1, 'before'], [1, 'after']] as const)('a crash at write %d, %s it, is finished by the next call', async (write, when) => {
    const directory = failingTable(memoryTable());
    const crashing = await adminApi({ directory });
    const bob = await create(crashing, 'bob@example.test');
    directory.endProcessAtWrite(write, when);
    expect((await crashing.call('/users/DeleteUser', { user_id: bob.user_id })).status).toBeGreaterThanOrEqual(500);
    directory.recover();
    expect(await crashing.call('/users/DeleteUser', { user_id: bob.user_id })).toMatchObject({ status: 200 });
    expect([...crashing.identityProvider.blocked]).toEqual([bob.idp_identities[0]!.username]);
    expect(await crashing.users.find(bob.user_id)).toMatchObject({ is_deleted: true, is_active: false });
    expect(await crashing.users.find(bob.user_id)).not.toHaveProperty('sign_in_pending');
  });

  test('while the identity provider fails, access is refused already, the call fails, and the next one finishes it', async () => {
    api.identityProvider.trouble.error = Object.assign(new Error('slow'), { name: 'TooManyRequestsException' });
    expect(await remove()).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(await principalsIn(api.directory).find({ principalId: alice.user_id, isMachine: false })).toMatchObject({ isActive: false });
    expect(await entries(api, 'users/DeleteUser')).toMatchObject([{ status: 'failure', error_msg: expect.stringContaining('busy'), changes: [{ field: 'is_active' }, { field: 'is_deleted' }] }]);
    api.identityProvider.trouble.error = undefined;
    expect((await remove()).status).toBe(200);
    expect([...api.identityProvider.blocked]).toEqual([username]);
    expect(await entries(api, 'users/DeleteUser')).toMatchObject([{ status: 'success' }, { status: 'failure' }]);
  });
});
