import { newId } from '../../lambdas/platform/ids.ts';
import { changeRequestsIn } from '../../lambdas/store/directory/change-requests.ts';
import { feedbackIn } from '../../lambdas/store/sending/mail-feedback.ts';
import { memoryTable } from '../fakes/memory-table.ts';
import { adminApi, everyMethod } from '../support/admin-api.ts';
import { tripsMeter } from '../support/trips-table.ts';

/** What is asked of every method, where one call stands for several by its request, with a word for what is special about it. */
type Asked = readonly [path: string, request: object, special?: string];

/** An admin API whose every call to AWS is counted: tables and providers alike. */
const prepared = async () => {
  const meter = tripsMeter();
  const api = await adminApi({ directory: meter.table(memoryTable()), mail: meter.table(memoryTable()), sending: meter.table(memoryTable()) });
  const domainNamed = async (domain: string) => ((await api.ok('/domains/AddDomain', { domain }))['domain'] as { id: string }).id;
  const person = async (name: string) => ((await api.ok('/users/CreateUser', { email: `${name}@example.test` }))['user'] as { user_id: string }).user_id;
  const id = await domainNamed('example.test');
  const pending = await domainNamed('pending.test');
  const empty = await domainNamed('empty.test');
  api.emailProvider.verify('example.test');
  await api.ok('/domains/ListDomains');
  const [fresh, uncounted] = [await domainNamed('fresh.test'), { ...api.emailProvider }];
  uncounted.verify('fresh.test');
  api.dnsProvider.addZone('example.test');
  for (const email of ['solo@single.test', 'other@single.test']) await api.ok('/email-identities/AddEmailIdentity', { email });
  api.senderAddresses.settle('solo@single.test');
  await feedbackIn(api.sending).keep({ id: 'f', type: 'BOUNCE', message_class: 'BULK', recipient: 'ann@elsewhere.test', identity_id: id, timestamp: '2026-11-21T08:38:00.000Z', provider_message_id: 'm' }, new Date());
  const { account_id } = (await api.ok('/accounts/CreateAccount', { user_id: 'user_person', name: 'n', local_part: 'a', domain_id: id }))['account'] as { account_id: string };
  const { alias_id } = (await api.ok('/aliases/CreateAlias', { account_id, local_part: 'other', domain_id: id }))['alias'] as { alias_id: string };
  const { request_id } = (await api.ok('/change-requests/CreateChangeRequest', { type: 'SES_MAX_24H_SEND_INCREASE' }))['request'] as { request_id: string };
  const [user_id, leaver] = [await person('alice'), await person('leaver')];
  for (const port of [api.emailProvider, api.dnsProvider, api.senderAddresses, api.submitQueue, api.removalQueue, api.metrics, api.logs, api.concurrency]) meter.watch(port);
  // Somebody else at Route 53, and no call of ours.
  api.dnsProvider.beforeChange = () => undefined;
  // Cognito disables and signs out by two calls, of which the second must come after the first.
  meter.watch(api.identityProvider, { block: 2 });
  /** Calls in series that a warm call of a method waits for, the gate's question included. */
  const trips = async (path: string, request: object) => {
    const before = meter.trips.count;
    await api.ok(path, request);
    return meter.trips.count - before;
  };
  return { api, trips, uncounted, id, pending, fresh, empty, account_id, alias_id, request_id, user_id, leaver };
};

