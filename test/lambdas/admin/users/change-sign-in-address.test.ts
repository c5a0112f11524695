import type { User } from '../../../../contract/admin/users.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { adminApi, adminApiPerTest, type AdminApi } from '../../../support/admin-api.ts';
import { createAccount, createDomain, createUser } from '../../../support/admin-resources.ts';
import { failingTable } from '../../../support/failing-table.ts';
import { perTest } from '../../../support/per-test.ts';

const api = adminApiPerTest();
const alice = perTest(() => createUser(api, 'alice@home.test'));

const change = (email: string, user: Pick<User, 'user_id'> = alice, to: AdminApi = api) =>
  to.call('/users/ChangeSignInAddress', { user_id: user.user_id, email });
const refusal = (code: string, text: string) => ({ body: { code, message: expect.stringContaining(text) as string } });

describe('ChangeSignInAddress', () => {
  test('changes the address here and at the identity provider, and keeps everything else', async () => {
    const before = (await api.ok('/users/GetUser', { user_id: alice.user_id }))['user'] as User;
    const { user } = (await change('Alice@Firm.Test')).body as { user: User };
    expect(user).toEqual({
      ...before,
      name: 'alice@firm.test',
      primary_email: 'alice@firm.test',
      updated_at: expect.any(String),
      idp_identities: [{ ...before.idp_identities![0], email: 'alice@firm.test' }],
    });
    expect(await api.ok('/users/GetUser', { user_id: alice.user_id })).toEqual({ user });
    expect(await api.identityProvider.find('alice@firm.test')).toMatchObject({ sub: before.idp_identities![0]!.sub });
    expect(await api.identityProvider.find('alice@home.test')).toBeUndefined();
  });

  test('ends all sessions, and the audit log has both addresses', async () => {
    await change('alice@firm.test');
    expect(api.identityProvider.endedSessions).toEqual([alice.idp_identities![0]!.username]);
    expect((await api.users.find(alice.user_id))!.tokens_revoked_at).toBeDefined();
    expect(await api.auditLogs('users/ChangeSignInAddress')).toMatchObject([
      { status: 'success', entity_id: alice.user_id, changes: [{ field: 'primary_email', old_value: 'alice@home.test', new_value: 'alice@firm.test' }] },
    ]);
  });

  test('lets the old address be invited as somebody new, and refuses the new one to others', async () => {
    await change('alice@firm.test');
    expect(await api.call('/users/CreateUser', { email: 'alice@firm.test' })).toMatchObject(refusal('already_exists', 'a user has this email address'));
    const other = await createUser(api, 'alice@home.test');
    expect(other.user_id).not.toBe(alice.user_id);
  });

  test('to an address of the user’s own account succeeds, and to one of another’s is refused, with or without detail', async () => {
    const domain_id = await createDomain(api, { domain: 'here.test', receive_enabled: true });
    const account = await createAccount(api, { domain_id, user_id: alice.user_id, local_part: 'alice' });
    const bob = await createUser(api, 'bob@home.test');
    for (const email of ['alice@here.test', 'alice+letters@here.test']) {
      expect(await change(email, bob)).toMatchObject(refusal('already_exists', 'mailbox of another user'));
    }
    expect(await api.identityProvider.find('bob@home.test')).toBeDefined();
    expect(await change('alice@here.test')).toMatchObject({ status: 200, body: { user: { primary_email: 'alice@here.test' } } });
    expect((await api.ok('/users/ListUserAccounts', { user_id: alice.user_id }))['accounts']).toMatchObject([{ account_id: account.account_id }]);
  });

  test('to the address of another user is refused, and the address stays with that user', async () => {
    const bob = await createUser(api, 'bob@home.test');
    expect(await change('BOB@home.test')).toMatchObject({ status: 409, ...refusal('already_exists', 'a user has this email address') });
    expect((await api.ok('/users/GetUser', { user_id: bob.user_id }))['user']).toMatchObject({ primary_email: 'bob@home.test' });
    expect(api.identityProvider.endedSessions).toEqual([]);
  });

  test('to the present address changes nothing, and ends no session', async () => {
    expect(await change('alice@home.test')).toMatchObject({ status: 200, body: { user: { primary_email: 'alice@home.test' } } });
    expect(api.identityProvider.endedSessions).toEqual([]);
  });

  test('to an address that the identity provider refuses leaves nothing behind', async () => {
    const long = `${'a'.repeat(60)}@${'b'.repeat(60)}.${'c'.repeat(60)}.test`;
    expect(await change(long)).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
    expect(await api.directory.get({ pk: 'user-email', sk: long })).toBeUndefined();
    expect(await api.users.find(alice.user_id)).not.toHaveProperty('changing_to');
  });

  test.each([
    ['deactivated', () => api.ok('/users/UpdateUser', { user_id: alice.user_id, is_active: false })],
    ['deleted', () => api.ok('/users/DeleteUser', { user_id: alice.user_id })],
  ])('of a user who is %s is refused', async (text, prepare) => {
    await prepare();
    expect(await change('alice@firm.test')).toMatchObject({ status: 400, ...refusal('failed_precondition', text) });
  });

  test('of an unknown user is not_found', async () => {
    expect(await change('alice@firm.test', { user_id: 'user_unknown' })).toMatchObject({ status: 404 });
  });

  test.each(
    [0, 1, 2, 3].flatMap(
      (write) =>
        [
          [write, 'before'],
          [write, 'after'],
        ] as const,
    ),
  )('the next call completes one that crashed at write %d, %s it', async (write, when) => {
    const directory = failingTable(memoryTable());
    const crashing = await adminApi({ directory });
    const user = await createUser(crashing, 'alice@home.test');
    directory.endProcessAtWrite(write, when);
    await change('alice@firm.test', user, crashing);
    directory.recover();
    expect(await change('alice@firm.test', user, crashing)).toMatchObject({ status: 200, body: { user: { primary_email: 'alice@firm.test' } } });
    expect(await crashing.identityProvider.find('alice@firm.test')).toBeDefined();
    expect(await createUser(crashing, 'alice@home.test')).toMatchObject({ primary_email: 'alice@home.test' });
  });

  test.each(['alice@third.test', 'alice@home.test'])('to %s takes the place of an interrupted change, whose address is free again', async (email) => {
    api.identityProvider.fault.error = new Error('timeout');
    expect(await change('alice@firm.test')).toMatchObject({ status: 500 });
    delete api.identityProvider.fault.error;
    expect(await api.call('/users/CreateUser', { email: 'alice@firm.test' })).toMatchObject({ status: 409 });
    expect(await change(email)).toMatchObject({ status: 200, body: { user: { primary_email: email } } });
    expect(await createUser(api, 'alice@firm.test')).toMatchObject({ primary_email: 'alice@firm.test' });
    expect(await api.users.find(alice.user_id)).toMatchObject({ primary_email: email });
  });

  test('of concurrent calls for one address gives it to one user', async () => {
    const users = await Promise.all(['b', 'c', 'd'].map((name) => createUser(api, `${name}@home.test`)));
    const answers = await Promise.all(users.map((user) => change('team@firm.test', user)));
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409, 409]);
    const { users: all } = (await api.ok('/users/ListUsers')) as { users: User[] };
    expect(all.filter(({ primary_email: email }) => email === 'team@firm.test')).toHaveLength(1);
  });
});
