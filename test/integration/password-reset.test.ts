import { randomUUID } from 'node:crypto';
import {
  AdminResetUserPasswordCommand,
  AdminUpdateUserAttributesCommand,
  CognitoIdentityProviderClient,
  ForgotPasswordCommand,
  UpdateUserAttributesCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import type { AuditLog } from '../../contract/admin/audit.ts';
import type { User } from '../../contract/admin/users.ts';
import { cliCallbackUrls } from '../../contract/oauth/oauth.ts';
import { openPage, signIn, type Cookies } from '../../sandbox/clients/hosted-sign-in.ts';
import { errorMessageIn, parseForms } from '../../sandbox/clients/html-forms.ts';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { adminMachineToken, machineToken } from './access-tokens.ts';
import { call, expectError, ok } from './admin-calls.ts';
import { deployed, describeWith } from './deployment.ts';
import { eventually } from './http-requests.ts';
import { getSession, jmapClient, type JmapClient } from './jmap-client.ts';
import { discover, listenOnLoopback, proofKey, registerClient, requestRefresh } from './oauth-client.ts';
import { observe } from './observation.ts';
import { messagesTo, outboxText } from './outbox.ts';
import { createUserWithAccount, nextSecond } from './user-with-account.ts';
import { closeAllSockets, openSocket } from './websocket-push-client.ts';

const label = randomUUID().slice(0, 8);
const cognito = new CognitoIdentityProviderClient(awsClientConfig(deployed));
afterAll(() => {
  closeAllSockets();
  cognito.destroy();
});

/** The texts of all messages in an account that a client can read. */
const textsIn = async (client: JmapClient, accountId: string): Promise<string[]> => {
  const [, emails] = await client.call(
    ['Email/query', { accountId }],
    [
      'Email/get',
      { accountId, '#ids': { resultOf: 'c0', name: 'Email/query', path: '/ids' }, properties: ['subject', 'bodyValues'], fetchAllBodyValues: true },
    ],
  );
  return (emails!['list'] as { subject: string; bodyValues: object }[]).map(({ subject, bodyValues }) => `${subject} ${JSON.stringify(bodyValues)}`);
};

/**
 * Makes a call that mails a code or a password.
 * @returns its refusal, or the text of the message that arrives in the account.
 */
const outcomeOf = async (request: () => Promise<unknown>, reader: JmapClient, accountId: string): Promise<string> => {
  try {
    await request();
  } catch (error) {
    return error instanceof Error ? `refused: ${error.name}: ${error.message}` : 'refused';
  }
  return eventually(async () => {
    const text = (await textsIn(reader, accountId)).find((each) => /code|password/i.test(each));
    expect(text).toBeDefined();
    return `mailed: ${text}`;
  });
};

const forgotPassword = (email: string) => () => cognito.send(new ForgotPasswordCommand({ ClientId: deployed.clients.cli.clientId, Username: email }));

const inPool = ({ user }: { readonly user: User }) => ({ UserPoolId: deployed.outputs['userPoolId'], Username: user.idp_identities![0]!.username });

const refusal = /^refused: UserLambdaValidationException: CustomMessage failed with error .*ask an admin/;

/** Opens the hosted sign-in and its page for a forgotten password, and asks for a code. @returns the page that follows. */
const forgetAtHostedPage = async (email: string): Promise<{ readonly url: string; readonly html: string }> => {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: deployed.clients.cli.clientId,
    redirect_uri: cliCallbackUrls[0],
    scope: 'openid',
    state: 'state',
    code_challenge: proofKey().challenge,
    code_challenge_method: 'S256',
  });
  const signInPage = await (await fetch(`${deployed.authUrl}/login?${query.toString()}`)).text();
  const link = /href="(\/forgotPassword[^"]*)"/.exec(signInPage)![1]!.replaceAll('&amp;', '&');
  return sendForm(`${deployed.authUrl}${link}`, await (await fetch(`${deployed.authUrl}${link}`)).text(), { username: email });
};

