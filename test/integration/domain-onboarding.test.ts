import { randomUUID } from 'node:crypto';
import { Route53Client } from '@aws-sdk/client-route-53';
import type { Account } from '../../contract/admin/accounts.ts';
import type { DNSApplyState, DNSRecord, DNSValidationResult, Domain } from '../../contract/admin/domains.ts';
import type { EmailIdentity } from '../../contract/admin/email-identities.ts';
import type { User } from '../../contract/admin/users.ts';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { followVerificationLink } from '../support/follow-verification-link.ts';
import { accessTokenOf, adminMachineToken, machineToken } from './access-tokens.ts';
import { call, expectError, ok } from './admin-calls.ts';
import { deployed, describeWith, sandboxUser } from './deployment.ts';
import { createHostedZone, type HostedZone } from './hosted-zone.ts';
import { eventually } from './http-requests.ts';
import { jmapClient, openMailbox, type JmapClient } from './jmap-client.ts';
import { sendBySmtp, uniqueSubject } from './send-by-smtp.ts';

const label = randomUUID().slice(0, 8);
const name = `onboarding-${label}.example`;
/** A TXT value that Postrider did not write. */
const otherValue = '"verification=1"';
let token: string;
beforeAll(async () => {
  token = await adminMachineToken();
});

describeWith(
  'emulator',
  'users',
  'smtp',
)('the domain onboarding sequence', () => {
  const client = new Route53Client(awsClientConfig(deployed));
  let zone: HostedZone;
  let domain: Domain;
  const getDomain = async (include_dns_validation = false): Promise<Domain> =>
    (await ok<{ domain: Domain }>(token, 'domains/GetDomain', { id: domain.id, include_dns_validation })).domain;

  beforeAll(async () => {
    zone = await createHostedZone(client, name, [{ type: 'TXT', value: otherValue }]);
  });
  afterAll(async () => {
    await zone.remove();
    client.destroy();
  });

  test('1. AddDomain registers the domain', async () => {
    ({ domain } = await ok<{ domain: Domain }>(token, 'domains/AddDomain', { domain: name, receive_enabled: true }));
    expect(domain).toMatchObject({ domain: name, verification_status: 'PENDING', receive_enabled: true });
    expectError(
      await call(token, 'domains/SendTestEmail', { id: domain.id, to_email: sandboxUser('alice').email, test_type: 'NORMAL' }),
      400,
      'failed_precondition',
    );
  });

  test('2. GetDomain with include_dns_validation returns the required DNS records', async () => {
    const { dns_validation: validation } = await getDomain(true);
    expect(validation).toMatchObject({
      required_valid: false,
      mx_record: { exists: false, requirement: 'REQUIRED' },
      spf_record: { exists: false },
      dmarc_record: { exists: false },
    });
    expect(validation?.dkim_records).toHaveLength(3);
    expect(validation?.mail_from_records).toHaveLength(2);
  });

  test('3. CheckDNSProvider finds the hosted zone, and ApplyDomainRecords creates the records there', async () => {
    expect(await ok(token, 'domains/CheckDNSProvider', { id: domain.id })).toMatchObject({ has_access: true, provider_type: 'ROUTE53', hosted_zone: { name } });
    const applied = await ok<{ dns_apply_state: DNSApplyState; dns_validation: DNSValidationResult; records_failed: string[] }>(
      token,
      'domains/ApplyDomainRecords',
      { id: domain.id },
    );
    expect(applied).toMatchObject({ records_failed: [], dns_apply_state: { status: 'APPLIED', provider_type: 'ROUTE53' } });
    expect(applied.dns_apply_state.applied_record_names).toHaveLength(7);
    expect(await zone.values(name, 'TXT')).toEqual([otherValue, '"v=spf1 include:amazonses.com ~all"']);
    expect(await zone.values(`_jmap._tcp.${name}`, 'SRV')).toEqual([expect.stringMatching(/^0 0 \d+ [\w.-]+\.$/)]);
    expect(await getDomain()).toMatchObject({ dns_apply_state: applied.dns_apply_state });
  });

  test('4. GetDomain is polled until verification_status is SUCCESS', async () => {
    await eventually(async () =>
      expect(await getDomain(true)).toMatchObject({ verification_status: 'SUCCESS', dns_validation: { required_valid: true, recommended_valid: true } }),
    );
    const { dns_validation: validation } = await getDomain(true);
    const records: (DNSRecord | undefined)[] = [
      ...(validation?.dkim_records ?? []),
      ...(validation?.mail_from_records ?? []),
      validation?.mx_record,
      validation?.spf_record,
      validation?.dmarc_record,
      ...(validation?.autodiscovery_records ?? []),
    ];
    expect(records).toHaveLength(9);
    for (const record of records) expect(record).toMatchObject({ exists: true, valid: true });
  });

  test('5. SendTestEmail sends from the domain when verification_status and dkim_status are SUCCESS', async () => {
    expect(await getDomain()).toMatchObject({ verification_status: 'SUCCESS', dkim_status: 'SUCCESS' });
    const alice = await jmapClient(await accessTokenOf('alice'));
    const sent = await ok<{ submission_id?: string }>(token, 'domains/SendTestEmail', {
      id: domain.id,
      to_email: sandboxUser('alice').email,
      test_type: 'NORMAL',
    });
    expect(sent.submission_id).toMatch(/^submission_[\w-]{21}$/);
    await eventually(async () => {
      const { emails } = await openMailbox(alice, 'inbox', ['subject', 'from']);
      expect(emails).toContainEqual(expect.objectContaining({ from: [expect.objectContaining({ email: `test@${name}` })] }));
    }, 300);
  });

  describe('a domain that receives', () => {
    let account: Account;
    let client: JmapClient;

    test('delivers mail to an account of the domain', async () => {
      const { user } = await ok<{ user: User }>(token, 'users/CreateUser', { email: `onboarding.${label}@elsewhere.example` });
      ({ account } = await ok<{ account: Account }>(token, 'accounts/CreateAccount', {
        user_id: user.user_id,
        name: 'Post',
        local_part: 'post',
        domain_id: domain.id,
      }));
      await ok(token, 'accounts/PutAccountMember', { account_id: account.account_id, user_id: deployed.clients.jmapHeadless.clientId, role: 'READ' });
      client = await jmapClient(await machineToken('jmapHeadless', 'jmapApi/MAIL_READ'));
      const subject = uniqueSubject('To a new domain');
      await sendBySmtp([account.email], { subject, text: 'Hello' });
      const { account_id: accountId } = account;
      const [mailboxes] = await client.call(['Mailbox/get', { accountId, ids: null }]);
      const inMailbox = (mailboxes!['list'] as { id: string; role: string }[]).find(({ role }) => role === 'inbox')!.id;
      await eventually(async () => {
        const [query] = await client.call(['Email/query', { accountId, filter: { inMailbox } }]);
        expect(query!['ids']).toHaveLength(1);
      }, 200);
    });

    test('RemoveDomain refuses a domain with an address', async () => {
      const refused = await call(token, 'domains/RemoveDomain', { id: domain.id });
      expectError(refused, 400, 'failed_precondition');
      expect((refused.json as { message: string }).message).toContain('1 address');
    });

    test('RemoveDomain deletes the domain after its account, and sending from it is refused', async () => {
      await ok(token, 'accounts/DeleteAccount', { account_id: account.account_id });
      await ok(token, 'domains/RemoveDomain', { id: domain.id });
      expectError(await call(token, 'domains/GetDomain', { id: domain.id }), 404, 'not_found');
      expectError(
        await call(token, 'domains/SendTestEmail', { from_email: `test@${name}`, to_email: sandboxUser('alice').email, test_type: 'NORMAL' }),
        400,
        'failed_precondition',
      );
    });
  });
});

