import type { Account } from '../../../../contract/admin/accounts.ts';
import { addressesIn } from '../../../../core/directory/aliases/addresses.ts';
import { sendingRightsIn } from '../../../../core/directory/aliases/may-send.ts';
import { principalsIn } from '../../../../core/directory/users/principals.ts';
import { storedAccountIdentities } from '../../../../core/mail/mail-store/table-mail-store.ts';
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
  test('keeps its mail until the retention ends, and is then removed', async () => {
    const { to, account_id } = await furnished();
    await remove(to, account_id);
    await to.workAll();
    expect((await to.ok('/accounts/ListAccountRemovals'))['removals']).toMatchObject([{ account_id, step: 'WAITING' }]);
    expect((await addressesIn(to.directory).resolve(['alice@example.test'])).size).toBe(0);
    expect(await enqueueEndedAccounts(to.dependencies)).toBe(0);
    // The clock of the admin API is ahead by a millisecond for each of its calls.
    later(to, 14 * day + 1);
    expect(await enqueueEndedAccounts(to.dependencies)).toBe(1);
    await to.workAll();
    expect([to.objects.keys(), (await to.ok('/accounts/ListAccountRemovals'))['removals']]).toEqual([[], []]);
    // A restore of the deployment to an earlier time finds the message.
    expect(to.objects.earlierVersions(`messages/${account_id}/1`)).toHaveLength(1);
    expect(await to.directory.query({ pk: 'address' })).toEqual([]);
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

/** The addresses with the account that has each, and its domain's count. Checks that the count, the rows and the aliases agree. */
const holders = async (to: Removal): Promise<Record<string, string>> => {
  const accounts = new Set((await to.directory.query({ pk: 'account' })).map(({ sk }) => sk));
  const rows = (await to.directory.query({ pk: 'address' })).filter(({ state }) => state === 'ready');
  const ofAccounts = rows.filter((row) => !('group_id' in row));
  const aliases = (await Promise.all([...accounts].map((id) => to.directory.query({ pk: `account-alias#${id}` })))).flat();
  expect(new Map(aliases.map(({ email, alias_id: id }) => [email, id]))).toEqual(new Map(ofAccounts.map(({ sk, alias_id: id }) => [sk, id])));
  expect(aliases).toHaveLength(ofAccounts.length);
  for (const { sk, address_count: count } of await to.directory.query({ pk: 'domain' })) {
    expect(count).toBe(rows.filter(({ domain_id: id }) => id === sk).length);
  }
  return Object.fromEntries(rows.map(({ sk, account_id, group_id }) => [sk, (account_id ?? group_id) as string]));
};

const create = async (to: Removal, local_part: string) =>
  (await to.ok('/accounts/CreateAccount', { user_id: 'user_admin', name: 'New', local_part, domain_id: to.domain_id }))['account'] as Account;
const removeDomain = (to: Removal) => to.ok('/domains/RemoveDomain', { id: to.domain_id });
const addDomain = (to: Removal) => to.ok('/domains/AddDomain', { domain: 'example.test', receive_enabled: true });

type Taking = (to: Removal) => Promise<unknown>;
const [alice, one, two] = ['alice@example.test', 'one@example.test', 'two@example.test'];
const signingInWith =
  (email: string): Taking =>
  async (to) =>
    to.ok('/users/CreateUser', { email });

describe('addresses of a deleted account', () => {
  test.each<[string, Taking, string, readonly object[]]>([
    ['nobody took one', async () => {}, alice, []],
    ['another account took an alias', (to) => create(to, 'one'), alice, [{ email: one, name: 'New', account_id: expect.stringMatching(/^acc_/) }]],
    ['another account took the primary one', (to) => create(to, 'alice'), one, [{ email: alice, name: 'New' }]],
    [
      'an alias of another account took the primary one',
      async (to) => {
        const { account_id } = await create(to, 'new');
        await to.ok('/aliases/CreateAlias', { account_id, local_part: 'alice', domain_id: to.domain_id });
      },
      one,
      [{ email: alice, name: 'New' }],
    ],
    [
      'a group took one',
      (to) => to.ok('/aliases/CreateGroup', { name: 'Team', local_part: 'one', domain_id: to.domain_id }),
      alice,
      [{ email: one, name: 'Team', group_id: expect.any(String) }],
    ],
    ['a user signs in with one', signingInWith(two), alice, [{ email: two, name: two, user_id: expect.any(String) }]],
    [
      'a user changed to one as sign-in address',
      async (to) => {
        const { user } = await to.ok('/users/CreateUser', { email: 'x@elsewhere.test' });
        await to.ok('/users/ChangeSignInAddress', { user_id: (user as { user_id: string }).user_id, email: two });
      },
      alice,
      [{ email: two, name: two, user_id: expect.any(String) }],
    ],
    ['a user signs in with one and a detail', signingInWith('two+x@example.test'), alice, [{ email: two, name: 'two+x@example.test' }]],
    [
      'an account that took one is deleted',
      async (to) => {
        await remove(to, (await create(to, 'one')).account_id);
      },
      alice,
      [],
    ],
    [
      'an account that took one deleted it',
      async (to) => {
        const { account_id } = await create(to, 'new');
        const { alias } = await to.ok('/aliases/CreateAlias', { account_id, local_part: 'one', domain_id: to.domain_id });
        await to.ok('/aliases/DeleteAlias', { alias_id: (alias as { alias_id: string }).alias_id });
      },
      alice,
      [],
    ],
    [
      'their domain was removed and added again',
      async (to) => {
        await removeDomain(to);
        await addDomain(to);
      },
      alice,
      [],
    ],
  ])('return with RestoreAccount when %s', async (_, take, email, lost) => {
    const { to, account_id } = await furnished();
    await remove(to, account_id);
    await to.workAll();
    await take(to);
    const before = await holders(to);
    const restored = await to.ok('/accounts/RestoreAccount', { account_id });
    expect(restored).toMatchObject({ account: { account_id, email }, addresses_not_restored: lost });
    const back = [alice, one, two].filter((address) => !lost.some((each) => 'email' in each && each.email === address));
    expect(await holders(to)).toEqual({ ...before, ...Object.fromEntries(back.map((address) => [address, account_id])) });
    const { aliases } = (await to.ok('/aliases/ListAccountAliases', { account_id })) as { aliases: { email: string; is_primary: boolean }[] };
    expect(aliases.filter((alias) => alias.is_primary).map((alias) => alias.email)).toEqual([email]);
    const senders = [alice, one, two].map((address) => ({ accountId: account_id, email: address }));
    const refusals = await sendingRightsIn(to.directory).refusals(senders);
    expect(senders.filter((__, index) => refusals[index] === undefined).map((sender) => sender.email)).toEqual(back.filter((address) => address === alice));
    const { records = [] } = (await storedAccountIdentities(to.mail).read(account_id)) ?? {};
    expect(records.map((identity) => identity.email)).toEqual(back.filter((address) => address === alice));
    // Everything of the account goes when it is deleted again, and nothing of the others.
    await remove(to, account_id);
    await to.ok('/accounts/RemoveAccountNow', { account_id, name: 'alice' });
    await to.workAll();
    expect(await holders(to)).toEqual(before);
    expect(await to.directory.query({ pk: `account-alias#${account_id}` })).toEqual([]);
  });

  test.each<[string, Taking, string]>([
    ['another account', (to) => create(to, 'alice'), 'is an address of the account New'],
    ['a user who signs in', signingInWith(alice), 'is the sign-in address of alice@example.test'],
    ['nobody, but the domain was removed', removeDomain, 'add it first'],
  ])('without which the account cannot be restored: the only one has %s', async (_, take, reason) => {
    const to = await withRemoval({ recoverableSeconds: 14 * day });
    const account_id = await to.create();
    await remove(to, account_id);
    await to.workAll();
    await take(to);
    const stored = async () => [await to.directory.query({ pk: `account-alias#${account_id}` }), await holders(to)];
    const before = await stored();
    const refused = await to.call('/accounts/RestoreAccount', { account_id });
    expect(refused).toMatchObject({ status: 400, body: { code: 'failed_precondition', message: expect.stringContaining(reason) } });
    expect(await stored()).toEqual(before);
    expect((await to.ok('/accounts/ListAccountRemovals'))['removals']).toMatchObject([{ account_id, step: 'WAITING' }]);
  });

  test.each(['before', 'after'] as const)('that are lost are named by the call after a crash %s any write', async (when) => {
    for (let write = 0; ; write++) {
      const directory = failingTable(memoryTable());
      const { to, account_id } = await furnished({ directory });
      await remove(to, account_id);
      await to.workAll();
      const other = await create(to, 'alice');
      directory.endProcessAtWrite(write, when);
      const first = await to.call('/accounts/RestoreAccount', { account_id });
      directory.recover();
      if (first.status !== 200) {
        const again = await to.call('/accounts/RestoreAccount', { account_id });
        if (again.status === 200) expect(again.body).toMatchObject({ addresses_not_restored: [{ email: alice, account_id: other.account_id }] });
        else expect(again.status).toBe(404);
      }
      expect(await holders(to)).toEqual({ [alice]: other.account_id, [one]: account_id, [two]: account_id });
      if (first.status === 200) break;
      expect(write).toBeLessThan(30);
    }
  });

  test('have one holder after creations, restorations and deletions at once', async () => {
    for (let round = 0; round < 20; round++) {
      const { to, account_id } = await furnished();
      const other = await create(to, 'new');
      const taking = () => [
        to.call('/accounts/CreateAccount', { user_id: 'user_admin', name: 'New', local_part: 'alice', domain_id: to.domain_id }),
        to.call('/aliases/CreateAlias', { account_id: other.account_id, local_part: 'one', domain_id: to.domain_id }),
        to.call('/users/CreateUser', { email: two }),
      ];
      const [restore, again] = [() => to.call('/accounts/RestoreAccount', { account_id }), () => to.call('/accounts/DeleteAccount', { account_id })];
      await Promise.all([again(), ...(round % 2 === 0 ? taking() : [])]);
      await Promise.all([restore(), restore(), ...(round % 3 === 0 ? [again()] : []), to.workAll(), ...taking()]);
      await holders(to);
      await again();
      await to.workAll();
      expect(Object.values(await holders(to))).not.toContain(account_id);
      await Promise.all([restore(), again(), restore(), to.workAll()]);
      await to.workAll();
      await holders(to);
    }
  });

  test('give nobody mail that arrived for an earlier holder', async () => {
    const { to, account_id } = await furnished();
    const since = async () => (await addressesIn(to.directory).resolve(['one+x@example.test'])).get('one+x@example.test');
    await remove(to, account_id);
    const taken = Date.now();
    const { account_id: other } = await create(to, 'one');
    expect(await since()).toMatchObject({ accountId: other });
    expect(Date.parse((await since())!.heldSince!)).toBeGreaterThanOrEqual(taken);
    await remove(to, other);
    await to.ok('/accounts/RestoreAccount', { account_id });
    expect(await since()).toMatchObject({ accountId: account_id });
    expect(Date.parse((await since())!.heldSince!)).toBeGreaterThan(taken);
  });

  test('of which there are many are free and restored', async () => {
    const { to, account_id } = await furnished();
    for (let index = 0; index < 60; index++) await to.ok('/aliases/CreateAlias', { account_id, local_part: `box${index}`, domain_id: to.domain_id });
    const before = await holders(to);
    await remove(to, account_id);
    expect(await holders(to)).toEqual({});
    await to.workAll();
    await to.ok('/accounts/RestoreAccount', { account_id });
    expect(await holders(to)).toEqual(before);
  });

  test('that an earlier version left taken are restored, or removed, with their count', async () => {
    for (const path of ['/accounts/RestoreAccount', '/accounts/RemoveAccountNow']) {
      const { to, account_id } = await furnished();
      const before = await holders(to);
      await remove(to, account_id);
      await to.workAll();
      const rows = await to.directory.query({ pk: 'address' });
      await to.directory.write([
        ...rows.map(({ pk, sk }) => ({ update: { pk, sk }, set: { state: 'removing' } })),
        { update: { pk: 'domain', sk: to.domain_id }, add: { address_count: rows.length } },
      ]);
      await to.ok(path, { account_id, ...(path === '/accounts/RemoveAccountNow' && { name: 'alice' }) });
      await to.workAll();
      expect(await holders(to)).toEqual(path === '/accounts/RestoreAccount' ? before : {});
    }
  });
});
