import { accountPartitions, partitionOf } from '../../../contract/deployment/keys.ts';
import { addressesIn } from '../../../core/directory/aliases/addresses.ts';
import { principalsIn } from '../../../core/directory/users/principals.ts';
import { mailStore } from '../../../core/mail/mail-store/table-mail-store.ts';
import { mailboxesOf } from '../../../core/mail/mailbox/mailbox-record.ts';
import { keyOf } from '../../../core/storage/dynamodb/dynamodb-expressions.ts';
import { objectKeys } from '../../../core/storage/object-keys.ts';
import type { Item, Table } from '../../../core/storage/table.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { failingTable } from '../../support/failing-table.ts';
import { withRemoval } from './removal.ts';

type Removal = Awaited<ReturnType<typeof withRemoval>>;
type Entry = { status: string; actor: { actor_type: string; actor_id: string }; metadata: Record<string, string> };

/** A table that knows every key that was ever written, so that a test finds every remaining item, but those about the past. */
const watchedTable = (): Table & { left(word: string): Promise<Item[]> } => {
  const table = memoryTable();
  const keys = new Map<string, { pk: string; sk: string }>();
  return {
    ...table,
    async write(writes) {
      for (const write of writes) {
        const { pk, sk } = keyOf(write);
        keys.set(`${pk} ${sk}`, { pk, sk });
      }
      await table.write(writes);
    },
    left: async (word) =>
      (await table.batchGet([...keys.values()])).filter((item) => !/^(audit#|removed-account$)/.test(item.pk) && JSON.stringify(item).includes(word)),
  };
};

const entries = async (to: Removal) => (await to.ok('/audit/ListAuditLogs', { operation: 'accounts/DeleteAccount' }))['audit_logs'] as Entry[];
const remove = (to: Removal, account_id: string) => to.call('/accounts/DeleteAccount', { account_id });
const takesMail = async (to: Removal, email: string) => (await addressesIn(to.directory).resolve([email])).has(email);

/** An account with three aliases, two members and some objects. */
const furnished = async (to: Removal) => {
  const account_id = await to.create();
  for (const local_part of ['one', 'two', 'three']) await to.ok('/aliases/CreateAlias', { account_id, local_part, domain_id: to.domain_id });
  await to.ok('/accounts/PutAccountMember', { account_id, user_id: 'user_admin', role: 'READ' });
  for (const folder of ['messages', 'uploads', 'search'])
    for (let index = 0; index < 3; index++) await to.objects.put(`${folder}/${account_id}/${index}`, Buffer.from('x'));
  await to.objects.put('messages/acc_other/1', Buffer.from('x'));
  return account_id;
};

describe('DeleteAccount', () => {
  test('neither API finds the account after the response, and its addresses receive no mail', async () => {
    const to = await withRemoval();
    const account_id = await furnished(to);
    expect(await remove(to, account_id)).toMatchObject({ status: 200, body: {} });
    for (const [path, more] of [
      ['/accounts/GetAccount', {}],
      ['/accounts/UpdateAccount', { name: 'x' }],
      ['/accounts/ListAccountMembers', {}],
      ['/accounts/PutAccountMember', { user_id: 'user_admin', role: 'READ' }],
      ['/accounts/DeleteAccountMember', { user_id: 'user_admin' }],
      ['/aliases/ListAccountAliases', {}],
      ['/aliases/CreateAlias', { local_part: 'new', domain_id: to.domain_id }],
    ] as const)
      expect(await to.call(path, { account_id, ...more })).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect((await to.ok('/accounts/ListAccounts'))['accounts']).toEqual([]);
    for (const email of ['alice', 'one', 'two', 'three']) expect(await takesMail(to, `${email}@example.test`)).toBe(false);
    for (const principalId of ['user_person', 'user_admin'])
      expect((await principalsIn(to.directory).find({ principalId, isMachine: false }))?.memberships).toEqual([]);
    expect((await to.ok('/users/GetUser', { user_id: 'user_person' }))['user']).not.toHaveProperty('primary_account_id');
  });

  test('its aliases can no longer be changed', async () => {
    const to = await withRemoval();
    const account_id = await furnished(to);
    const aliases = (await to.ok('/aliases/ListAccountAliases', { account_id }))['aliases'] as { alias_id: string; is_primary: boolean }[];
    await remove(to, account_id);
    for (const { alias_id, is_primary } of aliases) {
      expect(await to.call('/aliases/UpdateAlias', { alias_id, is_active: true })).toMatchObject({ status: 404 });
      expect(await to.call('/aliases/DeleteAlias', { alias_id })).toMatchObject({ status: is_primary ? 400 : 404 });
    }
  });

  test('the worker removes all data of the account and no data of others', async () => {
    const [directory, mail] = [watchedTable(), watchedTable()];
    const to = await withRemoval({ directory, mail });
    const other = await to.create('other', 'user_admin');
    const account_id = await furnished(to);
    await remove(to, account_id);
    expect(await mail.left(account_id)).not.toEqual([]);
    await to.workAll();
    expect(await directory.left(account_id)).toEqual([]);
    expect(await mail.left(account_id)).toEqual([]);
    expect(to.objects.keys()).toEqual(['messages/acc_other/1']);
    expect((await to.ok('/accounts/GetAccount', { account_id: other }))['account']).toMatchObject({ name: 'other' });
    expect(await takesMail(to, 'other@example.test')).toBe(true);
    expect(mailboxesOf((await mailStore({ table: mail }).open(other))!).all()).toHaveLength(6);
    expect(await remove(to, account_id)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  test('the worker leaves no item in any partition of the account, and no object under any prefix', async () => {
    const mail = watchedTable();
    const to = await withRemoval({ mail });
    const account_id = await to.create();
    for (const partition of Object.values(accountPartitions)) await mail.write([{ put: { pk: partitionOf(account_id, partition), sk: 'an item' } }]);
    const { inbound: _ofNoAccount, ...ofAccounts } = objectKeys;
    for (const keyOfObject of Object.values(ofAccounts)) await to.objects.put(keyOfObject(account_id, 'an-object'), Buffer.from('x'));
    await remove(to, account_id);
    await to.workAll();
    expect((await mail.left(account_id)).map(({ pk }) => pk)).toEqual([]);
    expect(to.objects.keys()).toEqual([]);
  });

  test('its addresses are free at once, and the removal leaves them to the account that takes them', async () => {
    const to = await withRemoval();
    const account_id = await furnished(to);
    const wanted = { user_id: 'user_admin', name: 'New', local_part: 'alice', domain_id: to.domain_id };
    await to.ok('/aliases/CreateAlias', { account_id, local_part: 'alice+x', domain_id: to.domain_id });
    await remove(to, account_id);
    const account = (await to.ok('/accounts/CreateAccount', wanted))['account'] as { account_id: string };
    expect(account.account_id).not.toBe(account_id);
    await to.ok('/aliases/CreateAlias', { account_id: account.account_id, local_part: 'one', domain_id: to.domain_id });
    const resolved = async () =>
      [...(await addressesIn(to.directory).resolve(['alice+x', 'one', 'two'].map((name) => `${name}@example.test`)))].map(([email, receiver]) => [
        email,
        receiver.accountId,
      ]);
    const taken = ['alice+x@example.test', 'one@example.test'].map((email) => [email, account.account_id]);
    expect(await resolved()).toEqual(taken);
    const similar = { name: 'New', email: 'alice@example.test', account_id: account.account_id, state: 'ACTIVE' };
    expect(await to.ok('/accounts/FindSimilar', { query: 'alcie@example.test' })).toEqual({ similar: [similar] });
    await to.workAll();
    expect(await resolved()).toEqual(taken);
    expect(await to.directory.get({ pk: 'domain', sk: to.domain_id })).toMatchObject({ address_count: 2 });
  });

  test('its progress is in the audit log', async () => {
    const to = await withRemoval();
    const account_id = await furnished(to);
    await remove(to, account_id);
    expect(await entries(to)).toMatchObject([
      {
        status: 'success',
        entity_id: account_id,
        entity_name: 'alice',
        actor: { actor_type: 'USER' },
        metadata: { email: 'alice@example.test', removal: 'begun' },
      },
    ]);
    await to.workAll();
    const worked = (await entries(to)).filter(({ actor }) => actor.actor_id === 'account-removal');
    expect(worked.map(({ metadata }) => metadata)).toEqual(
      expect.arrayContaining([
        { removal: 'access removed', removed: '0' },
        { removal: 'mail removed', removed: expect.stringMatching(/^[1-9]/) },
        { removal: 'objects removed', removed: '9' },
        { removal: 'complete', removed: '4' },
      ]),
    );
    expect(worked).toHaveLength(4);
    expect((await to.ok('/audit/ListActors', { actor_type: 'SYSTEM' }))['actors']).toMatchObject([{ actor_id: 'account-removal' }]);
  });

  test('a second call resumes the removal', async () => {
    const to = await withRemoval();
    const account_id = await furnished(to);
    await remove(to, account_id);
    to.removalQueue.messages.length = 0;
    expect((await remove(to, account_id)).status).toBe(200);
    expect(await entries(to)).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ metadata: { email: 'alice@example.test', removal: 'resumed' } })]),
    );
    await to.workAll();
    expect(await remove(to, account_id)).toMatchObject({ status: 404 });
  });

  test('two concurrent calls both succeed, and the account is removed once', async () => {
    for (let round = 0; round < 10; round++) {
      const to = await withRemoval();
      const account_id = await furnished(to);
      const answers = await Promise.all([
        remove(to, account_id),
        remove(to, account_id),
        to.call('/accounts/PutAccountMember', { account_id, user_id: 'user_admin', role: 'ADMIN' }),
        to.call('/aliases/CreateAlias', { account_id, local_part: 'late', domain_id: to.domain_id }),
      ]);
      expect(answers.slice(0, 2).map(({ status }) => status)).toEqual([200, 200]);
      expect((await principalsIn(to.directory).find({ principalId: 'user_admin', isMachine: false }))?.memberships).toEqual([]);
      expect(await takesMail(to, 'late@example.test')).toBe(false);
      await Promise.all([to.workOnce(), to.workOnce()]);
      await to.workAll();
      const done = (await entries(to)).filter(({ metadata }) => metadata['removal'] === 'complete');
      expect(done).toHaveLength(1);
      expect(await to.directory.query({ pk: 'account-removal' })).toEqual([]);
      expect(await to.directory.query({ pk: 'address' })).toEqual([]);
    }
  });

  test('an account with many members and aliases loses all access at once', async () => {
    const [directory, mail] = [watchedTable(), watchedTable()];
    const to = await withRemoval({ directory, mail });
    const account_id = await to.create();
    for (let index = 0; index < 70; index++) {
      await to.ok('/aliases/CreateAlias', { account_id, local_part: `box${index}`, domain_id: to.domain_id });
    }
    for (let index = 0; index < 45; index++) {
      const { user_id } = (await to.ok('/users/CreateUser', { email: `p${index}@example.test` }))['user'] as { user_id: string };
      await to.ok('/accounts/PutAccountMember', { account_id, user_id, role: 'READ' });
    }
    expect((await remove(to, account_id)).status).toBe(200);
    expect(await directory.query({ pk: `account-member#${account_id}` })).toEqual([]);
    for (let index = 0; index < 70; index++) expect(await takesMail(to, `box${index}@example.test`)).toBe(false);
    await to.workAll();
    expect(await directory.left(account_id)).toEqual([]);
    expect(await directory.query({ pk: 'address' })).toEqual([]);
  });

  test('work beyond the time of one invocation continues in the next', async () => {
    const mail = watchedTable();
    const to = await withRemoval({ mail });
    const account_id = await furnished(to);
    for (let index = 0; index < 1200; index++) await mail.write([{ put: { pk: `${account_id}#row`, sk: `M${index}` } }]);
    await remove(to, account_id);
    // A day ago: ListAuditLogs does not look for entries of the future.
    const start = Date.now() - 86_400_000;
    let minutes = 0;
    to.clock.now = () => new Date(start + 60_000 * minutes++);
    expect(await to.workAll(30_000)).toBeGreaterThan(4);
    expect(minutes).toBeLessThan(24 * 60);
    expect(await mail.left(account_id)).toEqual([]);
    const [mailEntry] = (await entries(to)).filter(({ metadata }) => metadata['removal'] === 'mail removed');
    // With six Mailboxes, an Identity, the head and a log item.
    expect(Number(mailEntry?.metadata['removed'])).toBe(1200 + 9);
  });

  test('the final check removes a message that a delivery stored during the removal', async () => {
    const to = await withRemoval();
    const account_id = await furnished(to);
    await remove(to, account_id);
    await to.workOnce();
    expect(to.removalQueue.messages).toEqual([{ message: { accountId: account_id, isLastLook: true }, delaySeconds: 300 }]);
    await to.objects.put(`messages/${account_id}/late`, Buffer.from('x'));
    await to.workAll();
    expect(to.objects.keys()).toEqual(['messages/acc_other/1']);
  });

  test.each(['before', 'after'] as const)('a crash %s any write of the call is repaired by the next call', async (when) => {
    for (let write = 0; write < 2; write++) {
      const directory = failingTable(memoryTable());
      const to = await withRemoval({ directory });
      const account_id = await furnished(to);
      directory.endProcessAtWrite(write, when);
      const { status } = await remove(to, account_id);
      directory.recover();
      expect(status).toBe(write === 0 ? 500 : 503);
      expect((await remove(to, account_id)).status).toBe(200);
      await to.workAll();
      expect(await directory.query({ pk: 'account' })).toEqual([]);
      expect(await directory.query({ pk: 'account-removal' })).toEqual([]);
      expect(await directory.query({ pk: 'address' })).toEqual([]);
    }
  });

  test.each(['before', 'after'] as const)('a worker that dies %s any write is followed by one that finishes', async (when) => {
    for (const dying of ['directory', 'mail'] as const) {
      for (let write = 0; ; write++) {
        const [watchedDirectory, watchedMail] = [watchedTable(), watchedTable()];
        const tables = { directory: failingTable(watchedDirectory), mail: failingTable(watchedMail) };
        const to = await withRemoval(tables);
        const account_id = await furnished(to);
        await remove(to, account_id);
        tables[dying].endProcessAtWrite(write, when);
        const crashed = await to.workOnce().then(
          () => false,
          () => true,
        );
        tables[dying].recover();
        await to.workAll();
        expect(await watchedDirectory.left(account_id)).toEqual([]);
        expect(await watchedDirectory.get({ pk: 'domain', sk: to.domain_id })).toMatchObject({ address_count: 0 });
        expect(await watchedMail.left(account_id)).toEqual([]);
        expect(to.objects.keys()).toEqual(['messages/acc_other/1']);
        expect((await entries(to)).filter(({ metadata }) => metadata['removal'] === 'complete')).toHaveLength(1);
        if (!crashed) break;
        expect(write).toBeLessThan(50);
      }
    }
  });

  test('an unknown account is not_found', async () => {
    const to = await withRemoval();
    expect(await remove(to, 'acc_unknown')).toMatchObject({ status: 404, body: { code: 'not_found', message: 'there is no such account' } });
    expect(to.removalQueue.messages).toEqual([]);
    expect(await entries(to)).toMatchObject([{ status: 'failure', entity_id: 'acc_unknown' }]);
  });
});
