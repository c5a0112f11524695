import {
  AdminDisableUserCommand,
  AdminUserGlobalSignOutCommand,
  CognitoIdentityProviderClient,
  DeleteUserPoolClientCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import type { Tokens } from '../../../sandbox/clients/hosted-sign-in.ts';
import { getAtt, lambda, withEmulator } from '../../support/test-emulator.ts';
import { addPerson, person, poolTemplate, publicClient, refreshAt, signInAt } from './pool-person.ts';

/** A trigger that adds its event to the access token. */
const trigger = `
exports.handler = async (event) => {
  const told = { source: event.triggerSource, client: event.callerContext.clientId, sub: event.request.userAttributes.sub, email: event.request.userAttributes.email, scopes: event.request.scopes };
  event.response.claimsAndScopeOverrideDetails = { accessTokenGeneration: { claimsToAddOrOverride: { told: JSON.stringify(told) } } };
  return event;
};`;

const client = publicClient(['ALLOW_REFRESH_TOKEN_AUTH', 'ALLOW_USER_SRP_AUTH']);
const template = poolTemplate(
  { LambdaConfig: { PreTokenGenerationConfig: { LambdaArn: getAtt('Trigger', 'Arn'), LambdaVersion: 'V2_0' } } },
  { Client: client, Other: client },
  lambda('Trigger', trigger),
);

const fixture = withEmulator();
let outputs: Record<string, string>;
let cognito: CognitoIdentityProviderClient;
let tokens: Tokens;

beforeAll(async () => {
  outputs = await fixture.deploy(template);
  cognito = new CognitoIdentityProviderClient(fixture.clientConfig);
  await addPerson(cognito, outputs['pool']);
  tokens = await signedIn();
});
afterAll(() => cognito.destroy());

const signedIn = (): Promise<Tokens> => signInAt(fixture, outputs['client']!);
const refresh = (clientId = outputs['client']!, { refresh_token: token = '' } = tokens) => refreshAt(fixture, clientId, token);
const told = (accessToken = ''): unknown =>
  JSON.parse((JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString()) as { told: string }).told);

test('the pre-token trigger gets the user’s attributes and the scopes of the sign-in at a refresh', async () => {
  const first = told(tokens.access_token) as { sub: string };
  expect(first).toMatchObject({
    source: 'TokenGeneration_HostedAuth',
    client: outputs['client'],
    sub: expect.any(String),
    email: person.email,
    scopes: ['openid'],
  });
  expect(told((await refresh()).json['access_token'])).toEqual({ ...first, source: 'TokenGeneration_RefreshTokens' });
});

test('another client cannot use a refresh token', async () => {
  expect(await refresh(outputs['other'])).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
});

test('a client that was deleted cannot refresh', async () => {
  const other = await signInAt(fixture, outputs['other']!);
  await cognito.send(new DeleteUserPoolClientCommand({ UserPoolId: outputs['pool'], ClientId: outputs['other'] }));
  expect(await refresh(outputs['other'], other)).toMatchObject({ status: 400, json: { error: 'invalid_client' } });
});

test('a refresh after a global sign-out is refused, even within a second', async () => {
  const short = await signedIn();
  await cognito.send(new AdminUserGlobalSignOutCommand({ UserPoolId: outputs['pool'], Username: person.email }));
  expect(await refresh(outputs['client'], short)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
});

test('the refresh of a disabled user is refused', async () => {
  tokens = await signedIn();
  await cognito.send(new AdminDisableUserCommand({ UserPoolId: outputs['pool'], Username: person.email }));
  expect(await refresh()).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
});
