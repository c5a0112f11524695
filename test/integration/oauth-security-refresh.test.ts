import { setTimeout as pause } from 'node:timers/promises';
import {
  CognitoIdentityProviderClient,
  CreateUserPoolClientCommand,
  DeleteUserPoolClientCommand,
  GetUserCommand,
  InitiateAuthCommand,
  type AuthFlowType,
} from '@aws-sdk/client-cognito-identity-provider';
import { clientSettings, cliCallbackUrls, personClientSettings } from '../../contract/oauth/oauth.ts';
import { signIn } from '../../sandbox/clients/hosted-sign-in.ts';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { srpSignIn } from '../support/srp-sign-in.ts';
import { deployed, describeWith, sandboxUser } from './deployment.ts';
import { getSession } from './jmap-client.ts';
import { claimsOf, discover, postForm, registerClient, requestRefresh, type ServerMetadata, type TokenAnswer } from './oauth-client.ts';

let metadata: ServerMetadata;
beforeAll(async () => {
  metadata = await discover(deployed.jmapUrl);
});

const cognito = new CognitoIdentityProviderClient(awsClientConfig(deployed));
afterAll(() => cognito.destroy());

const refusal = { status: 400, json: { error: 'invalid_grant' } };
const refresh = (clientId: string, token?: string) => requestRefresh(metadata.token_endpoint, clientId, token);
const refreshSuccessfully = async (clientId: string, token?: string): Promise<TokenAnswer> => {
  const answer = await refresh(clientId, token);
  expect(answer).toMatchObject({ status: 200, json: { access_token: expect.any(String), refresh_token: expect.any(String) } });
  expect((answer.json as TokenAnswer).refresh_token).not.toBe(token);
  return answer.json as TokenAnswer;
};
const signInAlice = (clientId: string, redirectUri: string = cliCallbackUrls[0]) =>
  signIn({ authUrl: new URL(metadata.token_endpoint).origin, clientId, redirectUri, ...sandboxUser('alice') });

describeWith('users')('refresh token rotation (RFC 9700 §2.2.2)', () => {
  const { clientId } = deployed.clients.cli;

  test('each refresh returns a new refresh token, which works for the next refresh', async () => {
    let { refresh_token: token } = await signInAlice(clientId);
    for (let round = 0; round < 3; round += 1) {
      const tokens = await refreshSuccessfully(clientId, token);
      expect((await getSession(tokens.access_token)).status).toBe(200);
      token = tokens.refresh_token;
    }
  });

  test('a refresh can be repeated when its response was lost, and the later refresh token works', async () => {
    const { refresh_token: first } = await signInAlice(clientId);
    await refreshSuccessfully(clientId, first);
    const { refresh_token: second } = await refreshSuccessfully(clientId, first);
    await refreshSuccessfully(clientId, second);
  });

  test('rotates the refresh tokens of a registered client too', async () => {
    expect(metadata.registration_endpoint).toBeDefined();
    const redirectUri = 'test.example.rotating:/callback';
    const registered = await registerClient(metadata, 'Rotating', [redirectUri]);
    expect(registered.status).toBe(201);
    const { client_id: own } = registered.json as { client_id: string };
    await refreshSuccessfully(own, (await refreshSuccessfully(own, (await signInAlice(own, redirectUri)).refresh_token)).refresh_token);
  });

  test('revoking the newest refresh token revokes the earlier ones', async () => {
    const { refresh_token: first } = await signInAlice(clientId);
    const { refresh_token: second = '' } = await refreshSuccessfully(clientId, first);
    expect((await postForm(metadata.revocation_endpoint, { token: second, client_id: clientId })).status).toBe(200);
    for (const token of [first, second]) expect(await refresh(clientId, token)).toMatchObject(refusal);
  });
});

/** The deployment's clients have a grace period of a minute. This client differs from them only in its grace period. */
describeWith('users', 'credentials')('a used refresh token', () => {
  const UserPoolId = deployed.outputs['userPoolId'];
  let clientId: string;
  beforeAll(async () => {
    const { UserPoolClient: client } = await cognito.send(
      new CreateUserPoolClientCommand({
        UserPoolId,
        ClientName: 'short-grace-period',
        GenerateSecret: false,
        AllowedOAuthFlowsUserPoolClient: true,
        AllowedOAuthFlows: ['code'],
        AllowedOAuthScopes: [...personClientSettings.allowedOAuthScopes],
        SupportedIdentityProviders: [...clientSettings.supportedIdentityProviders],
        CallbackURLs: [cliCallbackUrls[0]],
        ExplicitAuthFlows: [...personClientSettings.explicitAuthFlows],
        RefreshTokenRotation: { Feature: personClientSettings.refreshTokenRotation.feature, RetryGracePeriodSeconds: 1 },
      }),
    );
    clientId = client?.ClientId ?? '';
  });
  afterAll(() => cognito.send(new DeleteUserPoolClientCommand({ UserPoolId, ClientId: clientId })));

  test('is refused after the grace period, and its successor still works', async () => {
    const { refresh_token: first } = await signInAlice(clientId);
    const { refresh_token: second } = await refreshSuccessfully(clientId, first);
    await pause(1200);
    expect(await refresh(clientId, first)).toMatchObject(refusal);
    await refreshSuccessfully(clientId, second);
  });
});

describeWith('users')('sign-in with a password outside the hosted page', () => {
  test('returns tokens without a scope of ours, also when they are refreshed, and each 403 says what to do', async () => {
    const alice = sandboxUser('alice');
    const registered = await registerClient(metadata, 'Without the page', ['test.example.without-page:/callback']);
    for (const clientId of [deployed.clients.cli.clientId, (registered.json as { client_id: string }).client_id]) {
      const tokens = await srpSignIn(cognito, deployed.outputs['userPoolId'] ?? '', clientId, alice);
      const { status, json: refreshed } = await refresh(clientId, tokens.RefreshToken);
      expect([200, 400]).toContain(status);
      for (const token of [tokens.AccessToken!, ...(status === 200 ? [(refreshed as TokenAnswer).access_token] : [])]) {
        const claims = claimsOf(token);
        expect(claims['scope'] ?? '').not.toMatch(/Api\/|signin\.user\.admin/);
        expect(claims).not.toHaveProperty('user_id');
        expect(await getSession(token)).toMatchObject({ status: 403, json: { detail: expect.stringContaining('hosted page') as string } });
        const changed = cognito.send(new GetUserCommand({ AccessToken: token }));
        await expect(changed).rejects.toMatchObject({ name: 'NotAuthorizedException' });
      }
    }
  });

  test.each<AuthFlowType>(['USER_PASSWORD_AUTH', 'USER_AUTH', 'CUSTOM_AUTH'])('the auth flow %s is refused', async (AuthFlow) => {
    const { email, password } = sandboxUser('alice');
    const AuthParameters = { USERNAME: email, PASSWORD: password, SRP_A: 'a'.repeat(64), PREFERRED_CHALLENGE: 'PASSWORD' };
    for (const { clientId: ClientId } of [deployed.clients.cli, deployed.clients.console]) {
      await expect(cognito.send(new InitiateAuthCommand({ ClientId, AuthFlow, AuthParameters }))).rejects.toMatchObject({
        name: expect.stringMatching(/^(InvalidParameter|NotAuthorized)Exception$/),
      });
    }
  });
});