/** Fills in the only form of a page. */
const sendForm = async (url: string, html: string, typed: Readonly<Record<string, string>>): Promise<{ readonly url: string; readonly html: string }> => {
  const [form] = parseForms(html);
  const body = new URLSearchParams(form!.fields.map(({ name, value }): [string, string] => [name, typed[name] ?? value]));
  const answer = await fetch(new URL(form!.action, url), { method: 'POST', body });
  return { url: answer.url, html: await answer.text() };
};

const auditLogs = async (admin: string, operation: string, entityId: string): Promise<AuditLog[]> =>
  (await ok<{ audit_logs: AuditLog[] }>(admin, 'audit/ListAuditLogs', { operation, page_size: 100 })).audit_logs.filter(({ entity_id: id }) => id === entityId);

describeWith('credentials', 'adminHeadless')('a person who signs in with the address of a mailbox here', () => {
  let admin: string;
  let owner: Awaited<ReturnType<typeof createUserWithAccount>>;
  let member: Awaited<ReturnType<typeof createUserWithAccount>>;
  beforeAll(async () => {
    admin = await adminMachineToken();
    owner = await createUserWithAccount(admin, `owner-${label}`, 'account');
    member = await createUserWithAccount(admin, `member-${label}`);
    await ok(admin, 'users/UpdateUser', { user_id: owner.user.user_id, is_admin: true });
  });

  test.each(['READ', 'WRITE', 'ADMIN'])('a member with the role %s gets no code to reset the owner’s password', async (role) => {
    await ok(admin, 'accounts/PutAccountMember', { account_id: owner.account.account_id, user_id: member.user.user_id, role });
    const reader = await jmapClient((await member.signIn()).access_token);
    expect(await outcomeOf(forgotPassword(owner.signInAddress), reader, owner.account.account_id)).toMatch(refusal);
  });

  test('a client that registered itself gets no code to reset the password of an admin', async () => {
    const loopback = await listenOnLoopback();
    const registered = await registerClient(await discover(deployed.jmapUrl), `Reader ${label}`, [loopback.redirectUri]);
    const { client_id: clientId } = registered.json as { client_id: string };
    const tokens = await owner.signInAt(clientId, loopback.redirectUri);
    await loopback.close();
    const reader = await jmapClient(tokens.access_token);
    expect(await outcomeOf(forgotPassword(owner.signInAddress), reader, owner.account.account_id)).toMatch(refusal);
  });

  test('a headless client that reads mail gets no code', async () => {
    const machine = deployed.clients.jmapHeadless.clientId;
    await ok(admin, 'accounts/PutAccountMember', { account_id: owner.account.account_id, user_id: machine, role: 'READ' });
    const reader = await jmapClient(await machineToken('jmapHeadless', 'jmapApi/MAIL_READ'));
    expect(await outcomeOf(forgotPassword(owner.signInAddress), reader, owner.account.account_id)).toMatch(refusal);
  });

  test('the bcc of an alias gets no copy of a code', async () => {
    const { aliases } = await ok<{ aliases: { alias_id: string }[] }>(admin, 'aliases/ListAccountAliases', { account_id: owner.account.account_id });
    await ok(admin, 'aliases/UpdateAlias', { alias_id: aliases[0]!.alias_id, bcc: member.email });
    const reader = await jmapClient((await member.signIn()).access_token);
    expect(await outcomeOf(forgotPassword(owner.signInAddress), reader, member.account.account_id)).toMatch(refusal);
  });

  test('no alias and no account of others is created at the address of somebody who signs in with it', async () => {
    const signInAddress = `new-${label}@${owner.domain.domain}`;
    await ok(admin, 'users/CreateUser', { email: signInAddress });
    const place = { local_part: `new-${label}`, domain_id: owner.domain.id };
    expectError(await call(admin, 'aliases/CreateAlias', { account_id: member.account.account_id, ...place }), 409, 'already_exists');
    expectError(await call(admin, 'accounts/CreateAccount', { user_id: member.user.user_id, name: 'x', ...place }), 409, 'already_exists');
    expectError(await call(admin, 'users/CreateUser', { email: owner.email.replace('@', '+codes@') }), 409, 'already_exists');
  });

  test.each([
    ['a reset in the AWS console', () => cognito.send(new AdminResetUserPasswordCommand(inPool(owner)))],
    [
      'a changed address',
      () => cognito.send(new AdminUpdateUserAttributesCommand({ ...inPool(owner), UserAttributes: [{ Name: 'email', Value: member.email }] })),
    ],
  ])('%s mails no code', async (_title, request) => {
    const reader = await jmapClient((await owner.signIn()).access_token);
    expect(await outcomeOf(request, reader, owner.account.account_id)).toMatch(/^refused: UserLambdaValidationException: .*ask an admin/);
  });

  test('a person who signed in can’t change the address', async () => {
    const { access_token: AccessToken } = await owner.signIn();
    const change = new UpdateUserAttributesCommand({ AccessToken, UserAttributes: [{ Name: 'email', Value: member.email }] });
    await expect(cognito.send(change)).rejects.toMatchObject({ name: 'NotAuthorizedException' });
  });

  test('a new user gets no invitation, is not invited again, and signs in with a temporary password of an admin', async () => {
    const local_part = `invited-${label}`;
    const { user, invitation_sent: isSent } = await ok<{ user: User; invitation_sent: boolean }>(admin, 'users/CreateUser', {
      email: `${local_part}@${owner.domain.domain}`,
    });
    expect(isSent).toBe(false);
    const { account } = await ok<{ account: { account_id: string } }>(admin, 'accounts/CreateAccount', {
      user_id: user.user_id,
      name: 'Invited',
      local_part,
      domain_id: owner.domain.id,
    });
    expect((await call(admin, 'users/ResendInvitation', { user_id: user.user_id })).json).toMatchObject({
      code: 'failed_precondition',
      message: expect.stringContaining('users/ResetPassword'),
    });
    const { temporary_password: password } = await ok<{ temporary_password: string }>(admin, 'users/ResetPassword', { user_id: user.user_id });
    await nextSecond();
    const tokens = await signIn({
      authUrl: deployed.authUrl,
      clientId: deployed.clients.cli.clientId,
      redirectUri: cliCallbackUrls[0],
      email: user.primary_email!,
      password,
      newPassword: 'Correct-horse-battery-9',
    });
    expect(await textsIn(await jmapClient(tokens.access_token), account.account_id)).toEqual([]);
  });

  test('a new user with an address that is received here signs in with the temporary password of CreateUser', async () => {
    const { user, temporary_password: password } = await ok<{ user: User; temporary_password: string }>(admin, 'users/CreateUser', {
      email: `given-${label}@${owner.domain.domain}`,
      return_temporary_password: true,
    });
    const { access_token: token } = await signIn({
      authUrl: deployed.authUrl,
      clientId: deployed.clients.cli.clientId,
      redirectUri: cliCallbackUrls[0],
      email: user.primary_email!,
      password,
      newPassword: 'Correct-horse-battery-9',
    });
    expect((await getSession(token)).status).toBe(200);
    const entries = await auditLogs(admin, 'users/CreateUser', user.user_id);
    expect(entries).toHaveLength(1);
    expect(JSON.stringify(entries)).not.toContain(password);
  });

  test('a browser that is signed in from before a reset leads out of the circle by the sign-out', async () => {
    const cookies: Cookies = new Map();
    const newPassword = 'Correct-horse-battery-8';
    await member.signIn({ password: member.password, cookies });
    const { temporary_password: password } = await ok<{ temporary_password: string }>(admin, 'users/ResetPassword', { user_id: member.user.user_id });
    await nextSecond();
    const signOutUrl = `${deployed.jmapUrl}/oauth/sign-out`;
    for (const _ of [1, 2]) {
      const again = await member.signIn({ password: 'typed nowhere', cookies }).catch(() => undefined);
      observe(again ? 'the browser stays signed in after a reset' : 'the page asks for the password after a reset');
      if (!again) break;
      const refused = await getSession(again.access_token);
      expect([refused.status, refused.text]).toEqual([401, expect.stringContaining(signOutUrl)]);
      expect((await call(again.access_token, 'status/Ping')).json).toMatchObject({ message: expect.stringContaining('/oauth/sign-out') });
    }
    expect((await openPage(signOutUrl, cookies)).html).toContain('You are signed out of this browser');
    const renewed = await member.signIn({ password, newPassword, cookies });
    expect((await getSession(renewed.access_token)).status).toBe(200);
  });

  test('a reset by an admin ends tokens, refresh tokens and sockets, and the audit log has it', async () => {
    const tokens = await owner.signIn();
    const socket = await openSocket(tokens.access_token);
    const metadata = await discover(deployed.jmapUrl);
    expect((await getSession(tokens.access_token)).status).toBe(200);
    const { temporary_password: password } = await ok<{ temporary_password: string }>(admin, 'users/ResetPassword', { user_id: owner.user.user_id });
    expect(await socket.closed()).toEqual(expect.any(Number));
    expect((await getSession(tokens.access_token)).status).toBe(401);
    expectError(await call(tokens.access_token, 'status/Ping'), 401, 'unauthenticated');
    expect(await requestRefresh(metadata.token_endpoint, deployed.clients.cli.clientId, tokens.refresh_token)).toMatchObject({
      status: 400,
      json: { error: 'invalid_grant' },
    });
    await expect(owner.signIn()).rejects.toThrow('Incorrect username or password');
    await nextSecond();
    const renewed = await owner.signIn({ password, newPassword: 'Correct-horse-battery-9' });
    expect((await call(renewed.access_token, 'status/Ping')).status).toBe(200);
    const [entry] = await auditLogs(admin, 'users/ResetPassword', owner.user.user_id);
    expect(entry).toMatchObject({ status: 'success', actor: { actor_type: 'SERVICE', actor_id: deployed.clients.adminHeadless!.clientId } });
    expect(JSON.stringify(entry)).not.toContain(password);
  });
});

