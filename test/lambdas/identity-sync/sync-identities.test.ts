import type { Group } from '../../../contract/admin/aliases.ts';
import { identityClient } from '../../support/identity-client.ts';
import { perTest } from '../../support/per-test.ts';
import { aliasFixturePerTest } from '../admin/aliases/alias-fixture.ts';
import { identitySync } from './identity-sync.ts';

const fixture = aliasFixturePerTest();
let client: ReturnType<typeof identityClient>;
const sync = perTest(() => identitySync(fixture.api));
beforeEach(() => {
  client = identityClient(fixture.api, fixture.account_id);
});

/**
 * Removes an Identity, as if the account was created by a release without Identities. A new client reads the records
 * again.
 */
const removeIdentity = async (id: string) => {
  await fixture.api.mail.write([{ delete: { pk: `${fixture.account_id}#identity`, sk: id } }]);
  client = identityClient(fixture.api, fixture.account_id);
};

const setMaySend = (id: string, maySend: boolean) =>
  fixture.api.mail.write([{ update: { pk: `${fixture.account_id}#identity`, sk: id }, set: { maySend }, add: { version: 1 } }]);

describe('the identity-sync Lambda', () => {
  test('creates the Identities of accounts of a release without Identities, in its first run', async () => {
    const { created, primary } = fixture;
    await removeIdentity((await primary()).alias_id);
    const { alias_id } = await created({ can_send_from: true, name: 'Sales' });
    await removeIdentity(alias_id);
    await created({ local_part: 'silent' });
    await created({ local_part: 'closed', can_send_from: true, is_active: false });
    expect(await client.list()).toEqual([]);
    const before = await client.state();
    await sync.run();
    expect(await client.list()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ email: 'alice@example.test', name: 'Alice' }),
        expect.objectContaining({ email: 'sales@example.test', name: 'Sales' }),
      ]),
    );
    expect((await client.call('Identity/changes', { sinceState: before }))['created']).toHaveLength(2);
  });

  test('shows and hides Identities that differ from their alias, and destroys those without one', async () => {
    const { created, primary } = fixture;
    const [shown, hidden, deleted] = [await primary(), await created({ can_send_from: true }), await created({ local_part: 'gone', can_send_from: true })];
    await client.create({ email: 'gone@example.test' });
    await client.update(shown.alias_id, { textSignature: 'Alice' });
    await setMaySend(shown.alias_id, false);
    const { pk, sk } = { pk: 'alias', sk: hidden.alias_id };
    const fromAccount = { pk: `account-alias#${fixture.account_id}`, sk };
    for (const key of [{ pk, sk }, fromAccount]) await fixture.api.directory.write([{ update: key, set: { is_active: false } }]);
    await fixture.api.directory.write([{ delete: { pk: 'alias', sk: deleted.alias_id } }, { delete: { pk: fromAccount.pk, sk: deleted.alias_id } }]);
    await sync.run();
    client = identityClient(fixture.api, fixture.account_id);
    expect(await client.list()).toMatchObject([{ id: shown.alias_id, textSignature: 'Alice' }]);
    const stored = await fixture.api.mail.query({ pk: `${fixture.account_id}#identity` });
    expect(stored.map((item) => item.sk).sort()).toEqual([shown.alias_id, hidden.alias_id].sort());
  });

  test('gives the members of a group an Identity while they may send from its address, with the group to reply to', async () => {
    const { api, domain_id, account_id } = fixture;
    await sync.run();
    const create = (local_part: string) => api.ok('/aliases/CreateGroup', { local_part, domain_id, name: 'Desk', members_may_send: true });
    const { group_id } = (await create('desk'))['group'] as Group;
    const change = async (method: string, request: object) => {
      await api.ok(`/aliases/${method}`, { group_id, ...request });
      await sync.run();
      expect(await sync.tasks()).toEqual(['all']);
      return (await client.emails()).filter((email) => email !== 'alice@example.test');
    };
    expect(await change('AddGroupMembers', { addresses: ['alice@example.test', 'ann@elsewhere.test'] })).toEqual(['desk@example.test']);
    expect(await client.list()).toMatchObject([
      {},
      { id: group_id, name: 'Desk', email: 'desk@example.test', replyTo: [{ email: 'desk@example.test' }], mayDelete: false },
    ]);
    await client.update(group_id, { textSignature: 'Your desk' });
    expect(await change('UpdateGroup', { members_may_send: false })).toEqual([]);
    expect(await change('UpdateGroup', { members_may_send: true })).toEqual(['desk@example.test']);
    expect(await client.list()).toMatchObject([{}, { textSignature: 'Your desk' }]);
    await api.ok('/domains/UpdateDomain', { id: domain_id, send_enabled: false });
    await sync.run();
    expect(await client.emails()).toEqual([]);
    await api.ok('/domains/UpdateDomain', { id: domain_id, send_enabled: true });
    expect(await change('RemoveGroupMembers', { member_ids: [account_id] })).toEqual([]);
    expect(await change('AddGroupMembers', { addresses: ['alice@example.test'] })).toEqual(['desk@example.test']);
    expect(await change('DeleteGroup', {})).toEqual([]);
    sync.later(25);
    await sync.run();
    expect(await client.emails()).toEqual(['alice@example.test']);
  });

  test('checks all accounts once a day, and does not change accounts whose Identities match', async () => {
    await sync.run();
    const state = await client.state();
    const { alias_id } = await fixture.primary();
    await removeIdentity(alias_id);
    sync.later(23);
    await sync.run();
    expect(await client.list()).toEqual([]);
    sync.later(2);
    await sync.run();
    expect(await client.list()).toMatchObject([{ id: alias_id }]);
    const after = await client.state();
    expect(after).not.toBe(state);
    sync.later(25);
    await sync.run();
    expect(await client.state()).toBe(after);
  });

  test('does not change accounts that are being removed', async () => {
    await removeIdentity((await fixture.primary()).alias_id);
    await fixture.api.ok('/accounts/DeleteAccount', { account_id: fixture.account_id });
    await sync.run();
    expect(await fixture.api.mail.query({ pk: `${fixture.account_id}#identity` })).toEqual([]);
  });

  test('continues after an account that fails, and ends with an error for the alarm', async () => {
    const { api, domain_id, account_id, primary } = fixture;
    const { account } = await api.ok('/accounts/CreateAccount', { user_id: 'user_person', name: 'Other', local_part: 'other', domain_id });
    const other = identityClient(api, (account as { account_id: string }).account_id);
    await removeIdentity((await primary()).alias_id);
    sync.failing.add((account as { account_id: string }).account_id);
    await expect(sync.run()).rejects.toThrow('1 accounts');
    expect(await client.emails()).toEqual(['alice@example.test']);
    expect(await other.emails()).toEqual(['other@example.test']);
    sync.failing.clear();
    sync.failing.add(account_id);
    await expect(sync.run()).resolves.toBeUndefined();
  });

  test('changes more Identities of an account than fit into one transaction', async () => {
    const ids = [];
    for (let i = 0; i < 45; i++) ids.push((await fixture.created({ local_part: `a${i}`, can_send_from: true })).alias_id);
    for (const id of ids) await setMaySend(id, false);
    client = identityClient(fixture.api, fixture.account_id);
    expect(await client.list()).toHaveLength(1);
    await sync.run();
    client = identityClient(fixture.api, fixture.account_id);
    expect(await client.list()).toHaveLength(46);
  });

  test('continues a task in the next run when its time is over, and starts again when it is requested again', async () => {
    const { api, domain_id } = fixture;
    for (let i = 0; i < 450; i++) {
      await api.directory.write([{ put: { pk: 'account', sk: `acc_${String(i).padStart(4, '0')}` } }]);
    }
    // The account of the fixture has a random id: it may stand before any of the others.
    const accountIds = (await api.directory.query({ pk: 'account' })).map(({ sk }) => sk);
    await sync.run(1);
    expect(await api.directory.get({ pk: 'identity-task', sk: 'all' })).toMatchObject({ after: accountIds[199] });
    await sync.run(1);
    expect(await api.directory.get({ pk: 'identity-task', sk: 'all' })).toMatchObject({ after: accountIds[399] });
    await sync.run(1);
    expect(await api.directory.get({ pk: 'identity-task', sk: 'all' })).toEqual({
      pk: 'identity-task',
      sk: 'all',
      version: 1,
      due: '2026-11-22T08:00:00.000Z',
    });
    await api.directory.write([{ put: { pk: 'identity-task', sk: domain_id, version: 1, after: 'zzz' } }]);
    await api.directory.write([{ update: { pk: 'identity-task', sk: domain_id }, add: { version: 1 }, remove: ['after'] }]);
    await removeIdentity((await fixture.primary()).alias_id);
    await sync.run();
    expect(await client.emails()).toEqual(['alice@example.test']);
    expect(await sync.tasks()).toEqual(['all']);
  });
});
