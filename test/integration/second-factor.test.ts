import { randomUUID } from 'node:crypto';
import {
  AdminGetUserCommand,
  AdminInitiateAuthCommand,
  AssociateSoftwareTokenCommand,
  CognitoIdentityProviderClient,
  GetUserPoolMfaConfigCommand,
  InitiateAuthCommand,
  RespondToAuthChallengeCommand,
  SetUserPoolMfaConfigCommand,
  VerifySoftwareTokenCommand,
  type AuthFlowType,
} from '@aws-sdk/client-cognito-identity-provider';
import type { AuditLog } from '../../contract/admin/audit.ts';
import type { User } from '../../contract/admin/users.ts';
import { cliCallbackUrls, consoleCallbackPath } from '../../contract/oauth/oauth.ts';
import { oneTimeCode } from '../../sandbox/clients/authenticator-app.ts';
import { signIn, type Authenticator, type Person } from '../../sandbox/clients/hosted-sign-in.ts';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { enrolSecondFactor, sendPassword } from '../support/srp-sign-in.ts';
import { adminMachineToken } from './access-tokens.ts';
import { call, expectError, ok } from './admin-calls.ts';
import { deployed, describeWith } from './deployment.ts';
import { eventually } from './http-requests.ts';
import { getSession } from './jmap-client.ts';
import { discover, registerClient, requestRefresh } from './oauth-client.ts';
import { observe } from './observation.ts';
import { createUserWithAccount, nextSecond } from './user-with-account.ts';

const cognito = new CognitoIdentityProviderClient(awsClientConfig(deployed));
afterAll(() => cognito.destroy());

const requireSecondFactor = (isRequired: boolean) =>
  cognito.send(
    new SetUserPoolMfaConfigCommand({
      UserPoolId: deployed.outputs['userPoolId'],
      MfaConfiguration: isRequired ? 'ON' : 'OFF',
      SoftwareTokenMfaConfiguration: { Enabled: true },
    }),
  );

const accountIdsOf = async (token: string): Promise<string[]> => Object.keys(((await getSession(token)).json as { accounts: object }).accounts);

describeWith('emulator', 'adminHeadless')('a deployment that requires a second factor', () => {
  let admin: string;
  let person: Awaited<ReturnType<typeof createUserWithAccount>>;
  beforeAll(async () => {
    admin = await adminMachineToken();
    person = await createUserWithAccount(admin, `second-factor-${randomUUID().slice(0, 8)}`, 'account');
    await requireSecondFactor(true);
  });
  afterAll(() => requireSecondFactor(false));

  const [newPassword, authenticator]: [string, Authenticator] = ['Correct-horse-of-mine-1', {}];

  test('sets up an authenticator app at the first sign-in with a temporary password, and serves mail then', async () => {
    const { temporary_password: password } = await ok<{ temporary_password: string }>(admin, 'users/ResetPassword', { user_id: person.user.user_id });
    await nextSecond();
    await expect(person.signIn({ password, newPassword })).rejects.toThrow('must pass a code of an authenticator app');
    const { access_token: token } = await person.signIn({ password: newPassword, authenticator });
    expect(authenticator.secret).toMatch(/^[A-Z2-7]{32,}$/);
    expect(await accountIdsOf(token)).toEqual([person.account.account_id]);
  });

  test('gives no token for the password alone, at the page or by Cognito’s API', async () => {
    await expect(person.signIn({ password: newPassword })).rejects.toThrow('must pass a code of an authenticator app');
    const { ChallengeName, AuthenticationResult } = await sendPassword(cognito, deployed.outputs['userPoolId']!, deployed.clients.cli.clientId, {
      email: person.signInAddress,
      password: newPassword,
    });
    expect([ChallengeName, AuthenticationResult]).toEqual(['SOFTWARE_TOKEN_MFA', undefined]);
  });

  test('asks for a code at the next sign-in, and lets who lost the phone set up another one after users/ResetSecondFactor', async () => {
    const { access_token: token, refresh_token: refreshToken } = await person.signIn({ password: newPassword, authenticator });
    expect((await call(admin, 'users/ResetSecondFactor', { user_id: person.user.user_id })).status).toBe(200);
    await eventually(async () => expect((await getSession(token)).status).toBe(401));
    expect(await requestRefresh((await discover(deployed.jmapUrl)).token_endpoint, deployed.clients.cli.clientId, refreshToken)).toMatchObject({
      status: 400,
      json: { error: 'invalid_grant' },
    });
    await expect(person.signIn({ password: newPassword })).rejects.toThrow('must pass a code of an authenticator app');
    await nextSecond();
    const other: Authenticator = {};
    const { access_token: next } = await person.signIn({ password: newPassword, authenticator: other });
    expect(other.secret).not.toBe(authenticator.secret);
    expect(await accountIdsOf(next)).toEqual([person.account.account_id]);
    const {
      audit_logs: [entry],
    } = await ok<{ audit_logs: AuditLog[] }>(admin, 'audit/ListAuditLogs', { operation: 'users/ResetSecondFactor', page_size: 1 });
    expect(entry).toMatchObject({ status: 'success', entity_id: person.user.user_id });
  });
});

