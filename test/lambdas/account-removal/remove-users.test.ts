import type { User } from '../../../contract/admin/users.ts';
import { membersIn } from '../../../core/directory/users/members.ts';
import { principalsIn } from '../../../core/directory/users/principals.ts';
import { userRemovalsIn } from '../../../core/directory/users/user-removals.ts';
import { newId } from '../../../core/runtime/ids.ts';
import { removeUsers } from '../../../lambdas/account-removal/remove-users.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { failingTable } from '../../support/failing-table.ts';
import { withRemoval } from './removal.ts';

const day = 24 * 60 * 60;

/** A deployment with a user who owns an account that has another member. */
const deployment = async () => {
  const directory = failingTable(memoryTable());
  const to = await withRemoval({ directory, recoverableSeconds: 14 * day });
  const user = (await to.ok('/users/CreateUser', { email: 'bob@example.test' }))['user'] as User;
  const account_id = await to.create('robert', user.user_id);
  await to.ok('/accounts/PutAccountMember', { account_id, user_id: 'user_admin', role: 'READ' });
  let now = () => new Date();
  return {
    ...to,
    directory,
    user,
    account_id,
    find: async (): Promise<Partial<User>> => (await to.call('/users/GetUser', { user_id: user.user_id })).body['user'] as Partial<User>,
    remove: () => to.ok('/users/DeleteUser', { user_id: user.user_id }),
    restore: () => to.call('/users/RestoreUser', { user_id: user.user_id }),
    sweepAfter: (seconds: number) => {
      now = () => new Date(Date.now() + seconds * 1000);
      return removeUsers({
        userRemovals: userRemovalsIn(directory),
        users: to.users,
        members: membersIn(directory),
        identityProvider: to.identityProvider,
        trail: to.trail,
        newId,
        clock: now,
      });
    },
  };
};

describe('a deleted user', () => {
  test('has the time of its removal, can be restored until then with memberships, and may then sign in again', async () => {
    const to = await deployment();
    const { memberships } = (await principalsIn(to.directory).find({ principalId: to.user.user_id, isMachine: false }))!;
    await to.remove();
    const deleted = await to.find();
    expect(Date.parse(deleted.removal_at!) - Date.parse(deleted.updated_at as string)).toBe(14 * day * 1000);
    expect(await to.sweepAfter(13 * day)).toBe(0);
    const { status, body } = await to.restore();
    expect([status, body['user']]).toEqual([200, { ...to.user, primary_account_id: to.account_id, updated_at: expect.any(String) as string }]);
    expect([...to.identityProvider.blocked]).toEqual([]);
    expect(await principalsIn(to.directory).find({ principalId: to.user.user_id, isMachine: false })).toMatchObject({ isActive: true, memberships });
    expect(await to.sweepAfter(15 * day)).toBe(0);
    expect(await to.restore()).toMatchObject({ status: 400, body: { code: 'failed_precondition', message: 'the user is not deleted' } });
  });

  test('is removed with the sign-in and the memberships after the time', async () => {
    const to = await deployment();
    await to.remove();
    expect(await to.sweepAfter(14 * day + 1)).toBe(1);
    expect(await to.restore()).toMatchObject({ status: 404 });
    expect(await to.identityProvider.find('bob@example.test')).toBeUndefined();
    expect((await to.ok('/accounts/ListAccountMembers', { account_id: to.account_id }))['members']).toMatchObject([{ user_id: 'user_admin' }]);
    expect((await to.ok('/accounts/GetAccount', { account_id: to.account_id }))['account']).toMatchObject({ shared: false });
    expect(await to.sweepAfter(30 * day)).toBe(0);
    await to.ok('/accounts/DeleteAccount', { account_id: to.account_id });
    await to.ok('/accounts/RestoreAccount', { account_id: to.account_id });
  });

  test('is removed without the address that somebody new got meanwhile', async () => {
    const to = await deployment();
    await to.remove();
    const again = (await to.ok('/users/CreateUser', { email: 'bob@example.test' }))['user'] as User;
    expect(await to.sweepAfter(15 * day)).toBe(1);
    expect(await to.identityProvider.find('bob@example.test')).toMatchObject({ sub: again.idp_identities![0]!.sub });
    expect(await to.call('/users/CreateUser', { email: 'bob@example.test' })).toMatchObject({ status: 409, body: { code: 'already_exists' } });
  });

  test('leaves no address reserved by an interrupted change of the sign-in address', async () => {
    const to = await deployment();
    to.identityProvider.fault.error = new Error('timeout');
    expect(await to.call('/users/ChangeSignInAddress', { user_id: to.user.user_id, email: 'moved@example.test' })).toMatchObject({ status: 500 });
    delete to.identityProvider.fault.error;
    await to.remove();
    await to.sweepAfter(15 * day);
    for (const email of ['bob@example.test', 'moved@example.test']) expect(await to.call('/users/CreateUser', { email })).toMatchObject({ status: 200 });
  });

  test.each(['before', 'after'] as const)('is removed by the next run after a crash %s any write', async (when) => {
    for (let write = 0; ; write++) {
      const to = await deployment();
      await to.remove();
      to.directory.endProcessAtWrite(write, when);
      const crashed = await to.sweepAfter(15 * day).then(
        () => false,
        () => true,
      );
      to.directory.recover();
      await to.sweepAfter(15 * day);
      expect([await to.users.find(to.user.user_id), await to.directory.query({ pk: 'user-removal' })]).toEqual([undefined, []]);
      expect(await to.identityProvider.find('bob@example.test')).toBeUndefined();
      if (!crashed) break;
      expect(write).toBeLessThan(10);
    }
  });

  test('has one outcome when an admin restores it while the time ends', async () => {
    for (let round = 0; round < 10; round++) {
      const to = await deployment();
      await to.remove();
      const [restored, removed] = await Promise.all([to.restore(), to.sweepAfter(15 * day)]);
      expect((restored.status === 200 ? 1 : 0) + removed).toBe(1);
      expect((await to.users.find(to.user.user_id)) !== undefined).toBe(restored.status === 200);
    }
  });
});
