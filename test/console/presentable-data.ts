import { setTimeout as delay } from 'node:timers/promises';
import { CreateHostedZoneCommand, ListHostedZonesByNameCommand, Route53Client } from '@aws-sdk/client-route-53';
import { AdminApiError, createAdminClient, type AdminClient } from '../../contract/client.ts';
import { scopes } from '../../contract/oauth/oauth.ts';
import { plainMessage, sendRawWhenAccepted } from '../../sandbox/clients/smtp-client.ts';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { clientToken } from '../../sandbox/deployment/client-credentials.ts';
import type { SandboxDescription } from '../../sandbox/state/sandbox-description.ts';

/** The people in the screenshots, with their accounts. */
const people = [
  ['Maria Rossi', 'maria'],
  ['Tom Taylor', 'tom'],
  ['Jun Tanaka', 'jun'],
  ['Amina Diallo', 'amina'],
  ['Support team', 'support'],
] as const;

const domainName = 'harbour-books.example';

/** Received mail: sender and subject. */
const arriving = [
  ['orders@printer.example', 'Your order has shipped'],
  ['newsletter@bookfair.example', 'The programme of the spring fair'],
  ['li.wei@reader.example', 'Do you have the second edition?'],
  ['accounts@paper-mill.example', 'Invoice 2041'],
] as const;

/** Maximum milliseconds until a new domain is verified and its addresses accept mail. */
const patience = 60_000;

/** Creates an object unless it exists. */
const unlessThere = async (make: () => Promise<unknown>): Promise<void> => {
  try {
    await make();
  } catch (error) {
    if (!(error instanceof AdminApiError) || error.code !== 'already_exists') throw error;
  }
};

/** A domain whose hosted zone has its records, and which SES has verified. @returns its id. */
const liveDomain = async (admin: AdminClient, sandbox: SandboxDescription): Promise<string> => {
  const route53 = new Route53Client(awsClientConfig(sandbox));
  try {
    const { HostedZones: zones = [] } = await route53.send(new ListHostedZonesByNameCommand({ DNSName: domainName }));
    if (!zones.some(({ Name: name }) => name === `${domainName}.`)) {
      await route53.send(new CreateHostedZoneCommand({ Name: domainName, CallerReference: domainName }));
    }
  } finally {
    route53.destroy();
  }
  await unlessThere(() => admin.domains.AddDomain({ domain: domainName, receive_enabled: true }));
  const { domains } = await admin.domains.ListDomains({ page_size: 100 });
  const { id } = domains.find(({ domain }) => domain === domainName)!;
  await admin.domains.ApplyDomainRecords({ id });
  for (const deadline = Date.now() + patience; Date.now() < deadline; await delay(200)) {
    const { domain } = await admin.domains.GetDomain({ id, include_dns_validation: true });
    if (domain.verification_status === 'SUCCESS' && domain.dns_validation?.required_valid) return id;
  }
  throw new Error(`${domainName} was not verified within ${patience / 1000} seconds`);
};

/** Invites the people and creates their accounts. @returns the ids of the first person, and of their group. */
const invitePeople = async (admin: AdminClient, domainId: string): Promise<{ userId: string; accountId: string; groupId: string }> => {
  for (const [name, localPart] of people) {
    await unlessThere(() => admin.users.CreateUser({ email: `${localPart}@post.example`, display_name: name }));
  }
  const { users } = await admin.users.ListUsers({ page_size: 1000 });
  const idOf = (name: string): string => users.find(({ display_name: displayed }) => displayed === name)!.user_id;
  for (const [name, localPart] of people) {
    await unlessThere(() => admin.accounts.CreateAccount({ user_id: idOf(name), name, local_part: localPart, domain_id: domainId }));
  }
  const userId = idOf('Maria Rossi');
  const { accounts } = await admin.users.ListUserAccounts({ user_id: userId });
  const accountId = accounts.find(({ name }) => name === 'Maria Rossi')!.account_id;
  await unlessThere(() =>
    admin.aliases.CreateAlias({ account_id: accountId, domain_id: domainId, local_part: 'events', can_send_from: true, name: 'Harbour Books events' }),
  );
  await admin.accounts.PutAccountMember({ account_id: accountId, user_id: idOf('Tom Taylor'), role: 'WRITE' });
  await unlessThere(() =>
    admin.aliases.CreateGroup({ domain_id: domainId, local_part: 'shop', name: 'Shop', description: 'Questions of readers', writers: 'ANYONE' }),
  );
  const { groups } = await admin.aliases.ListGroups({ query: `shop@${domainName}` });
  const groupId = groups[0]!.group_id;
  await admin.aliases.AddGroupMembers({ group_id: groupId, addresses: people.slice(0, 3).map(([, localPart]) => `${localPart}@${domainName}`) });
  return { userId, accountId, groupId };
};

/** Number of delivered mails for each bounce. From 5% bounces, SES would review the account. */
const sentForOneBounce = 30;

/** Sends mail that is delivered, and one mail that bounces. @returns the id of the message that bounced. */
const exchangeMail = async (admin: AdminClient, sandbox: SandboxDescription, domainId: string): Promise<string> => {
  for (const [from, subject] of arriving) {
    const to = [`maria@${domainName}`, `support@${domainName}`];
    await sendRawWhenAccepted(sandbox.smtp, { from, to }, await plainMessage({ from, to, subject, text: 'Hello' }), patience);
  }
  const reader = sandbox.users.find(({ email }) => email.startsWith('alice@'))!.email;
  for (let sent = 0; sent < sentForOneBounce; sent += 1) {
    await admin.domains.SendTestEmail({ id: domainId, to_email: reader, test_type: 'NORMAL' });
  }
  const { submission_id: id } = await admin.domains.SendTestEmail({ id: domainId, test_type: 'BOUNCE' });
  return id!;
};

/**
 * Fills a sandbox with people, a domain, mail and requests, so that the screenshots of its console show realistic data.
 * Existing data is kept.
 * @returns the ids of the objects whose pages are shown, by the name of the id in the path.
 */
export const fillWithPresentableData = async (sandbox: SandboxDescription): Promise<{ readonly [parameter: string]: string }> => {
  const { access_token: token } = await clientToken(sandbox.clients.adminHeadless, scopes.ADMIN, sandbox);
  const admin = createAdminClient({ baseUrl: sandbox.adminApiUrl, token });
  const domainId = await liveDomain(admin, sandbox);
  const person = await invitePeople(admin, domainId);
  const submissionId = await exchangeMail(admin, sandbox, domainId);
  const { request } = await admin['change-requests'].CreateChangeRequest({
    type: 'SES_MAX_24H_SEND_INCREASE',
    ses_sending_limit: { use_case: 'Order confirmations and a monthly newsletter to readers who signed up in our shops.', desired_max_24h_send: 50_000 },
  });
  const { cases } = await admin.support.ListSupportCases({});
  const open =
    cases.find(({ status }) => status === 'open')?.case_id ??
    (
      await admin.support.OpenSupportCase({
        subject: 'Newsletters arrive late at one provider',
        description: 'Since Monday. See the submission ids in the ticket.',
        allowed_tiers: ['DIAG'],
      })
    ).case_id;
  const {
    messages: [received],
  } = await admin['mail-feedback'].ListReceivedMessages({});
  return { ...person, domainId, submissionId, receivedId: received!.received_id, requestId: request.request_id, caseId: open };
};
