import { randomUUID } from 'node:crypto';
import type { Account } from '../../contract/admin/accounts.ts';
import type { User } from '../../contract/admin/users.ts';
import { cliCallbackUrls } from '../../contract/oauth/oauth.ts';
import { signIn } from '../../sandbox/clients/hosted-sign-in.ts';
import { adminMachineToken } from './access-tokens.ts';
import { call, expectError, ok } from './admin-calls.ts';
import { deployed, describeWith } from './deployment.ts';
import { eventually } from './http-requests.ts';
import { getSession, jmapClient } from './jmap-client.ts';
import { messagesTo, outboxText } from './outbox.ts';
import { placesWith } from './places-with.ts';
import { primaryDomain } from './primary-domain.ts';
import { nextSecond } from './user-with-account.ts';

const label = randomUUID().slice(0, 8);

const chosen = 'Correct-horse-battery-9';
const signInAt = (typed: { readonly email: string; readonly password: string; readonly newPassword?: string }) =>
  signIn({ authUrl: deployed.authUrl, clientId: deployed.clients.cli.clientId, redirectUri: cliCallbackUrls[0], ...typed });

/** Signs in for the first time, with a temporary password. */
const signInFirst = (email: string, password: string) => signInAt({ email, password, newPassword: chosen });
const signInAgain = (email: string) => signInAt({ email, password: chosen });

/** Waits for the messages to an address in the outbox. @returns their texts, newest first. */
const textsTo = async (address: string, count = 1): Promise<readonly string[]> => {
  const found = await eventually(async () => {
    const messages = await messagesTo(address);
    expect(messages).toHaveLength(count);
    return messages;
  });
  return Promise.all(found.map(({ id }) => outboxText(id)));
};

const passwordIn = (text: string): string => /Temporary password:\s*(\S+)/.exec(text)![1]!;

describeWith(
  'users',
  'credentials',
  'adminHeadless',
)('a person who is invited', () => {
  let admin: string;
  let domain: string;
  beforeAll(async () => {
    admin = await adminMachineToken();
    ({ domain } = await primaryDomain(admin));
  });
  const stateOf = async ({ user_id }: User): Promise<User> => (await ok<{ user: User }>(admin, 'users/GetUser', { user_id })).user;

  test('signs in with the temporary password that was mailed to a private address, and again after a reset', async () => {
    const [email, home] = [`mailed-${label}@${domain}`, `home-${label}@elsewhere.example`];
    const { user, invitation_sent: isSent } = await ok<{ user: User; invitation_sent: boolean }>(admin, 'users/CreateUser', { email, invitation_email: home });
    expect(isSent).toBe(true);
    const [invitation] = await textsTo(home);
    for (const fact of [`You are invited to the mail of ${domain}`, `Sign-in address: ${email}`, `${deployed.jmapUrl}/.well-known/jmap`, 'valid for 7 days']) {
      expect(invitation).toContain(fact);
    }
    const tokens = await signInFirst(email, passwordIn(invitation!));
    expect((await getSession(tokens.access_token)).status).toBe(200);
    await eventually(async () =>
      expect(await stateOf(user)).toMatchObject({
        sign_in_state: 'ACTIVE',
        last_sign_in_at: expect.any(String) as string,
        clients: [{ client_id: deployed.clients.cli.clientId }],
      }),
    );
    expect(await ok(admin, 'users/ResetPassword', { user_id: user.user_id, invitation_email: home })).toEqual({});
    expect(await stateOf(user)).toMatchObject({ sign_in_state: 'INVITED', temporary_password_until: expect.any(String) as string });
    expect((await getSession(tokens.access_token)).status).toBe(401);
    const [reset] = await textsTo(home, 2);
    expect(reset).toContain(`reset your password for the mail of ${domain}`);
    await expect(signInFirst(email, passwordIn(invitation!))).rejects.toThrow('Incorrect username or password');
    await signInFirst(email, passwordIn(reset!));
  });

  test('gets an invitation of ours from Cognito, at first and again', async () => {
    const email = `outside-${label}@elsewhere.example`;
    const { user } = await ok<{ user: User }>(admin, 'users/CreateUser', { email });
    await ok(admin, 'users/ResendInvitation', { user_id: user.user_id });
    const [again, first] = await textsTo(email, 2);
    for (const invitation of [first, again]) {
      for (const fact of [`You are invited to the mail of ${domain}`, email, `${deployed.jmapUrl}/.well-known/jmap`, 'valid for 7 days']) {
        expect(invitation).toContain(fact);
      }
    }
    await signInFirst(email, passwordIn(again!));
  });

  test('changes to the address of the company later, with the same password, and the private address can be invited again', async () => {
    const { id: domain_id } = await primaryDomain(admin);
    const home = `private-${label}@elsewhere.example`;
    const { user, temporary_password: temporary } = await ok<{ user: User; temporary_password: string }>(admin, 'users/CreateUser', {
      email: home,
      return_temporary_password: true,
    });
    const before = await signInFirst(home, temporary);
    const { account } = await ok<{ account: Account }>(admin, 'accounts/CreateAccount', {
      user_id: user.user_id,
      name: 'Moved',
      local_part: `moved-${label}`,
      domain_id,
    });
    expect(await ok(admin, 'users/ChangeSignInAddress', { user_id: user.user_id, email: account.email })).toMatchObject({
      user: { primary_email: account.email, sign_in_state: 'ACTIVE' },
    });
    expect((await getSession(before.access_token)).status).toBe(401);
    await expect(signInAgain(home)).rejects.toThrow('Incorrect username or password');
    await nextSecond();
    const after = await jmapClient((await signInAgain(account.email)).access_token);
    expect((await after.call(['Mailbox/get', { accountId: account.account_id }]))[0]!['list']).not.toEqual([]);
    const { user: other } = await ok<{ user: User }>(admin, 'users/CreateUser', { email: home });
    expect(other.user_id).not.toBe(user.user_id);
    expectError(await call(admin, 'users/ChangeSignInAddress', { user_id: other.user_id, email: account.email }), 409, 'already_exists');
    expect(await messagesTo(account.email)).toEqual([]);
  });

  test('is not mailed a password at a domain that is received here', async () => {
    const request = { email: `refused-${label}@elsewhere.example`, invitation_email: `team-${label}@${domain}` };
    expectError(await call(admin, 'users/CreateUser', request), 400, 'invalid_argument');
    await ok(admin, 'users/CreateUser', { ...request, invitation_email: undefined, return_temporary_password: true });
  });

  test('has no temporary password and no private address in a table, a log or the bucket', async () => {
    const [email, home] = [`secret-${label}@${domain}`, `secret-home-${label}@elsewhere.example`];
    const { user } = await ok<{ user: User }>(admin, 'users/CreateUser', { email, invitation_email: home });
    const mailed = passwordIn((await textsTo(home))[0]!);
    const { temporary_password: reset } = await ok<{ temporary_password: string }>(admin, 'users/ResetPassword', { user_id: user.user_id });
    const { temporary_password: returned } = await ok<{ temporary_password: string }>(admin, 'users/CreateUser', {
      email: `secret-2-${label}@${domain}`,
      return_temporary_password: true,
    });
    expect(await placesWith([email])).toContain(deployed.outputs['directoryTableName']);
    expect(await placesWith([mailed, reset, returned, home])).toEqual([]);
  });
});
