import { randomUUID } from 'node:crypto';
import type { Account, AccountMember } from '../../contract/admin/accounts.ts';
import type { Domain } from '../../contract/admin/domains.ts';
import type { User } from '../../contract/admin/users.ts';
import { adminMachineToken, machineToken } from './access-tokens.ts';
import { call, expectError, ok } from './admin-calls.ts';
import { deployed, describeWith } from './deployment.ts';
import { getSession, jmapClient, type Session } from './jmap-client.ts';
import { primaryDomain } from './primary-domain.ts';

describe('from a new domain to an account with members', () => {
  const label = randomUUID().slice(0, 8);
  const name = `test-${label}.example`;
  let token: string;
  let domain: Domain;
  let owner: User;
  let account: Account;

  beforeAll(async () => {
    token = await adminMachineToken();
  });

  test('AddDomain registers a domain with the defaults', async () => {
    ({ domain } = await ok<{ domain: Domain }>(token, 'domains/AddDomain', { domain: name.toUpperCase() }));
    expect(domain).toMatchObject({
      id: expect.stringMatching(/^dom_[\w-]{21}$/),
      domain: name,
      send_enabled: true,
      receive_enabled: false,
      dmarc_enabled: true,
      dmarc_policy: 'NONE',
      spf_mode: 'CREATE_IF_MISSING',
      is_primary: false,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  test('ListDomains returns the domain on one of its pages', async () => {
    const names: string[] = [];
    let pageToken: string | undefined;
    do {
      const page = await ok<{ domains: Domain[]; next_page_token: string }>(token, 'domains/ListDomains', { page_size: 1, page_token: pageToken });
      expect(page.domains.length).toBeLessThanOrEqual(1);
      names.push(...page.domains.map((each) => each.domain));
      pageToken = page.next_page_token;
    } while (pageToken);
    expect(names).toContain(name);
    expect(new Set(names).size).toBe(names.length);
  });

  test('CreateUser creates a user, and refuses the same address with already_exists', async () => {
    const email = `success+Owner-${label}@simulator.amazonses.com`;
    ({ user: owner } = await ok<{ user: User }>(token, 'users/CreateUser', { email, display_name: 'Owner' }));
    expect(owner).toMatchObject({
      user_id: expect.stringMatching(/^user_[\w-]{21}$/),
      display_name: 'Owner',
      is_active: true,
      is_admin: false,
      is_deleted: false,
    });
    expect(await ok(token, 'users/GetUser', { user_id: owner.user_id })).toEqual({ user: owner });
    expectError(await call(token, 'users/CreateUser', { email: email.toLowerCase() }), 409, 'already_exists');
  });

  test('CreateAccount creates an account with an address and its owner as ADMIN', async () => {
    const request = { user_id: owner.user_id, name: 'Post', local_part: 'Post', domain_id: domain.id };
    ({ account } = await ok<{ account: Account }>(token, 'accounts/CreateAccount', request));
    expect(account).toMatchObject({ account_id: expect.stringMatching(/^acc_[\w-]{21}$/), name: 'Post', email: `post@${name}`, shared: false });
    expect(await ok(token, 'accounts/GetAccount', { account_id: account.account_id })).toMatchObject({ account });
    expect(await ok(token, 'accounts/ListAccountMembers', { account_id: account.account_id })).toMatchObject({
      members: [{ account_id: account.account_id, user_id: owner.user_id, role: 'ADMIN' }],
    });
  });

  test('a headless client sees an account while it is a member', async () => {
    const { clientId } = deployed.clients.jmapHeadless;
    const session = async (): Promise<Session> => (await getSession(await machineToken('jmapHeadless', 'jmapApi/MAIL_READ'))).json as Session;
    const { member } = await ok<{ member: AccountMember }>(token, 'accounts/PutAccountMember', {
      account_id: account.account_id,
      user_id: clientId,
      role: 'READ',
    });
    expect(member).toMatchObject({ account_id: account.account_id, user_id: clientId, role: 'READ' });
    expect((await session()).accounts[account.account_id]).toMatchObject({ name: 'Post', isPersonal: false, isReadOnly: true });
    expect(await ok(token, 'accounts/GetAccount', { account_id: account.account_id })).toMatchObject({ account: { shared: false } });
    const client = await jmapClient(await machineToken('jmapHeadless', 'jmapApi/MAIL_READ'));
    const [mailboxes] = await client.call(['Mailbox/get', { accountId: account.account_id, ids: null }]);
    expect((mailboxes!['list'] as { role: string }[]).map(({ role }) => role).sort()).toEqual(['archive', 'drafts', 'inbox', 'junk', 'sent', 'trash']);

    expect(await ok(token, 'accounts/DeleteAccountMember', { account_id: account.account_id, user_id: clientId })).toEqual({});
    expect((await session()).accounts).not.toHaveProperty(account.account_id);
    const [refused] = await client.call(['Mailbox/get', { accountId: account.account_id, ids: null }]);
    expect(refused).toMatchObject({ failed: true, type: 'accountNotFound' });
  });
});

describeWith('credentials')('the deployment’s own domain', () => {
  test('is primary and verified, and all required DNS records are valid', async () => {
    const token = await adminMachineToken();
    const own = await primaryDomain(token);
    expect(own).toMatchObject({ verification_status: 'SUCCESS', dkim_status: 'SUCCESS', receive_enabled: true });
    const withValidation = await ok<{ domain: Domain }>(token, 'domains/GetDomain', { id: own.id, include_dns_validation: true });
    expect(withValidation.domain.dns_validation).toMatchObject({ required_valid: true, mx_record: { exists: true, valid: true } });
  });
});
