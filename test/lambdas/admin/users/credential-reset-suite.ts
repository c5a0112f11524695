import { memoryTable } from '../../../fakes/memory-table.ts';
import { adminApi, type AdminApi } from '../../../support/admin-api.ts';
import { createUser } from '../../../support/admin-resources.ts';
import { failingTable } from '../../../support/failing-table.ts';

type User = Awaited<ReturnType<typeof createUser>>;

/**
 * The tests of every method that resets a credential of a user.
 * @param alice a user for whom `prepare` was called.
 * @param prepare gives the user of the API a credential to reset.
 * @param expectUnchanged checks the API in which no credential was reset.
 * @param expectReset checks the API in which the only credential was reset, with the response of the method.
 */
export const credentialResetSuite = ({
  path,
  api,
  alice,
  prepare,
  expectUnchanged,
  expectReset,
}: {
  readonly path: string;
  readonly api: AdminApi;
  readonly alice: User;
  readonly prepare: (api: AdminApi, user: User) => void;
  readonly expectUnchanged: (api: AdminApi) => void;
  readonly expectReset: (api: AdminApi, response: Readonly<Record<string, unknown>>) => void;
}): void => {
  const reset = (user_id = alice.user_id) => api.call(path, { user_id });

  test.each([
    ['deactivated', () => api.ok('/users/UpdateUser', { user_id: alice.user_id, is_active: false })],
    ['deleted', () => api.ok('/users/DeleteUser', { user_id: alice.user_id })],
  ])('of a user who is %s is refused and resets nothing', async (text, change) => {
    await change();
    expect(await reset()).toMatchObject({ status: 400, body: { code: 'failed_precondition', message: expect.stringContaining(text) } });
    expectUnchanged(api);
  });

  test('of an unknown user is not_found', async () => {
    expect(await reset('user_unknown')).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  test('of a user whom the identity provider has lost is refused with the remedy', async () => {
    await api.identityProvider.remove(usernameOf(alice));
    expect(await reset()).toMatchObject({ status: 400, body: { code: 'failed_precondition', message: expect.stringContaining('delete the user') } });
  });

  test.each([
    [0, 'before'],
    [0, 'after'],
    [1, 'before'],
    [1, 'after'],
  ] as const)('the next call completes one that crashed at write %d, %s it', async (write, when) => {
    const directory = failingTable(memoryTable());
    const crashing = await adminApi({ directory });
    const user = await createUser(crashing, 'alice@example.test');
    prepare(crashing, user);
    directory.endProcessAtWrite(write, when);
    expect(await crashing.call(path, { user_id: user.user_id })).toMatchObject({ status: 500 });
    directory.recover();
    expectReset(crashing, await crashing.ok(path, { user_id: user.user_id }));
    expect((await crashing.users.find(user.user_id))!.tokens_revoked_at).toBeDefined();
  });
};

export const usernameOf = ({ idp_identities: [identity] = [] }: User): string => identity!.username;
