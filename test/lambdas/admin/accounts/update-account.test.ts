import { principalsIn } from '../../../../core/directory/users/principals.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { adminApi, adminApiPerTest, type AdminApi } from '../../../support/admin-api.ts';
import { createAccount, createDomain, createUser } from '../../../support/admin-resources.ts';
import { failingTable } from '../../../support/failing-table.ts';

/** Creates an account with two members. */
const createSharedAccount = async (api: AdminApi) => {
  const { account_id } = await createAccount(api, { domain_id: await createDomain(api) });
  await api.ok('/accounts/PutAccountMember', { account_id, user_id: 'user_admin', role: 'READ' });
  return account_id;
};
const rename = (api: AdminApi, account_id: string, name?: string) => api.call('/accounts/UpdateAccount', { account_id, ...(name !== undefined && { name }) });
const accountNamesOf = async (api: AdminApi, principalId: string) =>
  (await principalsIn(api.directory).find({ principalId, isMachine: false }))?.memberships.map(({ accountName }) => accountName);

const api = adminApiPerTest();
let account_id: string;
beforeEach(async () => {
  account_id = await createSharedAccount(api);
});

test('UpdateAccount renames the account, also in the memberships of its members', async () => {
  expect(await rename(api, account_id, 'Bob')).toMatchObject({
    status: 200,
    body: { account: { account_id, name: 'Bob', email: 'alice@example.test', shared: true } },
  });
  expect((await api.ok('/accounts/GetAccount', { account_id }))['account']).toMatchObject({ name: 'Bob' });
  for (const principal of ['user_person', 'user_admin']) expect(await accountNamesOf(api, principal)).toEqual(['Bob']);
  expect(await api.auditLogs('accounts/UpdateAccount')).toMatchObject([
    { entity_id: account_id, entity_name: 'Bob', changes: [{ field: 'name', old_value: 'Alice', new_value: 'Bob' }] },
  ]);
});

test('UpdateAccount without a name changes nothing', async () => {
  expect(await rename(api, account_id)).toMatchObject({ status: 200, body: { account: { name: 'Alice' } } });
});

test('UpdateAccount of an unknown account is not_found', async () => {
  expect(await rename(api, 'acc_unknown', 'x')).toMatchObject({ status: 404, body: { message: 'there is no such account' } });
});

test('all members see the same account name after concurrent renames and a new member', async () => {
  for (let round = 0; round < 10; round++) {
    await api.call('/accounts/DeleteAccountMember', { account_id, user_id: 'user_admin' });
    const responses = await Promise.all([
      rename(api, account_id, 'One'),
      api.call('/accounts/PutAccountMember', { account_id, user_id: 'user_admin', role: 'READ' }),
      rename(api, account_id, 'Two'),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    const { name } = (await api.ok('/accounts/GetAccount', { account_id }))['account'] as { name: string };
    for (const principal of ['user_person', 'user_admin']) expect(await accountNamesOf(api, principal)).toEqual([name]);
  }
});

test('the next call completes a rename of many members that crashed halfway', async () => {
  const directory = failingTable(memoryTable());
  const crashing = await adminApi({ directory });
  const id = await createSharedAccount(crashing);
  const users = await Promise.all(Array.from({ length: 120 }, async (_, index) => (await createUser(crashing, `p${index}@example.test`)).user_id));
  for (const user_id of users) await crashing.ok('/accounts/PutAccountMember', { account_id: id, user_id, role: 'READ' });
  directory.endProcessAtWrite(1);
  expect((await rename(crashing, id, 'Bob')).status).toBe(500);
  directory.recover();
  expect((await rename(crashing, id, 'Bob')).status).toBe(200);
  for (const principal of ['user_person', ...users]) expect(await accountNamesOf(crashing, principal)).toEqual(['Bob']);
});

describe('UpdateAccount with limits', () => {
  const update = (fields: object) => api.call('/accounts/UpdateAccount', { account_id, ...fields });
  const deployment = { max_octets: 50_000_000_000, max_emails: 1_000_000 };
  const quota = async () => ((await api.ok('/accounts/GetAccount', { account_id }))['account'] as { quota: object }).quota;

  test('sets them, also by a decimal string, and audits the old and the new values', async () => {
    expect(await update({ max_octets: '5000', max_emails: 10 })).toMatchObject({
      status: 200,
      body: { account: { name: 'Alice', quota: { octets_used: 0, max_octets: 5000, emails_used: 0, max_emails: 10 } } },
    });
    expect(await quota()).toMatchObject({ max_octets: 5000, max_emails: 10 });
    expect(await api.auditLogs('accounts/UpdateAccount')).toMatchObject([
      {
        status: 'success',
        entity_id: account_id,
        changes: [
          { field: 'max_octets', old_value: '50000000000', new_value: '5000' },
          { field: 'max_emails', old_value: '1000000', new_value: '10' },
        ],
      },
    ]);
  });

  test('keeps the limit that the request leaves out', async () => {
    await update({ max_octets: 5000 });
    await update({ max_emails: 10 });
    expect(await quota()).toMatchObject({ max_octets: 5000, max_emails: 10 });
  });

  test('of 0 returns to the deployment’s limits', async () => {
    await update({ max_octets: 5000, max_emails: 10 });
    expect(await update({ max_octets: 0, max_emails: 0 })).toMatchObject({ status: 200, body: { account: { quota: deployment } } });
    expect(await quota()).toMatchObject(deployment);
  });

  test('sets, returns and audits send limits, and 0 returns to the deployment’s limits', async () => {
    expect(await quota()).toMatchObject({ max_recipients_per_minute: 500, max_recipients_per_day: 5000 });
    await update({ max_recipients_per_minute: 20 });
    expect(await update({ max_recipients_per_day: 100 })).toMatchObject({
      status: 200,
      body: { account: { quota: { max_recipients_per_minute: 20, max_recipients_per_day: 100, max_octets: 50_000_000_000 } } },
    });
    expect(await quota()).toMatchObject({ max_recipients_per_minute: 20, max_recipients_per_day: 100 });
    expect(await api.auditLogs('accounts/UpdateAccount')).toMatchObject([
      { changes: [{ field: 'max_recipients_per_day', old_value: '5000', new_value: '100' }] },
      { changes: [{ field: 'max_recipients_per_minute', old_value: '500', new_value: '20' }] },
    ]);
    await update({ max_recipients_per_minute: 0 });
    expect(await quota()).toMatchObject({ max_recipients_per_minute: 500, max_recipients_per_day: 100 });
  });

  test('turns recent contacts off and on, which are on at first', async () => {
    const kept = async () => ((await api.ok('/accounts/GetAccount', { account_id }))['account'] as { keep_recent_contacts: boolean }).keep_recent_contacts;
    expect(await kept()).toBe(true);
    expect(await update({ keep_recent_contacts: false })).toMatchObject({ status: 200, body: { account: { keep_recent_contacts: false } } });
    expect(await kept()).toBe(false);
    expect(await api.auditLogs('accounts/UpdateAccount')).toMatchObject([
      { changes: [{ field: 'keep_recent_contacts', old_value: 'true', new_value: 'false' }] },
    ]);
    await update({ keep_recent_contacts: true });
    expect(await kept()).toBe(true);
  });

  test.each([-1, 1.5, 'many', 2 ** 53])('refuses the limit %j and changes nothing', async (max_octets) => {
    expect(await update({ name: 'Bob', max_octets })).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
    expect((await api.ok('/accounts/GetAccount', { account_id }))['account']).toMatchObject({ name: 'Alice', quota: deployment });
  });
});
