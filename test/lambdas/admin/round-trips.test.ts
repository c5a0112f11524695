import { changeRequestsIn } from '../../../core/directory/change-requests/change-requests.ts';
import { newId } from '../../../core/runtime/ids.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { adminApi, everyMethod } from '../../support/admin-api.ts';
import { roundTripMeter } from '../../support/round-trip-meter.ts';
import { createResources, successfulCalls } from '../../support/successful-admin-calls.ts';

/** An admin API with resources, whose calls to tables and providers are all measured. */
const measuredApi = async () => {
  const meter = roundTripMeter();
  const [directory, mail, sending] = [memoryTable(), memoryTable(), memoryTable()].map(meter.table);
  const api = await adminApi({ directory, mail, sending });
  const resources = await createResources(api);
  const ports = [
    api.emailProvider,
    api.dnsProvider,
    api.senderAddresses,
    api.submitQueue,
    api.inboundQueue,
    api.removalQueue,
    api.metrics,
    api.logs,
    api.queueDepths,
    api.deadLetters,
    api.concurrency,
  ];
  for (const port of ports) meter.watch(port);
  // This hook simulates another writer at Route 53, so it does not count as one of our calls.
  api.dnsProvider.beforeChange = () => undefined;
  // Each is several calls to Cognito in series: disable and sign out; with a change of the address; a change of the address, and enable.
  meter.watch(api.identityProvider, { block: 2, release: 3, reinstate: 2 });
  /** Sequential round trips of a warm call, including the gate's read of the user. */
  const roundTrips = async (path: string, request: object) => {
    const before = meter.roundTrips.count;
    await api.ok(path, request);
    return meter.roundTrips.count - before;
  };
  return { ...resources, api, roundTrips };
};

/** The calls that need more than three round trips, with the provider calls that require them. */
const exceptions: { readonly [call: string]: readonly [roundTrips: number, why: string] } = {
  '/users/UpdateUser (sign-in is blocked)': [5, 'Cognito: AdminDisableUser, then AdminUserGlobalSignOut, after the first directory write and before the last'],
  '/users/UpdateUser (sign-in is allowed)': [5, 'Cognito: AdminUpdateUserAttributes, then AdminEnableUser, between two writes'],
  '/users/DeleteUser': [
    7,
    'Cognito: AdminDisableUser, AdminUserGlobalSignOut, AdminUpdateUserAttributes, between two writes; the accounts that remain are read before',
  ],
  '/users/ResendInvitation': [4, 'Cognito: AdminCreateUser, after the audit entry is begun and before it is concluded'],
  '/users/ResetPassword': [5, 'Cognito: AdminSetUserPassword, then AdminUserGlobalSignOut, after the audit entry is begun and before it is concluded'],
  '/users/ResetSecondFactor': [5, 'Cognito: AdminDeleteSoftwareToken, then AdminUserGlobalSignOut, after the audit entry is begun and before it is concluded'],
  '/users/EndSessions': [4, 'Cognito: AdminUserGlobalSignOut, after the audit entry is begun and before it is concluded'],
  '/users/ChangeSignInAddress': [
    5,
    "Cognito: AdminUpdateUserAttributes, then AdminUserGlobalSignOut, after the address is reserved and before it is the user's",
  ],
  '/accounts/ListAccounts (with their use)': [4, 'DynamoDB: entries, accounts, members, users'],
  '/accounts/CreateAccount': [4, 'DynamoDB: the count of sign-in addresses with a detail, then these, before the write that checks the count'],
  '/aliases/CreateAlias': [4, 'the same as CreateAccount'],
  '/aliases/MoveAlias': [4, 'the same as CreateAccount'],
  '/aliases/CreateGroup': [4, 'the same as CreateAccount'],
  '/aliases/AddGroupMembers': [4, 'DynamoDB: addresses, the group with its members, the write, the names of the members'],
  '/aliases/PutCatchAll': [4, 'DynamoDB: the address, the domain, the write, the name of the receiver'],
  '/aliases/PutForwarding': [5, 'DynamoDB: addresses, the right to send, the forwarding, the write; then SQS: SendMessage'],
  '/aliases/DeleteGroup': [
    8,
    'DynamoDB: group, write, memberships, members in a loop of a read and a write, and the group, so that an interrupted call is completed',
  ],
  '/accounts/DeleteAccount': [4, 'SQS: SendMessage, after the account is closed and before the audit entry is concluded'],
  '/accounts/RestoreAccount': [
    15,
    'DynamoDB: the claim, addresses, members in a loop, and the account, each a read and a write, so that an interrupted call is completed; each address one more write',
  ],
  '/accounts/RemoveAccountNow': [5, 'SQS: SendMessage, after the end is stored and before the audit entry is concluded'],
  '/accounts/RestoreEmails': [7, 'DynamoDB: the audit entry is begun; account, Emails and each commit are read and written; then it is concluded'],
  '/accounts/PurgeDestroyedEmails': [4, 'DynamoDB: the audit entry is begun, the lists of Emails are read, the audit entry is concluded'],
  '/monitoring/RetryDeadLetters': [4, 'SQS: ReceiveMessage, after the audit entry is begun and before it is concluded; each batch takes three more'],
  '/monitoring/ReturnDeadLetters': [4, 'the same as RetryDeadLetters'],
  '/monitoring/DropDeadLetters': [4, 'the same as RetryDeadLetters'],
  '/users/RestoreUser': [6, 'DynamoDB: user, then who has the address. Cognito: AdminUpdateUserAttributes, AdminEnableUser, between two writes'],
  '/domains/AddDomain': [4, 'SES: CreateEmailIdentity, then PutEmailIdentityMailFromAttributes; then the domain is stored'],
  '/domains/CreateDomain': [4, 'SES: the same as AddDomain'],
  '/domains/RemoveDomain': [4, 'SES: DeleteEmailIdentity, after the domain is marked as being removed and before it is deleted'],
  '/domains/SendTestEmail (from an unverified domain)': [4, 'SES: GetEmailIdentity, for the current verification status of the domain'],
  '/domains/SendTestEmail (from a single address)': [4, 'SES: GetEmailIdentity, for the verification status of the address'],
  '/domains/ApplyDomainRecords': [
    6,
    'Route 53: ListHostedZones, ListResourceRecordSets, ChangeResourceRecordSets; one write before the last call, one after it',
  ],
  '/domains/DeleteDomainRecord': [5, 'Route 53: ListHostedZones, ListResourceRecordSets, ChangeResourceRecordSets; then the stored record is deleted'],
  '/email-identities/ResendVerificationEmail': [
    5,
    'SES: GetEmailIdentity, DeleteEmailIdentity, CreateEmailIdentity, since SES has no resend; then the audit entry',
  ],
  '/email-identities/RemoveEmailIdentity': [4, 'SES: DeleteEmailIdentity, after the audit entry is begun and before it is concluded'],
};