describeWith('emulator', 'adminHeadless')('an invited admin without a second factor', () => {
  const email = `success+invited-${randomUUID().slice(0, 8)}@simulator.amazonses.com`;
  const chosen: Person = { email, password: 'Correct-horse-of-mine-2' };
  const userPoolId = deployed.outputs['userPoolId']!;
  let temporary: Person;
  /** An app client of each kind with which people sign in. */
  let clients: { readonly clientId: string; readonly redirectUri: string }[];
  const signInAt = (client: (typeof clients)[number], who: Person) => signIn({ authUrl: deployed.authUrl, ...client, ...who });

  beforeAll(async () => {
    const admin = await adminMachineToken();
    const redirectUri = 'test.example.second-factor:/callback';
    const registered = await registerClient(await discover(deployed.jmapUrl), 'Without a second factor', [redirectUri]);
    clients = [
      { clientId: deployed.clients.cli.clientId, redirectUri: cliCallbackUrls[0] },
      { clientId: deployed.clients.console.clientId, redirectUri: `${deployed.outputs['consoleUrl']}${consoleCallbackPath}` },
      { clientId: (registered.json as { client_id: string }).client_id, redirectUri },
    ];
    await requireSecondFactor(true);
    const { user, temporary_password: password } = await ok<{ user: User; temporary_password: string }>(admin, 'users/CreateUser', {
      email,
      return_temporary_password: true,
    });
    await ok(admin, 'users/UpdateUser', { user_id: user.user_id, is_admin: true });
    temporary = { email, password, newPassword: chosen.password };
  });
  afterAll(() => requireSecondFactor(false));

  test('gets no token at any app client: the hosted page first sets up an authenticator app', async () => {
    await expect(signInAt(clients[0]!, temporary)).rejects.toThrow('must pass a code of an authenticator app');
    for (const client of clients) await expect(signInAt(client, chosen)).rejects.toThrow('must pass a code of an authenticator app');
  });

  test('gets no token from Cognito’s API at any app client, by any flow', async () => {
    const refusal = { name: expect.stringMatching(/^(InvalidParameter|NotAuthorized)Exception$/) as string };
    for (const { clientId: ClientId } of clients) {
      const { ChallengeName, Session, AuthenticationResult } = await sendPassword(cognito, userPoolId, ClientId, chosen);
      expect([ChallengeName, AuthenticationResult]).toEqual(['MFA_SETUP', undefined]);
      const unverified = new RespondToAuthChallengeCommand({ ClientId, ChallengeName, Session, ChallengeResponses: { USERNAME: email } });
      await expect(cognito.send(unverified)).rejects.toMatchObject(refusal);
    }
    const headless = [deployed.clients.adminHeadless!, deployed.clients.jmapHeadless];
    const AuthParameters = { USERNAME: email, PASSWORD: chosen.password, PREFERRED_CHALLENGE: 'PASSWORD' };
    for (const { clientId: ClientId } of [...clients, ...headless]) {
      for (const AuthFlow of ['USER_PASSWORD_AUTH', 'USER_AUTH', 'CUSTOM_AUTH'] satisfies AuthFlowType[]) {
        await expect(cognito.send(new InitiateAuthCommand({ ClientId, AuthFlow, AuthParameters }))).rejects.toMatchObject(refusal);
      }
      const asAdmin = new AdminInitiateAuthCommand({ UserPoolId: userPoolId, ClientId, AuthFlow: 'ADMIN_USER_PASSWORD_AUTH', AuthParameters });
      await expect(cognito.send(asAdmin)).rejects.toMatchObject(refusal);
    }
    for (const { clientId } of headless) await expect(sendPassword(cognito, userPoolId, clientId, chosen)).rejects.toMatchObject(refusal);
  });

  test('who sets up an authenticator app by Cognito’s API gets a token for neither API there, and one for both at the hosted page with a code', async () => {
    const [{ clientId: ClientId }, console] = clients as [(typeof clients)[number], (typeof clients)[number]];
    const { Session } = await sendPassword(cognito, userPoolId, ClientId, chosen);
    const { SecretCode: secret = '', Session: next } = await cognito.send(new AssociateSoftwareTokenCommand({ Session }));
    const { Session: verified } = await cognito.send(new VerifySoftwareTokenCommand({ Session: next, UserCode: oneTimeCode(secret) }));
    const { AuthenticationResult: { AccessToken: outside } = {} } = await cognito.send(
      new RespondToAuthChallengeCommand({ ClientId, ChallengeName: 'MFA_SETUP', Session: verified, ChallengeResponses: { USERNAME: email } }),
    );
    expect(outside).toEqual(expect.any(String));
    expect([(await getSession(outside)).status, (await call(outside, 'status/Ping')).status]).toEqual([403, 403]);
    await expect(signInAt(console, chosen)).rejects.toThrow('must pass a code of an authenticator app');
    const { access_token: token } = await signInAt(console, { ...chosen, authenticator: { secret } });
    expect((await call(token, 'status/Ping')).status).toBe(200);
  });
});