const callsOf = ({ id, fresh, empty, account_id, alias_id, request_id, user_id, leaver }: Awaited<ReturnType<typeof prepared>>): readonly Asked[] => {
  const member = { account_id, user_id: 'user_admin' };
  const [recipient, to_email, test_type] = ['ann@elsewhere.test', 'bob@elsewhere.test', 'NORMAL'];
  const [since, key] = [{ center_timestamp: new Date().toISOString(), log_group: '/aws/lambda/Postrider-deliver' }, { type: 'LAMBDA_CONCURRENCY_INCREASE', idempotency_key: 'a' }];
  return [
    ['/status/Ping', {}], ['/status/GetStatus', {}],
    ['/users/CreateUser', { email: 'bob@example.test' }], ['/users/GetUser', { user_id }], ['/users/ListUsers', {}], ['/users/UpdateUser', { user_id, display_name: 'x' }],
    ['/users/UpdateUser', { user_id, is_active: false }, 'sign-in is blocked'], ['/users/UpdateUser', { user_id, is_active: true }, 'sign-in is allowed'], ['/users/DeleteUser', { user_id: leaver }],
    ['/users/ListUserAccounts', { user_id: 'user_person' }], ['/users/GetUserOverview', { user_id: 'user_person' }],
    ['/users/PutUserAccountMember', { ...member, role: 'READ' }], ['/users/DeleteUserAccountMember', member],
    ['/accounts/CreateAccount', { user_id: 'user_person', name: 'n', local_part: 'c', domain_id: id }], ['/accounts/GetAccount', { account_id }], ['/accounts/ListAccounts', {}],
    ['/accounts/ListAccountMembers', { account_id }], ['/accounts/UpdateAccount', { account_id, name: 'x' }], ['/accounts/PutAccountMember', { ...member, role: 'READ' }],
    ['/accounts/DeleteAccountMember', member],
    ['/aliases/ListAccountAliases', { account_id }], ['/aliases/CreateAlias', { account_id, local_part: 'b', domain_id: id }], ['/aliases/UpdateAlias', { alias_id, is_active: false }],
    ['/aliases/DeleteAlias', { alias_id }],
    ['/audit/ListAuditLogs', {}], ['/audit/ListAuditLogs', { operation: 'users/' }, 'filtered'], ['/audit/ListOperations', {}], ['/audit/ListActors', { actor_type: 'USER' }],
    ['/domains/SendTestEmail', { id: fresh, test_type, to_email }, 'from a domain that has not settled'],
    ['/domains/AddDomain', { domain: 'new.test' }], ['/domains/CreateDomain', { domain: 'newer.test' }], ['/domains/GetDomain', { id }], ['/domains/ListDomains', {}],
    ['/domains/UpdateDomain', { id, dmarc_policy: 'REJECT' }], ['/domains/CheckDNSProvider', { id }], ['/domains/GetDomainVerification', { domain_id: id }], ['/domains/VerifyDomain', { domain_id: id }],
    ['/domains/SendTestEmail', { id, test_type, to_email }], ['/domains/SendTestEmail', { from_email: 'x@example.test', test_type, to_email }, 'from an address of a domain'],
    ['/domains/SendTestEmail', { from_email: 'solo@single.test', test_type, to_email }, 'from a single address'],
    ['/domains/ApplyDomainRecords', { id }], ['/domains/DeleteDomainRecord', { id, record_name: 'example.test', record_type: 'TXT' }], ['/domains/RemoveDomain', { id: empty }],
    ['/email-identities/AddEmailIdentity', { email: 'a@else.test' }], ['/email-identities/ListEmailIdentities', {}], ['/email-identities/ResendVerificationEmail', { email: 'other@single.test' }],
    ['/email-identities/RemoveEmailIdentity', { email: 'other@single.test' }],
    ['/change-requests/CreateChangeRequest', key], ['/change-requests/CreateChangeRequest', { type: 'LAMBDA_CONCURRENCY_INCREASE' }, 'one is open'], ['/change-requests/CreateChangeRequest', key, 'again'],
    ['/change-requests/GetChangeRequest', { request_id }], ['/change-requests/ListChangeRequests', {}], ['/change-requests/ListChangeRequests', { status: ['ACCEPTED', 'FAILED'] }, 'filtered'],
    ['/change-requests/ListChangeRequestEvents', { request_id }], ['/change-requests/CancelChangeRequest', { request_id }],
    ['/setup/GetReadiness', {}], ['/setup/DismissWelcome', { dismissed: true }],
    ['/monitoring/GetOverview', {}], ['/monitoring/ListRecentErrors', {}], ['/monitoring/GetLogContext', since],
    ['/mail-feedback/ListRecentFeedback', {}], ['/mail-feedback/ListFeedbackByIdentity', { identity_id: id }], ['/mail-feedback/ListFeedbackByRecipient', { recipient }],
    ['/suppression/GetSuppression', { recipient }], ['/suppression/ListSuppressions', {}], ['/suppression/ClearBounceSuppression', { recipient }],
    ['/suppression/ClearComplaintSuppression', { recipient, message_class: 'BULK' }],
    ['/accounts/DeleteAccount', { account_id }],
  ];
};

