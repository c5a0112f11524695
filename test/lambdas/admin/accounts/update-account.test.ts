import { principalsIn } from '../../../../core/directory/principals.ts';
import { memoryTable } from '../../../fakes/memory-table.ts';
import { adminApi } from '../../../support/admin-api.ts';
import { failingTable } from '../../../support/failing-table.ts';

type Api = Awaited<ReturnType<typeof adminApi>>;

const prepared = async (api: Api) => {
  const domain = (await api.ok('/domains/AddDomain', { domain: 'example.test' }))['domain'] as { id: string };
  const { account_id } = (await api.ok('/accounts/CreateAccount', { user_id: 'user_person', name: 'Alice', local_part: 'alice', domain_id: domain.id }))['account'] as { account_id: string };
  await api.ok('/accounts/PutAccountMember', { account_id, user_id: 'user_admin', role: 'READ' });
  return account_id;
};
const rename = (api: Api, account_id: string, name?: string) => api.call('/accounts/UpdateAccount', { account_id, ...(name !== undefined && { name }) });
const seenBy = async (api: Api, principalId: string) => (await principalsIn(api.directory).find({ principalId, isMachine: false }))?.memberships.map(({ accountName }) => accountName);

let api: Api;
let account_id: string;
beforeEach(async () => {
  api = await adminApi();
  account_id = await prepared(api);
});

test('an account is renamed, for each of its members too', async () => {
  expect(await rename(api, account_id, 'Bob')).toMatchObject({ status: 200, body: { account: { account_id, name: 'Bob', email: 'alice@example.test', shared: true } } });
  expect((await api.ok('/accounts/GetAccount', { account_id }))['account']).toMatchObject({ name: 'Bob' });
  for (const principal of ['user_person', 'user_admin']) expect(await seenBy(api, principal)).toEqual(['Bob']);
  expect((await api.ok('/audit/ListAuditLogs', { operation: 'accounts/UpdateAccount' }))['audit_logs']).toMatchObject([
    { entity_id: account_id, entity_name: 'Bob', changes: [{ field: 'name', old_value: 'Alice', new_value: 'Bob' }] },
  ]);
});

test('without a name nothing changes', async () => {
  expect(await rename(api, account_id)).toMatchObject({ status: 200, body: { account: { name: 'Alice' } } });
});

test('an unknown account is not_found', async () => {
  expect(await rename(api, 'acc_unknown', 'x')).toMatchObject({ status: 404, body: { message: 'there is no such account' } });
});

test('renamed by two at once while a member comes, all see the same name', async () => {
  for (let round = 0; round < 10; round++) {
    await api.call('/accounts/DeleteAccountMember', { account_id, user_id: 'user_admin' });
    const answers = await Promise.all([rename(api, account_id, 'One'), api.call('/accounts/PutAccountMember', { account_id, user_id: 'user_admin', role: 'READ' }), rename(api, account_id, 'Two')]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const { name } = (await api.ok('/accounts/GetAccount', { account_id }))['account'] as { name: string };
    for (const principal of ['user_person', 'user_admin']) expect(await seenBy(api, principal)).toEqual([name]);
  }
});

test('with more members than a transaction holds, a crash in the middle is repaired by the next call', async () => {
  const directory = failingTable(memoryTable());
  const crashing = await adminApi({ directory });
  const id = await prepared(crashing);
  const people = await Promise.all(Array.from({ length: 120 }, async (_, index) => ((await crashing.ok('/users/CreateUser', { email: `p${index}@example.test` }))['user'] as { user_id: string }).user_id));
  for (const user_id of people) await crashing.ok('/accounts/PutAccountMember', { account_id: id, user_id, role: 'READ' });
  directory.endProcessAtWrite(1);
  expect((await rename(crashing, id, 'Bob')).status).toBe(500);
  directory.recover();
  expect((await rename(crashing, id, 'Bob')).status).toBe(200);
  for (const principal of ['user_person', ...people]) expect(await seenBy(crashing, principal)).toEqual(['Bob']);
});