describeWith('emulator', 'adminHeadless')('a deployment without a second factor', () => {
  test('refuses users/ResetSecondFactor with the setting that requires one', async () => {
    const admin = await adminMachineToken();
    const { user } = await createUserWithAccount(admin, `one-factor-${randomUUID().slice(0, 8)}`);
    const refused = await call(admin, 'users/ResetSecondFactor', { user_id: user.user_id });
    expectError(refused, 400, 'failed_precondition');
    expect(refused.json).toMatchObject({ message: expect.stringContaining('mfa=required') });
  });
});

describeWith('credentials', 'adminHeadless')('a first sign-in with a temporary password by Cognito’s API', () => {
  const isSandbox = deployed.awsEndpointUrl !== undefined;
  beforeAll(() => (isSandbox ? requireSecondFactor(true) : undefined));
  afterAll(() => (isSandbox ? requireSecondFactor(false) : undefined));

  test('returns no tokens before an authenticator app is set up, and users/ResetSecondFactor makes the next sign-in set up another', async () => {
    const userPoolId = deployed.outputs['userPoolId']!;
    const { clientId } = deployed.clients.cli;
    const { MfaConfiguration: mfa } = await cognito.send(new GetUserPoolMfaConfigCommand({ UserPoolId: userPoolId }));
    if (mfa !== 'ON') return observe('not tried: the deployment has mfa=off');
    const admin = await adminMachineToken();
    const email = `success+first-${randomUUID().slice(0, 8)}@simulator.amazonses.com`;
    const { user, temporary_password: password } = await ok<{ user: User; temporary_password: string }>(admin, 'users/CreateUser', {
      email,
      return_temporary_password: true,
    });
    await ok(admin, 'users/ResetSecondFactor', { user_id: user.user_id });
    const { ChallengeName, ChallengeParameters, Session } = await sendPassword(cognito, userPoolId, clientId, { email, password });
    expect(ChallengeName).toBe('NEW_PASSWORD_REQUIRED');
    const chosen = 'Correct-horse-of-mine-3';
    const answer = await cognito.send(
      new RespondToAuthChallengeCommand({
        ClientId: clientId,
        ChallengeName,
        Session,
        ChallengeResponses: { USERNAME: ChallengeParameters?.['USER_ID_FOR_SRP'] ?? email, NEW_PASSWORD: chosen },
      }),
    );
    expect([answer.ChallengeName, answer.AuthenticationResult]).toEqual(['MFA_SETUP', undefined]);
    const person = { email, password: chosen };
    expect((await enrolSecondFactor(cognito, userPoolId, clientId, person))?.secret).toEqual(expect.any(String));
    const { UserMFASettingList: factors = [] } = await cognito.send(
      new AdminGetUserCommand({ UserPoolId: userPoolId, Username: user.idp_identities![0]!.username }),
    );
    observe(`AdminGetUser lists ${factors.join(', ') || 'no factor'} after the setup`);
    expect((await sendPassword(cognito, userPoolId, clientId, person)).ChallengeName).toBe('SOFTWARE_TOKEN_MFA');
    await ok(admin, 'users/ResetSecondFactor', { user_id: user.user_id });
    expect((await sendPassword(cognito, userPoolId, clientId, person)).ChallengeName).toBe('MFA_SETUP');
  });
});
