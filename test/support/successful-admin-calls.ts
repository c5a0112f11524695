import type { Alias, Group } from '../../contract/admin/aliases.ts';
import type { ChangeRequest } from '../../contract/admin/change-requests.ts';
import { receivedIdOf, referenceOf, type ReceivedMessage } from '../../core/mail/delivery/received-message.ts';
import { receivedMessagesIn } from '../../core/mail/delivery/received-messages.ts';
import { mailFeedbackIn } from '../../core/sending/feedback/mail-feedback.ts';
import type { AdminApi } from './admin-api.ts';
import { createAccount, createDomain, createUser } from './admin-resources.ts';

/** Creates the resources that {@link successfulCalls} need. */
export const createResources = async (api: AdminApi) => {
  const id = await createDomain(api);
  const pending = await createDomain(api, { domain: 'pending.test' });
  const empty = await createDomain(api, { domain: 'empty.test' });
  api.emailProvider.verify('example.test');
  await api.ok('/domains/ListDomains');
  // A copy, so that a round-trip meter that watches the provider later does not measure calls of the test itself.
  const [fresh, unmeasuredEmailProvider] = [await createDomain(api, { domain: 'fresh.test' }), { ...api.emailProvider }];
  unmeasuredEmailProvider.verify('fresh.test');
  api.dnsProvider.addZone('example.test');
  for (const email of ['solo@single.test', 'other@single.test']) await api.ok('/email-identities/AddEmailIdentity', { email });
  api.senderAddresses.setStatus('solo@single.test');
  await mailFeedbackIn(api.sending).add(
    {
      id: 'f',
      type: 'BOUNCE',
      message_class: 'BULK',
      recipient: 'ann@elsewhere.test',
      identity_id: id,
      timestamp: '2026-11-21T08:38:00.000Z',
      provider_message_id: 'm',
    },
    new Date(),
  );
  const { account_id } = await createAccount(api, { domain_id: id });
  const received: ReceivedMessage = {
    sesMessageId: 'ses-1',
    at: new Date().toISOString(),
    sender: 'ann@elsewhere.test',
    size: 1,
    isJunk: false,
    verdicts: {},
    recipients: { 'alice@example.test': { n: 0, account: account_id } },
  };
  await receivedMessagesIn(api.sending).record(received);
  const { alias } = await api.ok('/aliases/CreateAlias', { account_id, local_part: 'other', domain_id: id });
  const { alias: second } = await api.ok('/aliases/CreateAlias', { account_id, local_part: 'second', domain_id: id });
  const other = await createAccount(api, { domain_id: id, local_part: 'team' });
  const { group } = await api.ok('/aliases/CreateGroup', { local_part: 'all', domain_id: id });
  const { group_id } = group as Group;
  await api.ok('/aliases/AddGroupMembers', { group_id, addresses: ['alice@example.test'] });
  const { submission_id } = await api.ok('/domains/SendTestEmail', { id, test_type: 'BOUNCE' });
  const { request } = await api.ok('/change-requests/CreateChangeRequest', {
    type: 'SES_MAX_24H_SEND_INCREASE',
    ses_sending_limit: { use_case: 'Receipts', desired_max_24h_send: 50_000 },
  });
  const [user, userToDelete] = [await createUser(api, 'bill@example.test'), await createUser(api, 'leaver@example.test')];
  return {
    unmeasuredEmailProvider,
    id,
    pending,
    fresh,
    empty,
    account_id,
    alias_id: (alias as Alias).alias_id,
    futurePrimary: (second as Alias).alias_id,
    otherAccount: other.account_id,
    group_id,
    submission_id: submission_id as string,
    received_id: receivedIdOf(referenceOf(received)),
    request_id: (request as ChangeRequest).request_id,
    user_id: user.user_id,
    userToDelete: userToDelete.user_id,
  };
};
export type Resources = Awaited<ReturnType<typeof createResources>>;

/** One call. `variant` distinguishes it from other calls of the same method. */
export type AdminCall = readonly [path: string, request: object, variant?: string];

const userCalls = ({ user_id, userToDelete, account_id }: Resources): readonly AdminCall[] => [
  ['/users/CreateUser', { email: 'bob@example.test' }],
  ['/users/GetUser', { user_id }],
  ['/users/ListUsers', {}],
  ['/users/UpdateUser', { user_id, display_name: 'x' }],
  ['/users/UpdateUser', { user_id, is_active: false }, 'sign-in is blocked'],
  ['/users/UpdateUser', { user_id, is_active: true }, 'sign-in is allowed'],
  ['/users/ResendInvitation', { user_id }],
  ['/users/ResetPassword', { user_id }],
  ['/users/ResetSecondFactor', { user_id }],
  ['/users/EndSessions', { user_id }],
  ['/users/ChangeSignInAddress', { user_id, email: 'moved@example.test' }],
  ['/users/DeleteUser', { user_id: userToDelete }],
  ['/users/RestoreUser', { user_id: userToDelete }],
  ['/users/ListUserAccounts', { user_id: 'user_person' }],
  ['/users/GetUserOverview', { user_id: 'user_person' }],
  ['/users/PutUserAccountMember', { account_id, user_id: 'user_admin', role: 'READ' }],
  ['/users/DeleteUserAccountMember', { account_id, user_id: 'user_admin' }],
];

