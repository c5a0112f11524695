import { memoryTable } from '../fakes/memory-table.ts';
import { adminApi } from '../support/admin-api.ts';
import { tripsTable } from '../support/trips-table.ts';

const prepared = async () => {
  const directory = tripsTable(memoryTable());
  const api = await adminApi({ directory });
  const { id } = (await api.ok('/domains/AddDomain', { domain: 'example.test' }))['domain'] as { id: string };
  const { account_id } = (await api.ok('/accounts/CreateAccount', { user_id: 'user_person', name: 'n', local_part: 'a', domain_id: id }))['account'] as { account_id: string };
  const { alias_id } = (await api.ok('/aliases/CreateAlias', { account_id, local_part: 'other', domain_id: id }))['alias'] as { alias_id: string };
  const { user_id } = (await api.ok('/users/CreateUser', { email: 'alice@example.test' }))['user'] as { user_id: string };
  /** Trips to the directory that a warm call waits for, the gate's question included. */
  const trips = async (path: string, request: object) => {
    const before = directory.trips.count;
    await api.ok(path, request);
    return directory.trips.count - before;
  };
  return { api, trips, id, account_id, alias_id, user_id };
};

test('every method makes at most three trips to the directory, but for those listed below', async () => {
  const { api, trips, id, account_id, alias_id, user_id } = await prepared();
  const { request_id: change_request_id } = (await api.ok('/change-requests/CreateChangeRequest', { type: 'SES_MAX_24H_SEND_INCREASE' }))['request'] as { request_id: string };
  const member = { account_id, user_id: 'user_admin' };
  const counted: { [path: string]: number } = {};
  for (const [path, request] of [
    ['/status/Ping', {}], ['/status/GetStatus', {}], ['/users/GetUser', { user_id }], ['/users/ListUsers', {}],
    ['/users/UpdateUser', { user_id, display_name: 'x' }], ['/users/ListUserAccounts', { user_id: 'user_person' }], ['/users/GetUserOverview', { user_id: 'user_person' }],
    ['/users/PutUserAccountMember', { ...member, role: 'READ' }], ['/users/DeleteUserAccountMember', member],
    ['/accounts/GetAccount', { account_id }], ['/accounts/ListAccounts', {}], ['/accounts/ListAccountMembers', { account_id }], ['/accounts/UpdateAccount', { account_id, name: 'x' }],
    ['/accounts/PutAccountMember', { ...member, role: 'READ' }], ['/accounts/DeleteAccountMember', member],
    ['/aliases/ListAccountAliases', { account_id }], ['/aliases/CreateAlias', { account_id, local_part: 'b', domain_id: id }],
    ['/aliases/UpdateAlias', { alias_id, is_active: false }], ['/aliases/DeleteAlias', { alias_id }],
    ['/audit/ListAuditLogs', {}], ['/audit/ListOperations', {}], ['/audit/ListActors', { actor_type: 'USER' }],
    ['/domains/GetDomain', { id }], ['/domains/UpdateDomain', { id, dmarc_policy: 'REJECT' }], ['/domains/CheckDNSProvider', { id }],
    ['/email-identities/AddEmailIdentity', { email: 'a@else.test' }], ['/email-identities/ListEmailIdentities', {}],
    ['/change-requests/CreateChangeRequest', { type: 'LAMBDA_CONCURRENCY_INCREASE', idempotency_key: 'a' }], ['/change-requests/CreateChangeRequest', { type: 'LAMBDA_CONCURRENCY_INCREASE' }],
    ['/change-requests/CreateChangeRequest', { type: 'LAMBDA_CONCURRENCY_INCREASE', idempotency_key: 'a' }], ['/change-requests/GetChangeRequest', { request_id: change_request_id }],
    ['/change-requests/ListChangeRequests', {}], ['/change-requests/ListChangeRequests', { status: ['ACCEPTED', 'FAILED'] }],
    ['/change-requests/ListChangeRequestEvents', { request_id: change_request_id }], ['/change-requests/CancelChangeRequest', { request_id: change_request_id }],
    ['/setup/GetReadiness', {}], ['/setup/DismissWelcome', { dismissed: true }],
  ] as const) counted[path] = await trips(path, request);
  expect(Object.entries(counted).filter(([, count]) => count > 3)).toEqual([]);
  expect(counted).toMatchObject({ '/status/Ping': 1, '/users/GetUser': 2, '/users/ListUsers': 2, '/accounts/PutAccountMember': 3, '/audit/ListAuditLogs': 2 });
});

test('what a provider has a part in is written down before it and after it', async () => {
  const { api, trips, id, account_id, user_id } = await prepared();
  await api.ok('/email-identities/AddEmailIdentity', { email: 'a@else.test' });
  // The address is taken, and the person, the account or the domain is completed after the provider or the mail store has made theirs.
  expect(await trips('/users/CreateUser', { email: 'bob@example.test' })).toBe(3);
  expect(await trips('/domains/AddDomain', { domain: 'other.test' })).toBe(3);
  expect(await trips('/accounts/CreateAccount', { user_id: 'user_person', name: 'n', local_part: 'c', domain_id: id })).toBe(4);
  // The first look, the mark that keeps others from making addresses, a second look, the end.
  const { id: removed } = (await api.ok('/domains/AddDomain', { domain: 'removed.test' }))['domain'] as { id: string };
  expect(await trips('/domains/RemoveDomain', { id: removed })).toBe(6);
  // What is about to be written is remembered before, and how it went after.
  api.dnsProvider.addZone('example.test');
  expect(await trips('/domains/ApplyDomainRecords', { id })).toBe(7);
  expect(await trips('/domains/DeleteDomainRecord', { id, record_name: 'example.test', record_type: 'TXT' })).toBe(8);
  expect(await trips('/email-identities/ResendVerificationEmail', { email: 'a@else.test' })).toBe(4);
  expect(await trips('/email-identities/RemoveEmailIdentity', { email: 'a@else.test' })).toBe(5);
  // The identity provider is told, then that it knows, then how it ended.
  expect(await trips('/users/UpdateUser', { user_id, is_active: false })).toBe(5);
  expect(await trips('/users/DeleteUser', { user_id })).toBe(3);
  // How it ended is kept when the account is in the queue.
  expect(await trips('/accounts/DeleteAccount', { account_id })).toBe(4);
});
