import type { Account } from '../../../../contract/admin/accounts.ts';
import type { Alias } from '../../../../contract/admin/aliases.ts';
import { addressesIn } from '../../../../core/directory/aliases/addresses.ts';
import { principalsIn } from '../../../../core/directory/users/principals.ts';
import { mailStore } from '../../../../core/mail/mail-store/table-mail-store.ts';
import { mailboxesOf } from '../../../../core/mail/mailbox/mailbox-record.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { adminApi, adminApiPerTest } from '../../../support/admin-api.ts';
import { createAccount, createDomain } from '../../../support/admin-resources.ts';
import { failingTable } from '../../../support/failing-table.ts';

const api = adminApiPerTest();
let domainId: string;
beforeEach(async () => {
  domainId = await createDomain(api, { receive_enabled: true });
});

const request = (fields: object = {}) => ({ user_id: 'user_person', name: 'Alice', local_part: 'alice', domain_id: domainId, ...fields });
const create = (fields: object = {}) => createAccount(api, { domain_id: domainId, ...fields });
const primaryAliasOf = async ({ account_id }: Account): Promise<Alias | undefined> => {
  const { aliases } = await api.ok('/aliases/ListAccountAliases', { account_id });
  return (aliases as Alias[])[0];
};

describe('CreateAccount', () => {
  test('creates the account with its address, its mailboxes and its owner as ADMIN', async () => {
    const { account } = await api.ok('/accounts/CreateAccount', request({ local_part: 'Alice' }));
    expect(account).toEqual({
      account_id: expect.stringMatching(/^acc_[A-Za-z0-9_-]{21}$/),
      name: 'Alice',
      email: 'alice@example.test',
      shared: false,
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    });
    const { account_id } = account as Account;
    expect((await api.ok('/accounts/GetAccount', { account_id }))['account']).toMatchObject(account as object);
    expect((await api.ok('/accounts/ListAccounts'))['accounts']).toEqual([account]);
    const { members } = await api.ok('/accounts/ListAccountMembers', { account_id });
    expect(members).toMatchObject([{ account_id, user_id: 'user_person', role: 'ADMIN' }]);
    const view = await mailStore({ table: api.mail }).open(account_id);
    const roles = mailboxesOf(view!)
      .all()
      .map(({ role }) => role);
    expect(new Set(roles)).toEqual(new Set(['archive', 'drafts', 'inbox', 'junk', 'sent', 'trash']));
    expect(roles).toHaveLength(6);
    const resolved = await addressesIn(api.directory).resolve(['Alice@Example.Test', 'bob@example.test']);
    expect(resolved).toEqual(new Map([['Alice@Example.Test', { accountId: account_id, email: 'alice@example.test' }]]));
    expect(await principalsIn(api.directory).find({ principalId: 'user_person', isMachine: false })).toEqual({
      principalId: 'user_person',
      isMachine: false,
      isActive: true,
      isAdmin: false,
      username: 'person@example.test',
      memberships: [{ accountId: account_id, role: 'ADMIN', accountName: 'Alice', isOwner: true, createdAt: expect.any(String) }],
      primaryAccountId: account_id,
      tokensRevokedAt: undefined,
    });
  });

  test('the owner’s first account is and remains their primary account', async () => {
    const first = await create();
    await create({ local_part: 'second' });
    expect((await api.ok('/users/GetUser', { user_id: 'user_person' }))['user']).toMatchObject({ primary_account_id: first.account_id });
  });

  test('names the primary alias after the owner in the owner’s primary account, and after the account otherwise', async () => {
    await api.ok('/users/UpdateUser', { user_id: 'user_person', display_name: 'Alice Liddell' });
    expect(await primaryAliasOf(await create())).toMatchObject({ name: 'Alice Liddell' });
    expect(await primaryAliasOf(await create({ local_part: 'team', name: 'Team' }))).toMatchObject({ name: 'Team' });
  });

  test('names the primary alias after the account if the owner has no name', async () => {
    await api.ok('/users/UpdateUser', { user_id: 'user_person', display_name: '' });
    expect(await primaryAliasOf(await create({ name: 'Wonderland' }))).toMatchObject({ name: 'Wonderland' });
  });

  test('names the primary alias after no address', async () => {
    await api.ok('/users/UpdateUser', { user_id: 'user_person', display_name: 'alice@example.test' });
    expect(await primaryAliasOf(await create())).toMatchObject({ name: 'Alice' });
    expect(await primaryAliasOf(await create({ local_part: 'other', name: ' Boss@Example.com' }))).not.toHaveProperty('name');
  });

  test('at another user’s sign-in address is already_exists; at the owner’s own it succeeds', async () => {
    const answer = await api.call('/accounts/CreateAccount', request({ local_part: 'Admin' }));
    expect(answer).toMatchObject({ status: 409, body: { code: 'already_exists', message: expect.stringContaining('sign-in address') } });
    expect((await api.ok('/accounts/ListAccounts'))['accounts']).toEqual([]);
    expect(await api.call('/accounts/CreateAccount', request({ local_part: 'person' }))).toMatchObject({ status: 200 });
  });

  test.each([
    ['an unknown user', { user_id: 'user_unknown' }, 404, 'not_found'],
    ['a deleted user', { user_id: 'user_deleted' }, 404, 'not_found'],
    ['an inactive user', { user_id: 'user_inactive' }, 400, 'failed_precondition'],
    ['an unknown domain', { domain_id: 'dom_unknown' }, 404, 'not_found'],
    ['the id of another kind of resource', { domain_id: 'user_person' }, 404, 'not_found'],
  ])('rejects %s and changes nothing', async (_, fields, status, code) => {
    expect(await api.call('/accounts/CreateAccount', request(fields))).toMatchObject({ status, body: { code } });
    expect(await api.directory.get({ pk: 'address', sk: 'alice@example.test' })).toBeUndefined();
  });

  test('rejects a domain without sending, with failed_precondition', async () => {
    const id = await createDomain(api, { domain: 'silent.test', send_enabled: false });
    const response = await api.call('/accounts/CreateAccount', request({ domain_id: id }));
    expect(response).toMatchObject({ status: 400, body: { code: 'failed_precondition' } });
  });

  test('rejects a taken address, compared case-insensitively, with already_exists', async () => {
    await create();
    const response = await api.call('/accounts/CreateAccount', request({ local_part: 'ALICE', user_id: 'user_admin' }));
    expect(response).toMatchObject({ status: 409, body: { code: 'already_exists' } });
  });

  test('of ten concurrent calls for one address, one succeeds', async () => {
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, index) => api.call('/accounts/CreateAccount', request({ user_id: index % 2 ? 'user_person' : 'user_admin' }))),
    );
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
    expect((await api.ok('/accounts/ListAccounts'))['accounts']).toHaveLength(1);
  });

  test('five concurrent calls for one owner all succeed', async () => {
    const accounts = await Promise.all([1, 2, 3, 4, 5].map((index) => create({ local_part: `box${index}` })));
    expect(new Set(accounts.map(({ account_id }) => account_id)).size).toBe(5);
    expect((await principalsIn(api.directory).find({ principalId: 'user_person', isMachine: false }))?.memberships).toHaveLength(5);
  });

  test.each(['before', 'after'] as const)('a crash %s the write leaves all of the account in both tables, or nothing', async (when) => {
    const tables = { directory: failingTable(memoryTable()), mail: failingTable(memoryTable()) };
    const crashing = await adminApi(tables);
    const domain_id = await createDomain(crashing, { receive_enabled: true });
    tables.mail.endProcessAtWrite(0, when);
    expect((await crashing.call('/accounts/CreateAccount', request({ domain_id }))).status).toBe(500);
    expect((await addressesIn(tables.directory).resolve(['alice@example.test'])).size).toBe(when === 'before' ? 0 : 1);
    tables.mail.recover();
    // 409: the first call created the account before the crash.
    expect((await crashing.call('/accounts/CreateAccount', request({ domain_id }))).status).toBe(when === 'before' ? 200 : 409);
    const accounts = (await crashing.ok('/accounts/ListAccounts'))['accounts'] as Account[];
    expect(accounts).toHaveLength(1);
    expect(await mailStore({ table: tables.mail }).open(accounts[0]!.account_id)).toBeDefined();
    const resolved = await addressesIn(tables.directory).resolve(['alice@example.test']);
    expect(resolved.get('alice@example.test')).toMatchObject({ accountId: accounts[0]!.account_id });
  });

  test('the address of an account resolves to nothing if its domain does not receive', async () => {
    const id = await createDomain(api, { domain: 'outbound.test', receive_enabled: false });
    await create({ domain_id: id });
    expect((await addressesIn(api.directory).resolve(['alice@outbound.test', '', '@', 'no-at'])).size).toBe(0);
  });
});
