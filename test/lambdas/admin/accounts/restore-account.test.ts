import { addressesIn } from '../../../../core/directory/aliases/addresses.ts';
import { principalsIn } from '../../../../core/directory/users/principals.ts';
import { enqueueEndedAccounts } from '../../../../lambdas/account-removal/remove-account.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { failingTable } from '../../../support/failing-table.ts';
import { withRemoval } from '../../account-removal/removal.ts';

const day = 24 * 60 * 60;
type Removal = Awaited<ReturnType<typeof withRemoval>>;

const furnished = async (parts: Parameters<typeof withRemoval>[0] = {}) => {
  const to = await withRemoval({ recoverableSeconds: 14 * day, ...parts });
  const account_id = await to.create();
  for (const local_part of ['one', 'two']) await to.ok('/aliases/CreateAlias', { account_id, local_part, domain_id: to.domain_id });
  await to.ok('/accounts/PutAccountMember', { account_id, user_id: 'user_admin', role: 'READ' });
  await to.objects.put(`messages/${account_id}/1`, Buffer.from('x'));
  return { to, account_id };
};

/** Everything that admins, members and senders see of the account. */
const seen = async (to: Removal, account_id: string) => ({
  account: await to.call('/accounts/GetAccount', { account_id }).then(({ body }) => body),
  members: await to.call('/accounts/ListAccountMembers', { account_id }).then(({ body }) => body),
  aliases: await to.call('/aliases/ListAccountAliases', { account_id }).then(({ body }) => body),
  memberships: await Promise.all(['user_person', 'user_admin'].map(async (principalId) => principalsIn(to.directory).find({ principalId, isMachine: false }))),
  receivers: await addressesIn(to.directory).resolve(['alice', 'one', 'two'].map((name) => `${name}@example.test`)),
  objects: to.objects.keys(),
});

const remove = (to: Removal, account_id: string) => to.ok('/accounts/DeleteAccount', { account_id });
const later = (to: Removal, seconds: number) => {
  to.clock.now = () => new Date(Date.now() + seconds * 1000);
};