describeWith(
  'users',
  'credentials',
  'adminHeadless',
)('a person who signs in with an address outside', () => {
  test('gets a code, chooses a new password at the hosted page, and all earlier sign-ins end, audited', async () => {
    const admin = await adminMachineToken();
    const person = await createUserWithAccount(admin, `outside-${label}`);
    const tokens = await person.signIn();
    const metadata = await discover(deployed.jmapUrl);
    const socket = await openSocket(tokens.access_token);
    const { url, html } = await forgetAtHostedPage(person.signInAddress);
    expect(errorMessageIn(html)).toBeUndefined();
    const code = await eventually(async () => {
      const texts = await Promise.all((await messagesTo(person.signInAddress)).map(({ id }) => outboxText(id)));
      const found = texts.flatMap((text) => /Enter this code on the page that asked for it, and choose a new password: (\d{6})/.exec(text)?.[1] ?? []);
      expect(found).toHaveLength(1);
      return found[0]!;
    });
    const password = 'Correct-horse-battery-9';
    const after = await sendForm(url, html, { confirmation_code: code, new_password: password });
    expect(errorMessageIn(after.html)).toBeUndefined();
    expect((await getSession((await person.signIn({ password })).access_token)).status).toBe(200);
    expect(await socket.closed()).toEqual(expect.any(Number));
    expect((await getSession(tokens.access_token)).status).toBe(401);
    expect(await requestRefresh(metadata.token_endpoint, deployed.clients.cli.clientId, tokens.refresh_token)).toMatchObject({
      status: 400,
      json: { error: 'invalid_grant' },
    });
    expect(await auditLogs(admin, 'sign-in/ConfirmForgotPassword', person.user.user_id)).toMatchObject([
      {
        status: 'success',
        actor: { actor_type: 'USER', actor_id: person.user.user_id, email: person.signInAddress },
        metadata: { client_id: deployed.clients.cli.clientId },
      },
    ]);
  });
});

describeWith('users')('a person who has forgotten the password of a mailbox here', () => {
  test('the hosted page shows in words that an admin gives a new password', async () => {
    const owner = await createUserWithAccount(await adminMachineToken(), `forgetful-${label}`, 'account');
    const { html } = await forgetAtHostedPage(owner.signInAddress);
    expect(errorMessageIn(html)).toMatch(/CustomMessage failed with error .*mailbox of this mail service.* ask an admin/);
  });
});
