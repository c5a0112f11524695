import { feedbackIn } from '../../core/sending/mail-feedback.ts';
import type { adminApi } from './admin-api.ts';

type AdminApi = Awaited<ReturnType<typeof adminApi>>;

/** An admin API in which there is something for every method to be about. */
export const furnished = async (api: AdminApi) => {
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
  return { uncounted, id, pending, fresh, empty, account_id, alias_id, request_id, user_id, leaver };
};
export type Furniture = Awaited<ReturnType<typeof furnished>>;

/** What is asked of a method, with a word for what is special about it where it is asked several times. */
export type Asked = readonly [path: string, request: object, special?: string];

/** A call of every method that succeeds where they are made one after the other; those of /support and ProvideChangeRequestInfo need more and are elsewhere. */
export const callsOf = ({ id, fresh, empty, account_id, alias_id, request_id, user_id, leaver }: Furniture): readonly Asked[] => {
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
