import { CognitoIdentityProviderClient, CreateUserPoolClientCommand, CreateUserPoolCommand, DescribeUserPoolClientCommand } from '@aws-sdk/client-cognito-identity-provider';
import { cognitoClientRegistrar } from '../../lambdas/providers/cognito-client-registrar.ts';
import { clientRegistrarContract } from '../contracts/client-registrar-contract.ts';
import { startTestEmulator } from '../support/emulator.ts';

let emulator: Awaited<ReturnType<typeof startTestEmulator>>;

beforeAll(async () => {
  emulator = await startTestEmulator();
}, 60_000);
afterAll(() => emulator?.stop());

const makePool = async () => {
  const cognito = new CognitoIdentityProviderClient();
  const { UserPool: pool } = await cognito.send(new CreateUserPoolCommand({ PoolName: 'apps' }));
  return { cognito, poolId: pool?.Id ?? '' };
};

describe('the client registrar in Cognito', () => {
  clientRegistrarContract(async () => ({ registrar: cognitoClientRegistrar((await makePool()).poolId) }));

  test('an app is a public client for the authorization code, with no flag left to the provider', async () => {
    const { cognito, poolId } = await makePool();
    const redirectUris = ['http://127.0.0.1:51234/callback', 'com.example.mail:/callback'];
    const clientId = await cognitoClientRegistrar(poolId).create('ab'.repeat(32), redirectUris);
    const { UserPoolClient: client } = await cognito.send(new DescribeUserPoolClientCommand({ UserPoolId: poolId, ClientId: clientId }));
    expect(client).toMatchObject({
      ClientName: `dynamic-${'ab'.repeat(32)}`, CallbackURLs: redirectUris, LogoutURLs: redirectUris,
      AllowedOAuthFlowsUserPoolClient: true, AllowedOAuthFlows: ['code'], AllowedOAuthScopes: ['openid', 'email', 'profile'], SupportedIdentityProviders: ['COGNITO'],
      ExplicitAuthFlows: ['ALLOW_REFRESH_TOKEN_AUTH'], PreventUserExistenceErrors: 'ENABLED', EnableTokenRevocation: true, EnablePropagateAdditionalUserContextData: false,
      AuthSessionValidity: 3, AccessTokenValidity: 60, IdTokenValidity: 60, RefreshTokenValidity: 30,
      TokenValidityUnits: { AccessToken: 'minutes', IdToken: 'minutes', RefreshToken: 'days' },
    });
    expect(client).not.toHaveProperty('ClientSecret');
  });

  test('clients that others made are none of ours, whatever they are called', async () => {
    const { cognito, poolId } = await makePool();
    for (const ClientName of ['Console', 'dynamic-', 'dynamic-mail', `dynamic-${'AB'.repeat(32)}`, `my dynamic-${'ab'.repeat(32)}`]) {
      await cognito.send(new CreateUserPoolClientCommand({ UserPoolId: poolId, ClientName }));
    }
    expect(await cognitoClientRegistrar(poolId).list()).toEqual([]);
  });
});