/** What waits for more, and which calls of a provider force it. */
const forced: { readonly [call: string]: readonly [trips: number, why: string] } = {
  '/users/UpdateUser (sign-in is blocked)': [5, 'Cognito: AdminDisableUser, then AdminUserGlobalSignOut, between the directory that must know first and how it ended'],
  '/users/UpdateUser (sign-in is allowed)': [4, 'Cognito: AdminEnableUser, between the directory that must know first and how it ended'],
  '/users/DeleteUser': [5, 'Cognito: AdminDisableUser, then AdminUserGlobalSignOut, between the directory that must know first and how it ended'],
  '/accounts/DeleteAccount': [4, 'SQS: SendMessage, after the account is closed for everybody and before the entry says that its removal is on its way'],
  '/domains/AddDomain': [4, 'SES: CreateEmailIdentity, then PutEmailIdentityMailFromAttributes, which wants an identity; then the domain is known'],
  '/domains/CreateDomain': [4, 'SES: another name of AddDomain'],
  '/domains/RemoveDomain': [4, 'SES: DeleteEmailIdentity, between the mark that keeps others from making addresses and the end'],
  '/domains/SendTestEmail (from a domain that has not settled)': [4, 'SES: GetEmailIdentity, since it alone knows whether the domain is verified by now'],
  '/domains/SendTestEmail (from a single address)': [4, 'SES: GetEmailIdentity, since it alone knows whether an address is verified'],
  '/domains/ApplyDomainRecords': [6, 'Route 53: ListHostedZones, ListResourceRecordSets, ChangeResourceRecordSets; what is about to be written is remembered before the last, and how it went after'],
  '/domains/DeleteDomainRecord': [5, 'Route 53: ListHostedZones, ListResourceRecordSets, ChangeResourceRecordSets; then it is forgotten'],
  '/email-identities/ResendVerificationEmail': [5, 'SES: GetEmailIdentity, DeleteEmailIdentity, CreateEmailIdentity, since it has no resend; then how it ended'],
  '/email-identities/RemoveEmailIdentity': [4, 'SES: DeleteEmailIdentity, between the entry that it is begun and the end'],
};

test('every method waits for at most three calls to AWS one after the other, but for those listed, where a provider forces more', async () => {
  const ready = await prepared();
  const counted: { [call: string]: number } = {};
  for (const [path, request, special] of callsOf(ready)) counted[special ? `${path} (${special})` : path] = await ready.trips(path, request);
  expect(Object.fromEntries(Object.entries(counted).filter(([, count]) => count > 3))).toEqual(Object.fromEntries(Object.entries(forced).map(([call, [trips]]) => [call, trips])));
  expect(counted).toMatchObject({
    '/status/Ping': 1, '/users/GetUser': 2, '/users/CreateUser': 3, '/accounts/CreateAccount': 2, '/accounts/PutAccountMember': 3, '/audit/ListAuditLogs': 2, '/domains/GetDomain': 2,
    '/domains/SendTestEmail': 3, '/suppression/GetSuppression': 1, '/suppression/ClearBounceSuppression': 2,
  });
  // The calls of /support are counted in a file of their own; more information can be given to a request that waits for it only.
  const elsewhere = everyMethod.filter(({ service }) => service.name === 'support').map(({ path }) => path);
  const measured = Object.keys(counted).map((call) => call.split(' ')[0]);
  expect(everyMethod.map(({ path }) => path).filter((path) => !elsewhere.includes(path) && !measured.includes(path))).toEqual(['/change-requests/ProvideChangeRequestInfo']);
});

test('a domain that is not settled is asked about at SES, whose answer is kept', async () => {
  const { trips, uncounted, id, pending } = await prepared();
  expect(await trips('/domains/GetDomain', { id: pending })).toBe(2);
  uncounted.verify('pending.test');
  expect(await trips('/domains/GetDomain', { id: pending })).toBe(3);
  expect(await trips('/domains/UpdateDomain', { id: pending, dmarc_policy: 'REJECT' })).toBe(2);
  uncounted.verify('empty.test');
  expect(await trips('/domains/ListDomains', {})).toBe(3);
  expect(await trips('/domains/UpdateDomain', { id, dmarc_policy: 'REJECT' })).toBe(2);
});

test('more information for a change request', async () => {
  const { api, trips, request_id } = await prepared();
  const requests = changeRequestsIn(api.directory, { newId, clock: () => new Date() });
  expect(await requests.move((await requests.find(request_id))!, 'needs-information', {})).toBeDefined();
  expect(await trips('/change-requests/ProvideChangeRequestInfo', { request_id, comment: { text: 'x' } })).toBe(3);
});

test('an address that was registered elsewhere is met by a list: it is kept from then on', async () => {
  const { api, trips } = await prepared();
  await api.senderAddresses.register('elsewhere@single.test');
  // SES names the addresses, so that what is kept of them can be looked up only then.
  expect(await trips('/email-identities/ListEmailIdentities', {})).toBe(4);
  expect(await trips('/email-identities/ListEmailIdentities', {})).toBe(3);
  const page_size = 1;
  const { next_page_token: page_token } = await api.ok('/email-identities/ListEmailIdentities', { page_size });
  expect(await trips('/email-identities/ListEmailIdentities', { page_size, page_token })).toBe(3);
});