const accountCalls = ({ id, account_id, alias_id, futurePrimary, otherAccount, group_id }: Resources): readonly AdminCall[] => [
  ['/accounts/CreateAccount', { user_id: 'user_person', name: 'n', local_part: 'c', domain_id: id }],
  ['/accounts/GetAccount', { account_id }],
  ['/accounts/ListAccounts', {}],
  ['/accounts/ListAccounts', { order_by: 'NAME', include_use: true }, 'with their use'],
  ['/accounts/FindAddress', { address: 'Other+tag@example.test' }],
  ['/accounts/FindAddress', { address: 'nobody@example.test' }, 'unknown'],
  ['/accounts/FindSimilar', { query: 'othr@example.test' }],
  ['/accounts/ListAccountMembers', { account_id }],
  ['/accounts/UpdateAccount', { account_id, name: 'x' }],
  ['/accounts/ListDestroyedEmails', { account_id }],
  ['/accounts/RestoreEmails', { account_id, email_ids: ['M1'] }],
  ['/accounts/PurgeDestroyedEmails', { account_id, name: 'x' }],
  ['/accounts/PutAccountMember', { account_id, user_id: 'user_admin', role: 'READ' }],
  ['/accounts/DeleteAccountMember', { account_id, user_id: 'user_admin' }],
  ['/aliases/ListAccountAliases', { account_id }],
  ['/aliases/ListAliases', {}],
  ['/aliases/CreateAlias', { account_id, local_part: 'b', domain_id: id }],
  ['/aliases/UpdateAlias', { alias_id, is_active: false }],
  ['/aliases/MoveAlias', { alias_id, account_id: otherAccount }],
  ['/aliases/SetPrimaryAlias', { alias_id: futurePrimary }],
  ['/aliases/DeleteAlias', { alias_id }],
  ['/aliases/CreateGroup', { local_part: 'board', domain_id: id }],
  ['/aliases/GetGroup', { group_id }],
  ['/aliases/ListGroups', {}],
  ['/aliases/ListGroupsOfMember', { member_id: account_id }],
  ['/aliases/UpdateGroup', { group_id, writers: 'MEMBERS' }],
  ['/aliases/ListGroupMembers', { group_id }],
  ['/aliases/AddGroupMembers', { group_id, addresses: ['team@example.test'] }],
  ['/aliases/RemoveGroupMembers', { group_id, member_ids: [otherAccount] }],
  ['/aliases/DeleteGroup', { group_id }],
  ['/aliases/PutCatchAll', { domain_id: id, address: 'team@example.test' }],
  ['/aliases/ListCatchAlls', {}],
  ['/aliases/DeleteCatchAll', { domain_id: id }],
  ['/aliases/PutForwarding', { account_id: otherAccount, addresses: ['ann@elsewhere.test'] }],
  ['/aliases/GetForwarding', { account_id: otherAccount }],
  ['/aliases/ListForwardings', {}],
  ['/aliases/DeleteForwarding', { account_id: otherAccount }],
];

const [to_email, test_type] = ['bob@elsewhere.test', 'NORMAL'];

const domainCalls = ({ id, fresh, empty }: Resources): readonly AdminCall[] => [
  ['/domains/SendTestEmail', { id: fresh, test_type, to_email }, 'from an unverified domain'],
  ['/domains/AddDomain', { domain: 'new.test' }],
  ['/domains/CreateDomain', { domain: 'newer.test' }],
  ['/domains/GetDomain', { id }],
  ['/domains/ListDomains', {}],
  ['/domains/UpdateDomain', { id, dmarc_policy: 'REJECT' }],
  ['/domains/UpdateDomain', { id, send_enabled: false }, 'that stops sending'],
  ['/domains/UpdateDomain', { id, send_enabled: true }, 'that begins to send'],
  ['/domains/CheckDNSProvider', { id }],
  ['/domains/GetDomainVerification', { domain_id: id }],
  ['/domains/VerifyDomain', { domain_id: id }],
  ['/domains/SendTestEmail', { id, test_type, to_email }],
  ['/domains/SendTestEmail', { from_email: 'x@example.test', test_type, to_email }, 'from an address of a domain'],
  ['/domains/SendTestEmail', { from_email: 'solo@single.test', test_type, to_email }, 'from a single address'],
  ['/domains/ApplyDomainRecords', { id }],
  ['/domains/DeleteDomainRecord', { id, record_name: 'example.test', record_type: 'TXT' }],
  ['/domains/RemoveDomain', { id: empty }],
  ['/email-identities/AddEmailIdentity', { email: 'a@else.test' }],
  ['/email-identities/ListEmailIdentities', {}],
  ['/email-identities/ResendVerificationEmail', { email: 'other@single.test' }],
  ['/email-identities/RemoveEmailIdentity', { email: 'other@single.test' }],
];