describe('a deleted account', () => {
  test('keeps its mail and its addresses until the retention ends, and is then removed', async () => {
    const { to, account_id } = await furnished();
    await remove(to, account_id);
    await to.workAll();
    expect((await to.ok('/accounts/ListAccountRemovals'))['removals']).toMatchObject([{ account_id, step: 'WAITING' }]);
    expect((await addressesIn(to.directory).resolve(['alice@example.test'])).size).toBe(0);
    const wanted = { user_id: 'user_admin', name: 'New', local_part: 'alice', domain_id: to.domain_id };
    expect(await to.call('/accounts/CreateAccount', wanted)).toMatchObject({ status: 409 });
    expect(await enqueueEndedAccounts(to.dependencies)).toBe(0);
    // The clock of the admin API is ahead by a millisecond for each of its calls.
    later(to, 14 * day + 1);
    expect(await enqueueEndedAccounts(to.dependencies)).toBe(1);
    await to.workAll();
    expect([to.objects.keys(), (await to.ok('/accounts/ListAccountRemovals'))['removals']]).toEqual([[], []]);
    // A restore of the deployment to an earlier time finds the message.
    expect(to.objects.earlierVersions(`messages/${account_id}/1`)).toHaveLength(1);
    expect(await to.call('/accounts/CreateAccount', wanted)).toMatchObject({ status: 200 });
    expect(await to.call('/accounts/RestoreAccount', { account_id })).toMatchObject({ status: 404 });
  });

  test('is restored with its members, their roles, its aliases and its mail', async () => {
    const { to, account_id } = await furnished();
    const before = await seen(to, account_id);
    await remove(to, account_id);
    await to.workAll();
    const { account } = (await to.ok('/accounts/RestoreAccount', { account_id })) as { account: object };
    expect(account).toMatchObject({ account_id, name: 'alice', email: 'alice@example.test', shared: true });
    expect(await seen(to, account_id)).toEqual(before);
    later(to, 15 * day);
    expect(await enqueueEndedAccounts(to.dependencies)).toBe(0);
    expect(await to.directory.query({ pk: `removed-member#${account_id}` })).toEqual([]);
    expect(await to.call('/accounts/RestoreAccount', { account_id })).toMatchObject({ status: 404 });
    const { audit_logs } = (await to.ok('/audit/ListAuditLogs', { operation: 'accounts/RestoreAccount' })) as { audit_logs: object[] };
    expect(audit_logs).toContainEqual(expect.objectContaining({ status: 'success', entity_id: account_id, entity_name: 'alice' }));
  });

  test('is not restored after RemoveAccountNow, which requires its name', async () => {
    const { to, account_id } = await furnished();
    expect(await to.call('/accounts/RemoveAccountNow', { account_id, name: 'alice' })).toMatchObject({ status: 404 });
    await remove(to, account_id);
    expect(await to.call('/accounts/RemoveAccountNow', { account_id, name: 'bob' })).toMatchObject({ status: 400, body: { code: 'failed_precondition' } });
    await to.ok('/accounts/RemoveAccountNow', { account_id, name: 'alice' });
    expect(await to.call('/accounts/RestoreAccount', { account_id })).toMatchObject({ status: 400, body: { code: 'failed_precondition' } });
    await to.workAll();
    expect([to.objects.keys(), await to.directory.query({ pk: 'account-removal' }), await to.directory.query({ pk: 'address' })]).toEqual([[], [], []]);
    expect(to.objects.earlierVersions(`messages/${account_id}/1`)).toEqual([]);
  });

  test('leaves no version of an object when RemoveAccountNow is called during its removal', async () => {
    const { to, account_id } = await furnished();
    await remove(to, account_id);
    await to.workAll();
    later(to, 15 * day);
    await enqueueEndedAccounts(to.dependencies);
    // The worker ends after a part of the mail.
    await to.workOnce(-1);
    await to.ok('/accounts/RemoveAccountNow', { account_id, name: 'alice' });
    await to.objects.put(`messages/${account_id}/1`, Buffer.from('x'));
    await to.workAll();
    expect([to.objects.keys(), to.objects.earlierVersions(`messages/${account_id}/1`)]).toEqual([[], []]);
  });

  test('has one outcome when one admin restores it and another removes it concurrently', async () => {
    for (let round = 0; round < 10; round++) {
      const { to, account_id } = await furnished();
      const before = await seen(to, account_id);
      await remove(to, account_id);
      const [restored, removed] = await Promise.all([
        to.call('/accounts/RestoreAccount', { account_id }),
        to.call('/accounts/RemoveAccountNow', { account_id, name: 'alice' }),
        to.workOnce(),
      ]);
      await to.workAll();
      expect([restored.status, removed.status].filter((status) => status === 200)).toHaveLength(1);
      if (restored.status === 200) expect(await seen(to, account_id)).toEqual(before);
      else expect([to.objects.keys(), await to.directory.query({ pk: 'account-removal' })]).toEqual([[], []]);
    }
  });

  test.each(['before', 'after'] as const)('is restored by the next call after a crash %s any write', async (when) => {
    for (let write = 0; ; write++) {
      const directory = failingTable(memoryTable());
      const { to, account_id } = await furnished({ directory });
      const before = await seen(to, account_id);
      await remove(to, account_id);
      await to.workAll();
      directory.endProcessAtWrite(write, when);
      const { status } = await to.call('/accounts/RestoreAccount', { account_id });
      directory.recover();
      // The removal waits while the restoration is not complete.
      later(to, 15 * day);
      await enqueueEndedAccounts(to.dependencies);
      if (status !== 200 && write > 0) {
        await to.workAll();
        const again = await to.call('/accounts/RestoreAccount', { account_id });
        expect([200, 404]).toContain(again.status);
      }
      if (write > 0) expect(await seen(to, account_id)).toEqual(before);
      if (status === 200) break;
      expect(write).toBeLessThan(20);
    }
  });

  test('may be deleted again while a restoration is not complete', async () => {
    const directory = failingTable(memoryTable());
    const { to, account_id } = await furnished({ directory });
    await remove(to, account_id);
    await to.workAll();
    directory.endProcessAtWrite(3, 'after');
    await to.call('/accounts/RestoreAccount', { account_id });
    directory.recover();
    await remove(to, account_id);
    await to.workAll();
    expect((await to.ok('/accounts/ListAccountRemovals'))['removals']).toMatchObject([{ account_id, step: 'WAITING' }]);
    expect(await directory.query({ pk: `account-member#${account_id}` })).toEqual([]);
    expect((await addressesIn(directory).resolve(['alice@example.test', 'one@example.test', 'two@example.test'])).size).toBe(0);
    expect(await to.call('/accounts/RestoreAccount', { account_id })).toMatchObject({ status: 200 });
  });
});
