import type { PreTokenGenerationV2TriggerEvent } from 'aws-lambda';
import type { User } from '../../../../contract/admin/users.ts';
import { registeredClientsIn } from '../../../../core/directory/clients/registered-clients.ts';
import { usersIn } from '../../../../core/directory/users/users.ts';
import type { Table } from '../../../../core/storage/table.ts';
import { fillToken } from '../../../../lambdas/pre-token/fill-token.ts';
import { adminApi } from '../../../support/admin-api.ts';
import { createDomain } from '../../../support/admin-resources.ts';

const start = '2026-11-20T10:00:00.000Z';

/** An admin API whose time the test sets, and Cognito's trigger before each token. */
const started = async () => {
  let now = new Date(start);
  const clock = () => now;
  const api = await adminApi({ clock });
  await createDomain(api, { domain: 'here.test', receive_enabled: true });
  const updates = jest.spyOn(api.directory, 'write');
  const trigger = (table: Table) =>
    fillToken({ users: usersIn(table, clock), clients: registeredClientsIn(table, clock), deployedClients: { has: async () => true }, clock, log: api.log });
  return {
    api,
    /** Hours pass. */
    wait: (hours: number) => {
      now = new Date(now.getTime() + hours * 3_600_000);
    },
    create: async (more: object = {}) => (await api.ok('/users/CreateUser', { email: 'ben@elsewhere.test', ...more }))['user'] as User,
    get: async ({ user_id }: User) => (await api.ok('/users/GetUser', { user_id }))['user'] as User,
    /** A client gets tokens: by a sign-in, or by a refresh token. */
    tokensFor: (user: User, clientId = 'phone', source: 'HostedAuth' | 'RefreshTokens' = 'HostedAuth', table: Table = api.directory) =>
      trigger(table)({
        triggerSource: `TokenGeneration_${source}`,
        callerContext: { clientId },
        request: { userAttributes: { sub: user.idp_identities![0]!.sub }, scopes: ['openid'] },
        response: {},
      } as unknown as PreTokenGenerationV2TriggerEvent),
    /** The number of writes since the last call. */
    writes: () => updates.mock.calls.splice(0).length,
  };
};

describe('the state of a sign-in', () => {
  test('is NOT_INVITED for an address that is received here, until a temporary password is made', async () => {
    const { create, get, api } = await started();
    const user = await create({ email: 'ben@here.test' });
    expect(user).toMatchObject({ sign_in_state: 'NOT_INVITED', is_active: true, clients: [] });
    expect(user).not.toHaveProperty('temporary_password_until');
    await api.ok('/users/ResetPassword', { user_id: user.user_id });
    expect(await get(user)).toMatchObject({ sign_in_state: 'INVITED', temporary_password_until: '2026-11-27T10:00:00.000Z' });
  });

  test.each([
    ['an invitation by the identity provider', {}],
    ['return_temporary_password', { email: 'ben@here.test', return_temporary_password: true }],
    ['invitation_email', { email: 'ben@here.test', invitation_email: 'ben@home.test' }],
  ])('is INVITED for seven days after %s, then INVITATION_EXPIRED', async (_, more) => {
    const { create, get, wait } = await started();
    const user = await create(more);
    expect(user).toMatchObject({ sign_in_state: 'INVITED', temporary_password_until: '2026-11-27T10:00:00.000Z' });
    wait(7 * 24 - 1);
    expect(await get(user)).toMatchObject({ sign_in_state: 'INVITED' });
    wait(1);
    expect(await get(user)).toMatchObject({ sign_in_state: 'INVITATION_EXPIRED', temporary_password_until: '2026-11-27T10:00:00.000Z' });
  });

  test('is INVITED again after another invitation', async () => {
    const { create, get, wait, api } = await started();
    const user = await create();
    wait(8 * 24);
    await api.ok('/users/ResendInvitation', { user_id: user.user_id });
    expect(await get(user)).toMatchObject({ sign_in_state: 'INVITED', temporary_password_until: '2026-12-05T10:00:00.000Z' });
    expect(await api.auditLogs('users/ResendInvitation')).toMatchObject([{ status: 'success' }]);
  });

  test('is ACTIVE from the first sign-in, INVITED after a reset, and ACTIVE after the next sign-in on the same day', async () => {
    const { create, get, wait, api, tokensFor } = await started();
    const user = await create();
    wait(1);
    await tokensFor(user);
    const active = await get(user);
    expect(active).toMatchObject({ sign_in_state: 'ACTIVE', last_sign_in_at: '2026-11-20T11:00:00.000Z' });
    expect(active).not.toHaveProperty('temporary_password_until');
    wait(1);
    await api.ok('/users/ResetPassword', { user_id: user.user_id });
    expect(await get(user)).toMatchObject({ sign_in_state: 'INVITED', temporary_password_until: '2026-11-27T12:00:00.000Z' });
    wait(1);
    await tokensFor(user);
    expect(await get(user)).toMatchObject({ sign_in_state: 'ACTIVE', last_sign_in_at: '2026-11-20T13:00:00.000Z' });
  });

  test('is DEACTIVATED and DELETED whether or not the user has signed in, and is as before when they are back', async () => {
    const { create, get, api } = await started();
    const user = await create();
    const { user_id } = user;
    const deactivated = (await api.ok('/users/UpdateUser', { user_id, is_active: false }))['user'];
    expect(deactivated).toMatchObject({ sign_in_state: 'DEACTIVATED' });
    expect(deactivated).not.toHaveProperty('temporary_password_until');
    await api.ok('/users/DeleteUser', { user_id });
    expect(await get(user)).toMatchObject({ sign_in_state: 'DELETED' });
    expect((await api.ok('/users/RestoreUser', { user_id }))['user']).toMatchObject({ sign_in_state: 'INVITED' });
  });

  test('is in the list and in the overview too', async () => {
    const { create, api } = await started();
    const { user_id } = await create();
    const { users } = (await api.ok('/users/ListUsers')) as { users: User[] };
    expect(users.find((one) => one.user_id === user_id)).toMatchObject({ sign_in_state: 'INVITED' });
    expect((await api.ok('/users/GetUserOverview', { user_id }))['user']).toMatchObject({ sign_in_state: 'INVITED' });
  });
});