describeWith('credentials')('DNS records of the deployment and of others in one hosted zone', () => {
  const client = new Route53Client(awsClientConfig(deployed));
  let zone: HostedZone;
  let id: string;
  const spf = '"v=spf1 include:amazonses.com ~all"';

  beforeAll(async () => {
    zone = await createHostedZone(client, name, [{ type: 'TXT', value: otherValue }]);
    ({
      domain: { id },
    } = await ok<{ domain: Domain }>(token, 'domains/AddDomain', { domain: name }));
    await ok(token, 'domains/ApplyDomainRecords', { id });
  });
  afterAll(async () => {
    await call(token, 'domains/RemoveDomain', { id });
    await zone.remove();
    client.destroy();
  });

  test('DeleteDomainRecord deletes our value once, and keeps the other value', async () => {
    const request = { id, record_name: name, record_type: 'TXT' };
    expect(await ok(token, 'domains/DeleteDomainRecord', request)).toEqual({ deleted: true });
    expect(await zone.values(name, 'TXT')).toEqual([otherValue]);
    expect(await ok(token, 'domains/DeleteDomainRecord', request)).toEqual({ deleted: false });
  });

  test('ApplyDomainRecords with FORCE_VALUE writes exactly the given SPF policy', async () => {
    await ok(token, 'domains/UpdateDomain', { id, spf_mode: 'FORCE_VALUE', spf_value: 'v=spf1 -all' });
    await ok(token, 'domains/ApplyDomainRecords', { id });
    expect(await zone.values(name, 'TXT')).toEqual([otherValue, '"v=spf1 -all"']);
  });

  test('ApplyDomainRecords refuses to replace a DMARC policy of another owner, and writes nothing', async () => {
    await ok(token, 'domains/DeleteDomainRecord', { id, record_name: `_dmarc.${name}`, record_type: 'TXT' });
    await zone.addForeign({ name: `_dmarc.${name}`, type: 'TXT', value: '"v=DMARC1; p=reject"' });
    expectError(await call(token, 'domains/ApplyDomainRecords', { id }), 409, 'already_exists');
    expect(await zone.values(name, 'TXT')).not.toContain(spf);
    expect(await zone.values(`_dmarc.${name}`, 'TXT')).toEqual(['"v=DMARC1; p=reject"']);
  });
});

