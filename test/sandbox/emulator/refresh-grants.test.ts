import { AdminCreateUserCommand, AdminDisableUserCommand, AdminSetUserPasswordCommand, AdminUserGlobalSignOutCommand, CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { signIn, type Tokens } from '../../../sandbox/hosted-sign-in.ts';
import { getAtt, lambda, ref, startTrial, type Trial } from './trial.ts';

const redirectUri = 'http://localhost:8976/callback';

/** Puts what the trigger is told into the access token. */
const trigger = `
exports.handler = async (event) => {
  const told = { source: event.triggerSource, client: event.callerContext.clientId, sub: event.request.userAttributes.sub, email: event.request.userAttributes.email };
  event.response.claimsAndScopeOverrideDetails = { accessTokenGeneration: { claimsToAddOrOverride: { told: JSON.stringify(told) } } };
  return event;
};`;

const client = {
  Type: 'AWS::Cognito::UserPoolClient',
  Properties: {
    UserPoolId: ref('Pool'), GenerateSecret: false, AllowedOAuthFlowsUserPoolClient: true, AllowedOAuthFlows: ['code'], AllowedOAuthScopes: ['openid'],
    CallbackURLs: [redirectUri], SupportedIdentityProviders: ['COGNITO'], ExplicitAuthFlows: ['ALLOW_REFRESH_TOKEN_AUTH'],
  },
};
const template = {
  Resources: {
    ...lambda('Trigger', trigger),
    Pool: {
      Type: 'AWS::Cognito::UserPool',
      Properties: { UsernameAttributes: ['email'], LambdaConfig: { PreTokenGenerationConfig: { LambdaArn: getAtt('Trigger', 'Arn'), LambdaVersion: 'V2_0' } } },
    },
    Client: client,
    Other: client,
  },
  Outputs: { pool: { Value: ref('Pool') }, client: { Value: ref('Client') }, other: { Value: ref('Other') } },
};

const person = { email: 'ada@example.test', password: 'Correct-horse-1' };
let trial: Trial;
let outputs: Record<string, string>;
let cognito: CognitoIdentityProviderClient;
let tokens: Tokens;

beforeAll(async () => {
  trial = await startTrial();
  outputs = await trial.deploy(template);
  cognito = new CognitoIdentityProviderClient(trial.reach);
  const user = { UserPoolId: outputs['pool'], Username: person.email };
  await cognito.send(new AdminCreateUserCommand({ ...user, UserAttributes: [{ Name: 'email', Value: person.email }], MessageAction: 'SUPPRESS' }));
  await cognito.send(new AdminSetUserPasswordCommand({ ...user, Password: person.password, Permanent: true }));
  tokens = await signedIn();
}, 120_000);
afterAll(async () => {
  cognito.destroy();
  await trial.end();
});

const signedIn = (): Promise<Tokens> => signIn({ authUrl: trial.emulator.endpoint, clientId: outputs['client']!, redirectUri, scope: 'openid', ...person });
const refresh = async (clientId = outputs['client']!, { refresh_token: token = '' } = tokens): Promise<{ status: number; json: Record<string, string> }> => {
  const answer = await fetch(`${trial.emulator.endpoint}/oauth2/token`, {
    method: 'POST', body: new URLSearchParams({ grant_type: 'refresh_token', client_id: clientId, refresh_token: token }),
  });
  return { status: answer.status, json: await answer.json() as Record<string, string> };
};
const told = (accessToken = ''): unknown => JSON.parse((JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString()) as { told: string }).told);

test('the trigger is told whose token is refreshed, as at the sign-in', async () => {
  const first = told(tokens.access_token) as { sub: string };
  expect(first).toMatchObject({ source: 'TokenGeneration_HostedAuth', client: outputs['client'], sub: expect.any(String), email: person.email });
  expect(told((await refresh()).json['access_token'])).toEqual({ ...first, source: 'TokenGeneration_RefreshTokens' });
});

test('a refresh token is its client’s alone', async () => {
  expect(await refresh(outputs['other'])).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
});

test('a token is not refreshed any more when its user is signed out everywhere, however soon', async () => {
  const short = await signedIn();
  await cognito.send(new AdminUserGlobalSignOutCommand({ UserPoolId: outputs['pool'], Username: person.email }));
  expect(await refresh(outputs['client'], short)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
});

test('a disabled user’s token is not refreshed', async () => {
  tokens = await signedIn();
  await cognito.send(new AdminDisableUserCommand({ UserPoolId: outputs['pool'], Username: person.email }));
  expect(await refresh()).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
});