describe('the clients of a user', () => {
  test('are listed with the last day of their use, the last used first', async () => {
    const { create, get, wait, tokensFor } = await started();
    const user = await create();
    await tokensFor(user, 'phone');
    wait(24);
    await tokensFor(user, 'desktop');
    expect((await get(user)).clients).toEqual([
      { client_id: 'desktop', last_used_at: '2026-11-21T10:00:00.000Z' },
      { client_id: 'phone', last_used_at: start },
    ]);
    wait(24);
    await tokensFor(user, 'phone', 'RefreshTokens');
    const { clients, last_sign_in_at: lastSignIn } = await get(user);
    expect([clients!.map(({ client_id: id }) => id), lastSignIn]).toEqual([['phone', 'desktop'], '2026-11-21T10:00:00.000Z']);
  });

  test('cost at most one write a day for each', async () => {
    const { create, wait, tokensFor, writes } = await started();
    const user = await create();
    writes();
    for (const hours of [0, 1, 1, 1]) {
      wait(hours);
      await tokensFor(user, 'phone', hours === 0 ? 'HostedAuth' : 'RefreshTokens');
      await tokensFor(user, 'phone', 'HostedAuth');
    }
    expect(writes()).toBe(1);
    wait(24);
    await tokensFor(user, 'phone', 'RefreshTokens');
    expect(writes()).toBe(1);
  });

  test('are forgotten after 90 days without use, and are 20 at most', async () => {
    const { create, get, wait, tokensFor } = await started();
    const user = await create();
    await tokensFor(user, 'old');
    wait(91 * 24);
    for (let index = 0; index < 22; index++) {
      wait(0.1);
      await tokensFor(user, `client-${index}`);
    }
    expect((await get(user)).clients!.map(({ client_id: id }) => id)).toEqual(Array.from({ length: 20 }, (_, index) => `client-${21 - index}`));
  });

  test('keep their record when the user changes, and stop no sign-in when it can’t be written', async () => {
    const { create, get, api, tokensFor } = await started();
    const user = await create();
    await tokensFor(user);
    await api.ok('/users/UpdateUser', { user_id: user.user_id, display_name: 'Benjamin' });
    expect(await get(user)).toMatchObject({ display_name: 'Benjamin', sign_in_state: 'ACTIVE', clients: [{ client_id: 'phone' }] });
    const broken: Table = { ...api.directory, write: () => Promise.reject(new Error('not now')) };
    const filled = await tokensFor(user, 'desktop', 'HostedAuth', broken);
    expect(filled.response.claimsAndScopeOverrideDetails?.accessTokenGeneration?.claimsToAddOrOverride).toEqual({ user_id: user.user_id });
    expect(api.log.records).toContainEqual(expect.objectContaining({ level: 'warn' }));
  });
});