const concurrencyRequest = { type: 'LAMBDA_CONCURRENCY_INCREASE', lambda_concurrency: { desired_account_limit: 1000, reason: 'Bursts of mail' } };
const idempotentCreation = { ...concurrencyRequest, idempotency_key: 'a' };

const changeRequestCalls = ({ request_id }: Resources): readonly AdminCall[] => [
  ['/change-requests/CreateChangeRequest', idempotentCreation],
  ['/change-requests/CreateChangeRequest', concurrencyRequest, 'one is open'],
  ['/change-requests/CreateChangeRequest', idempotentCreation, 'again'],
  ['/change-requests/GetChangeRequest', { request_id }],
  ['/change-requests/ListChangeRequests', {}],
  ['/change-requests/ListChangeRequests', { status: ['ACCEPTED', 'FAILED'] }, 'filtered'],
  ['/change-requests/ListChangeRequestEvents', { request_id }],
  ['/change-requests/CancelChangeRequest', { request_id }],
];

const recipient = 'ann@elsewhere.test';

/**
 * At least one successful call of every method, to be made in this order.
 * The methods of /support and ProvideChangeRequestInfo need more preparation, so their tests call them.
 */
export const successfulCalls = (resources: Resources): readonly AdminCall[] => [
  ['/status/Ping', {}],
  ['/status/GetCaller', {}],
  ['/status/GetStatus', {}],
  ['/status/ListProblems', {}],
  ['/status/SubscribeToProblems', { subscribed: true }],
  ...userCalls(resources),
  ...accountCalls(resources),
  ['/audit/ListAuditLogs', {}],
  ['/audit/ListAuditLogs', { operation: 'users/' }, 'filtered'],
  ['/audit/ListOperations', {}],
  ['/audit/ListActors', { actor_type: 'USER' }],
  ...domainCalls(resources),
  ...changeRequestCalls(resources),
  ['/setup/GetReadiness', {}],
  ['/setup/GetSetupTestStatus', { submission_id: resources.submission_id }],
  ['/setup/DismissWelcome', { dismissed: true }],
  ['/monitoring/GetOverview', {}],
  ['/monitoring/GetMetricSeries', {}],
  ['/monitoring/ListQueues', {}],
  ['/monitoring/ListDeadLetters', { queue: 'InboundMail/Waiting' }],
  ['/monitoring/RetryDeadLetters', { queue: 'InboundMail/Waiting' }],
  ['/monitoring/ReturnDeadLetters', { queue: 'InboundMail/Waiting' }],
  ['/monitoring/DropDeadLetters', { queue: 'InboundMail/Waiting', confirm_queue: 'InboundMail/Waiting' }],
  ['/monitoring/ListRecentErrors', {}],
  ['/monitoring/GetLogContext', { center_timestamp: new Date().toISOString(), log_group: '/aws/lambda/Postrider-deliver' }],
  ['/mail-feedback/ListRecentFeedback', {}],
  ['/mail-feedback/ListFeedbackByIdentity', { identity_id: resources.id }],
  ['/mail-feedback/ListFeedbackByRecipient', { recipient }],
  ['/mail-feedback/ListSentMessages', { address: recipient }, 'by address'],
  ['/mail-feedback/ListSentMessages', { submission_id: resources.submission_id }],
  ['/mail-feedback/ListReceivedMessages', {}],
  ['/mail-feedback/ListReceivedMessages', { address: recipient, domain: 'example.test', message_id: 'x', subject_contains: 'x', outcome: 'JUNK' }, 'filtered'],
  ['/mail-feedback/GetReceivedMessage', { received_id: resources.received_id }],
  ['/suppression/GetSuppression', { recipient }],
  ['/suppression/ListSuppressions', {}],
  ['/suppression/ClearBounceSuppression', { recipient }],
  ['/suppression/ClearComplaintSuppression', { recipient, message_class: 'BULK' }],
  ['/accounts/DeleteAccount', { account_id: resources.account_id }],
  ['/accounts/ListAccountRemovals', {}],
  ['/accounts/RestoreAccount', { account_id: resources.account_id }],
  ['/accounts/DeleteAccount', { account_id: resources.account_id }],
  ['/accounts/RemoveAccountNow', { account_id: resources.account_id, name: 'x' }],
];