describeWith('smtp')('the e-mail identity sequence', () => {
  const email = `identity.${label}@elsewhere.example`;
  const find = async (): Promise<EmailIdentity | undefined> => {
    let pageToken: string | undefined;
    do {
      const page = await ok<{ identities: EmailIdentity[]; next_page_token: string }>(token, 'email-identities/ListEmailIdentities', {
        page_size: 1,
        page_token: pageToken,
      });
      const match = page.identities.find((identity) => identity.email === email);
      if (match) return match;
      pageToken = page.next_page_token;
    } while (pageToken);
    return undefined;
  };

  test('AddEmailIdentity sends a verification e-mail, and the identity is pending', async () => {
    const { identity } = await ok<{ identity: EmailIdentity }>(token, 'email-identities/AddEmailIdentity', { email });
    expect(identity).toMatchObject({ email, verification_status: 'VERIFICATION_STATUS_PENDING', identity_id: expect.stringMatching(/^identity_[\w-]{21}$/) });
    expectError(await call(token, 'email-identities/AddEmailIdentity', { email: email.toUpperCase() }), 409, 'already_exists');
    expect(await find()).toEqual(identity);
  });

  test('ResendVerificationEmail sends another link, and following it verifies the address', async () => {
    expect(await ok(token, 'email-identities/ResendVerificationEmail', { email })).toEqual({});
    expect(await find()).toMatchObject({ verification_status: 'VERIFICATION_STATUS_PENDING' });
    await followVerificationLink(deployed.outboxUrl ?? '', email);
    expect(await find()).toMatchObject({ verification_status: 'VERIFICATION_STATUS_SUCCESS' });
    expectError(await call(token, 'email-identities/ResendVerificationEmail', { email }), 400, 'failed_precondition');
  });

  test('SendTestEmail sends from the verified address', async () => {
    expect(await ok(token, 'domains/SendTestEmail', { from_email: email, test_type: 'OOTO' })).toMatchObject({ submission_id: expect.any(String) });
  });

  test('RemoveEmailIdentity deletes the identity', async () => {
    expect(await ok(token, 'email-identities/RemoveEmailIdentity', { email })).toEqual({});
    expect(await find()).toBeUndefined();
    expectError(await call(token, 'email-identities/RemoveEmailIdentity', { email }), 404, 'not_found');
  });
});
