import { adminApi } from '../support/admin-api.ts';
import { failingTable } from '../support/failing-table.ts';
import { memoryTable } from '../fakes/memory-table.ts';

/** What a warm call asks DynamoDB, the gate's question included; even one after the other, that is three trips at most. */
test('every method that answers now makes at most three calls to the directory, but for those that make something', async () => {
  const directory = failingTable(memoryTable());
  const api = await adminApi({ directory });
  const { id } = (await api.ok('/domains/AddDomain', { domain: 'example.test' }))['domain'] as { id: string };
  const { account_id } = (await api.ok('/accounts/CreateAccount', { user_id: 'user_person', name: 'n', local_part: 'a', domain_id: id }))['account'] as { account_id: string };
  const member = { account_id, user_id: 'user_admin' };
  const counted: { [path: string]: number } = {};
  for (const [path, request] of [
    ['/status/Ping', {}], ['/status/GetStatus', {}], ['/users/GetUser', { user_id: 'user_person' }], ['/users/ListUsers', {}],
    ['/accounts/GetAccount', { account_id }], ['/accounts/ListAccounts', {}], ['/accounts/ListAccountMembers', { account_id }],
    ['/accounts/PutAccountMember', { ...member, role: 'READ' }], ['/accounts/DeleteAccountMember', member], ['/domains/GetDomain', { id }],
  ] as const) {
    const before = directory.calls.reads + directory.calls.writes;
    await api.ok(path, request);
    counted[path] = directory.calls.reads + directory.calls.writes - before;
  }
  expect(Object.entries(counted).filter(([, calls]) => calls > 3)).toEqual([]);
  expect(counted).toMatchObject({ '/status/Ping': 1, '/users/GetUser': 2, '/users/ListUsers': 2, '/accounts/PutAccountMember': 3 });
});