test('every method makes at most three sequential round trips to AWS, except for the calls listed above', async () => {
  const api = await measuredApi();
  const counted: { [call: string]: number } = {};
  for (const [path, request, variant] of successfulCalls(api)) {
    counted[variant ? `${path} (${variant})` : path] = await api.roundTrips(path, request);
  }
  const moreThanThree = Object.fromEntries(Object.entries(counted).filter(([, count]) => count > 3));
  expect(moreThanThree).toEqual(Object.fromEntries(Object.entries(exceptions).map(([call, [roundTrips]]) => [call, roundTrips])));
  expect(counted).toMatchObject({
    '/status/Ping': 1,
    '/users/GetUser': 2,
    '/users/CreateUser': 3,
    '/accounts/PutAccountMember': 3,
    '/audit/ListAuditLogs': 2,
    '/domains/GetDomain': 2,
    '/domains/SendTestEmail': 3,
    '/domains/UpdateDomain': 2,
    '/domains/UpdateDomain (that stops sending)': 3,
    '/domains/UpdateDomain (that begins to send)': 3,
    '/aliases/UpdateAlias': 3,
    '/aliases/DeleteAlias': 3,
    '/suppression/GetSuppression': 1,
    '/suppression/ClearBounceSuppression': 2,
  });
  // support-round-trips.test.ts measures /support; ProvideChangeRequestInfo needs a request in ACTION_REQUIRED and has its own test below.
  const elsewhere = everyMethod.filter(({ service }) => service.name === 'support').map(({ path }) => path);
  const measured = Object.keys(counted).map((call) => call.split(' ')[0]);
  const unmeasured = everyMethod.map(({ path }) => path).filter((path) => !elsewhere.includes(path) && !measured.includes(path));
  expect(unmeasured).toEqual(['/change-requests/ProvideChangeRequestInfo']);
});

test('the status of an unverified domain is read from SES and then stored', async () => {
  const { roundTrips, unmeasuredEmailProvider, id, pending } = await measuredApi();
  expect(await roundTrips('/domains/GetDomain', { id: pending })).toBe(2);
  unmeasuredEmailProvider.verify('pending.test');
  expect(await roundTrips('/domains/GetDomain', { id: pending })).toBe(3);
  expect(await roundTrips('/domains/UpdateDomain', { id: pending, dmarc_policy: 'REJECT' })).toBe(2);
  unmeasuredEmailProvider.verify('empty.test');
  expect(await roundTrips('/domains/ListDomains', {})).toBe(3);
  expect(await roundTrips('/domains/UpdateDomain', { id, dmarc_policy: 'REJECT' })).toBe(2);
});

test('ProvideChangeRequestInfo makes three round trips', async () => {
  const { api, roundTrips, request_id } = await measuredApi();
  const requests = changeRequestsIn(api.directory, { newId, clock: () => new Date() });
  expect(await requests.transition((await requests.find(request_id))!, 'needs-information', {})).toBeDefined();
  expect(await roundTrips('/change-requests/ProvideChangeRequestInfo', { request_id, comment: { text: 'x' } })).toBe(3);
});

test('ListEmailIdentities makes one more round trip for an address that was registered outside Postrider, once', async () => {
  const { api, roundTrips } = await measuredApi();
  await api.senderAddresses.register('elsewhere@single.test');
  // The records can be read only after SES has listed the addresses.
  expect(await roundTrips('/email-identities/ListEmailIdentities', {})).toBe(4);
  expect(await roundTrips('/email-identities/ListEmailIdentities', {})).toBe(3);
  const page_size = 1;
  const { next_page_token: page_token } = await api.ok('/email-identities/ListEmailIdentities', { page_size });
  expect(await roundTrips('/email-identities/ListEmailIdentities', { page_size, page_token })).toBe(3);
});
