import type { CatchAll, Group } from '../../../../contract/admin/aliases.ts';
import { receivingDirectoryIn } from '../../../../core/directory/aliases/receiving-addresses.ts';
import { wantedRecipients } from '../../../../lambdas/receipt-rules/wanted-recipients.ts';
import { createAccount, createDomain, createUser } from '../../../support/admin-resources.ts';
import { aliasFixturePerTest } from './alias-fixture.ts';

const fixture = aliasFixturePerTest();

const put = (address: string, domain_id = fixture.domain_id) => fixture.api.call('/aliases/PutCatchAll', { domain_id, address });
const find = (address: string) => fixture.api.ok('/accounts/FindAddress', { address });
const listed = async () => (await fixture.api.ok('/aliases/ListCatchAlls'))['catch_alls'] as CatchAll[];

describe('a catch-all', () => {
  test('gives mail for addresses that do not exist to an account, until it is deleted', async () => {
    const { account_id, domain_id, api } = fixture;
    expect(await find('invented@example.test')).toMatchObject({ kind: 'UNKNOWN', incoming: 'REFUSED_UNKNOWN' });
    const { catch_all } = (await put('Alice@example.test')).body as { catch_all: CatchAll };
    expect(catch_all).toMatchObject({ domain_id, domain: 'example.test', receiver_id: account_id, kind: 'ACCOUNT', email: 'alice@example.test' });
    expect(await listed()).toEqual([catch_all]);
    expect((await api.ok('/aliases/ListCatchAlls', { domain_id }))['catch_alls']).toEqual([catch_all]);
    const other = await createDomain(api, { domain: 'other.test' });
    expect((await api.ok('/aliases/ListCatchAlls', { domain_id: other }))['catch_alls']).toEqual([]);
    for (const address of ['invented@example.test', 'Invented+detail@Example.test']) {
      expect(await find(address)).toMatchObject({ kind: 'CATCH_ALL', role_account: { account_id }, incoming: 'DELIVERED', outgoing: 'NOT_HERE' });
    }
    expect(await find('invented@elsewhere.test')).toMatchObject({ kind: 'OUTSIDE' });
    for (const _ of [1, 2]) await api.ok('/aliases/DeleteCatchAll', { domain_id });
    expect([await listed(), (await find('invented@example.test'))['kind']]).toEqual([[], 'UNKNOWN']);
  });

  test('gives it to the members of a group', async () => {
    const { account_id, api, domain_id } = fixture;
    const { group_id } = (await api.ok('/aliases/CreateGroup', { local_part: 'desk', domain_id }))['group'] as Group;
    await api.ok('/aliases/AddGroupMembers', { group_id, addresses: ['alice@example.test'] });
    expect((await put('desk@example.test')).body).toMatchObject({ catch_all: { receiver_id: group_id, kind: 'GROUP', email: 'desk@example.test' } });
    expect(await find('invented@example.test')).toMatchObject({ kind: 'CATCH_ALL', group: { group_id }, receivers: [{ account_id }], incoming: 'DELIVERED' });
    await api.ok('/aliases/DeleteGroup', { group_id });
    expect(await find('invented@example.test')).toMatchObject({ kind: 'UNKNOWN', incoming: 'REFUSED_UNKNOWN' });
    expect(await listed()).toMatchObject([{ receiver_id: group_id }]);
  });

  test('takes no address that exists: neither another account’s nor an inactive one, nor that of a deleted account, nor a role', async () => {
    const { api, created, update, domain_id, account_id } = fixture;
    const bob = await createAccount(api, { domain_id, local_part: 'bob' });
    const { alias_id } = await created({ local_part: 'old' });
    await update(alias_id, { is_active: false });
    const eve = await createAccount(api, { domain_id, local_part: 'eve' });
    await put('eve@example.test');
    await api.ok('/accounts/DeleteAccount', { account_id: bob.account_id });
    for (const [address, kind, incoming] of [
      ['alice@example.test', 'ACCOUNT', 'DELIVERED'],
      ['alice+detail@example.test', 'ACCOUNT', 'DELIVERED'],
      ['old@example.test', 'ALIAS', 'REFUSED_INACTIVE'],
      ['bob@example.test', 'REMOVED', 'REFUSED_REMOVED'],
      ['invented@example.test', 'CATCH_ALL', 'DELIVERED'],
    ]) {
      expect(await find(address!)).toMatchObject({ kind, incoming });
    }
    await api.ok('/accounts/DeleteAccount', { account_id: eve.account_id });
    expect(await find('invented@example.test')).toMatchObject({ kind: 'UNKNOWN', incoming: 'REFUSED_UNKNOWN' });
    expect(await listed()).toEqual([expect.not.objectContaining({ email: expect.anything() as string })]);
    expect(account_id).not.toBe(eve.account_id);
  });

  test('takes no mail for an address with which somebody else signs in', async () => {
    const { api, domain_id } = fixture;
    const ted = await createUser(api, 'ted@example.test');
    await put('alice@example.test');
    expect(await find('ted@example.test')).toMatchObject({ kind: 'UNKNOWN', incoming: 'REFUSED_UNKNOWN' });
    const own = await createAccount(api, { domain_id, local_part: 'team', user_id: ted.user_id });
    await put('team@example.test');
    expect(await find('ted@example.test')).toMatchObject({ kind: 'CATCH_ALL', role_account: { account_id: own.account_id } });
  });

  test('has the whole domain in the receipt rules, and other domains by address', async () => {
    const { api, account_id, receiveOnlyDomain } = fixture;
    const other = await receiveOnlyDomain();
    await api.ok('/aliases/CreateAlias', { account_id, local_part: 'alice', domain_id: other });
    await put('alice@example.test');
    const now = { listsDomains: false, maxRules: 200, setting: 'addresses', spellings: 'lower-case' } as const;
    expect([...(await wantedRecipients(receivingDirectoryIn(api.directory), now))].sort()).toEqual(
      expect.arrayContaining(['alice@silent.test', 'example.test']),
    );
    expect([...(await wantedRecipients(receivingDirectoryIn(api.directory), now))].some((each) => each.endsWith('@example.test'))).toBe(false);
  });

  test('needs a domain and an address that exist, stays with changes of the domain, and is audited', async () => {
    const { account_id, domain_id, auditLogs, api } = fixture;
    expect((await put('alice@example.test', 'dom_x')).status).toBe(404);
    expect(await put('invented@example.test')).toMatchObject({ status: 400, body: { code: 'failed_precondition' } });
    await put('alice@example.test');
    await api.ok('/domains/UpdateDomain', { id: domain_id, dmarc_policy: 'REJECT' });
    expect(await listed()).toMatchObject([{ receiver_id: account_id }]);
    expect((await auditLogs('aliases/PutCatchAll'))[0]).toMatchObject({
      status: 'success',
      entity_id: domain_id,
      entity_name: 'example.test',
      changes: [{ field: 'catch_all', new_value: account_id }],
    });
    expect((await api.ok('/domains/GetDomain', { id: domain_id }))['domain']).not.toHaveProperty('catch_all');
  });

  test('of a domain ends with the domain', async () => {
    const { api } = fixture;
    const id = await createDomain(api, { domain: 'other.test', receive_enabled: true });
    await put('alice@example.test', id);
    await api.ok('/domains/RemoveDomain', { id });
    await createDomain(api, { domain: 'other.test', receive_enabled: true });
    expect([await listed(), (await find('invented@other.test'))['kind']]).toEqual([[], 'UNKNOWN']);
  });
});
