import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  CognitoIdentityProviderClient,
  CreateResourceServerCommand,
  CreateUserPoolClientCommand,
  CreateUserPoolCommand,
  DescribeUserPoolClientCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import { registeredClientScopes, resourceServers } from '../../../contract/oauth/oauth.ts';
import { cognitoClientRegistrar } from '../../../core/aws/cognito-client-registrar.ts';
import { clientRegistrationsIn } from '../../../core/directory/clients/client-registrations.ts';
import { systemClock } from '../../../core/runtime/clock.ts';
import { registerClient } from '../../../lambdas/registration/register-client.ts';
import { memoryLog } from '../../fakes/memory-log.ts';
import { clientRegistrarSuite } from '../../port-suites/client-registrar-suite.ts';
import { withDynamodb } from '../../support/dynamodb.ts';

const dynamodb = withDynamodb();

const makePool = async () => {
  const cognito = new CognitoIdentityProviderClient();
  const { UserPool: pool } = await cognito.send(new CreateUserPoolCommand({ PoolName: 'apps' }));
  const { identifier, name, permissions } = resourceServers.jmapApi;
  await cognito.send(
    new CreateResourceServerCommand({
      UserPoolId: pool?.Id,
      Identifier: identifier,
      Name: name,
      Scopes: Object.entries(permissions).map(([ScopeName, ScopeDescription]) => ({ ScopeName, ScopeDescription })),
    }),
  );
  return { cognito, poolId: pool?.Id ?? '' };
};

describe('the client registrar in Cognito', () => {
  clientRegistrarSuite(async () => ({ registrar: cognitoClientRegistrar((await makePool()).poolId) }));

  test('creates a public client for the authorization code, and sets every flag that has a default', async () => {
    const { cognito, poolId } = await makePool();
    const redirectUris = ['http://127.0.0.1:51234/callback', 'com.example.mail:/callback'];
    const clientId = await cognitoClientRegistrar(poolId).create('ab'.repeat(32), redirectUris);
    const { UserPoolClient: client } = await cognito.send(new DescribeUserPoolClientCommand({ UserPoolId: poolId, ClientId: clientId }));
    expect(client).toMatchObject({
      ClientName: `dynamic-${'ab'.repeat(32)}`,
      CallbackURLs: redirectUris,
      LogoutURLs: redirectUris,
      AllowedOAuthFlowsUserPoolClient: true,
      AllowedOAuthFlows: ['code'],
      AllowedOAuthScopes: [...registeredClientScopes],
      SupportedIdentityProviders: ['COGNITO'],
      ExplicitAuthFlows: ['ALLOW_USER_SRP_AUTH'],
      RefreshTokenRotation: { Feature: 'ENABLED', RetryGracePeriodSeconds: 60 },
      PreventUserExistenceErrors: 'ENABLED',
      EnableTokenRevocation: true,
      EnablePropagateAdditionalUserContextData: false,
      AuthSessionValidity: 15,
      AccessTokenValidity: 60,
      IdTokenValidity: 60,
      RefreshTokenValidity: 30,
      TokenValidityUnits: { AccessToken: 'minutes', IdToken: 'minutes', RefreshToken: 'days' },
    });
    expect(client).not.toHaveProperty('ClientSecret');
  });

  test('an update gives a client of earlier settings those of a new client, and keeps its redirect URIs', async () => {
    const { cognito, poolId } = await makePool();
    const registrar = cognitoClientRegistrar(poolId);
    const [fingerprint, redirectUris] = ['ab'.repeat(32), ['com.example.mail:/callback']];
    const { UserPoolClient: earlier } = await cognito.send(
      new CreateUserPoolClientCommand({
        UserPoolId: poolId,
        ClientName: `dynamic-${fingerprint}`,
        CallbackURLs: redirectUris,
        ExplicitAuthFlows: ['ALLOW_CUSTOM_AUTH'],
        RefreshTokenValidity: 5,
      }),
    );
    const describeClient = async (ClientId: string | undefined) => {
      const { UserPoolClient: client } = await cognito.send(new DescribeUserPoolClientCommand({ UserPoolId: poolId, ClientId }));
      const { ClientId: _id, CreationDate: _created, LastModifiedDate: _changed, ...described } = client!;
      return described;
    };
    await registrar.update(earlier!.ClientId!, fingerprint, redirectUris);
    expect(await describeClient(earlier!.ClientId)).toEqual(await describeClient(await registrar.create(fingerprint, redirectUris)));
  });

  test('does not list app clients that were created otherwise, whatever their names', async () => {
    const { cognito, poolId } = await makePool();
    for (const ClientName of ['Console', 'dynamic-', 'dynamic-mail', `dynamic-${'AB'.repeat(32)}`, `my dynamic-${'ab'.repeat(32)}`]) {
      await cognito.send(new CreateUserPoolClientCommand({ UserPoolId: poolId, ClientName }));
    }
    expect(await cognitoClientRegistrar(poolId).list()).toEqual([]);
  });
});

describe('concurrent registrations on DynamoDB and Cognito', () => {
  let callers = 0;

  const deployment = async () => {
    const registrar = cognitoClientRegistrar((await makePool()).poolId);
    const table = await dynamodb.newTable();
    const register = (name: string) =>
      registerClient(
        { registrations: clientRegistrationsIn(table, systemClock), registrar, clock: systemClock, pause, newHolderId: randomUUID, log: memoryLog() },
        { client_name: name, redirect_uris: ['myapp://callback'] },
        `198.51.100.${++callers % 256}`,
      );
    return { registrar, register };
  };

  test('create one client for fifty equal requests', async () => {
    const { registrar, register } = await deployment();
    const ids = (await Promise.all(Array.from({ length: 50 }, () => register('mail')))).map(
      (registered) => 'client' in registered && registered.client.clientId,
    );
    expect((await registrar.list()).map(({ clientId }) => clientId)).toEqual([...new Set(ids)]);
  });

  test('create twenty clients for forty different requests', async () => {
    const { registrar, register } = await deployment();
    const outcomes = (await Promise.all(Array.from({ length: 40 }, (_, n) => register(`mail ${n}`)))).map(({ outcome }) => outcome);
    expect(Map.groupBy(outcomes, (outcome) => outcome).get('created')).toHaveLength(20);
    expect(Map.groupBy(outcomes, (outcome) => outcome).get('cap reached')).toHaveLength(20);
    expect(await registrar.list()).toHaveLength(20);
  });
});
