import { newId } from '../../../core/runtime/ids.ts';
import { changeRequestsIn } from '../../../core/directory/change-requests.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { adminApi, everyMethod } from '../../support/admin-api.ts';
import { callsOf, furnished } from '../../support/every-call.ts';
import { tripsMeter } from '../../support/trips-table.ts';

/** An admin API whose every call to AWS is counted: tables and providers alike. */
const prepared = async () => {
  const meter = tripsMeter();
  const api = await adminApi({ directory: meter.table(memoryTable()), mail: meter.table(memoryTable()), sending: meter.table(memoryTable()) });
  const furniture = await furnished(api);
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
  return { ...furniture, api, trips };
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
