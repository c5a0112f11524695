import { everything, readable, synthesize } from './stack-under-test.ts';

const { ofType, json } = synthesize(everything);
const pool = ofType('AWS::Cognito::UserPool')[0]!.Properties;
const clients = Object.fromEntries(ofType('AWS::Cognito::UserPoolClient').map(({ Properties }) => [String(Properties['ClientName']), Properties]));

describe('the user pool', () => {
  test('people sign in by e-mail address, in any case, and are invited only', () => {
    expect(pool).toMatchObject({
      UserPoolTier: 'ESSENTIALS',
      UsernameAttributes: ['email'],
      UsernameConfiguration: { CaseSensitive: false },
      AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
      AccountRecoverySetting: { RecoveryMechanisms: [{ Name: 'verified_email', Priority: 1 }] },
    });
  });

  test('passwords are long and mixed, a second factor is offered', () => {
    expect(pool).toMatchObject({
      Policies: { PasswordPolicy: { MinimumLength: 12, RequireLowercase: true, RequireUppercase: true, RequireNumbers: true, RequireSymbols: true } },
      MfaConfiguration: 'OPTIONAL',
      EnabledMfas: ['SOFTWARE_TOKEN_MFA'],
    });
  });

  test('the pre-token Lambda fills access tokens (event version 2), and only this pool may call it', () => {
    const { PreTokenGenerationConfig: trigger } = pool['LambdaConfig'] as { PreTokenGenerationConfig: { LambdaVersion: string; LambdaArn: unknown } };
    expect(trigger.LambdaVersion).toBe('V2_0');
    expect(readable(trigger.LambdaArn)).toBe('<UserPoolPreToken.Arn>');
    const permissions = ofType('AWS::Lambda::Permission').filter(({ Properties }) => Properties['Principal'] === 'cognito-idp.amazonaws.com');
    expect(permissions.map(({ Properties }) => readable(Properties['SourceArn']))).toEqual(['<UserPool.Arn>']);
  });

  test('the two audiences are resource servers with their permissions', () => {
    const servers = ofType('AWS::Cognito::UserPoolResourceServer').map(({ Properties }) => [Properties['Identifier'], (Properties['Scopes'] as { ScopeName: string }[]).map(({ ScopeName }) => ScopeName)]);
    expect(servers).toEqual([['adminApi', ['ADMIN']], ['jmapApi', ['MAIL_READ', 'MAIL_WRITE', 'MAIL_SEND']]]);
  });

  test('the hosted sign-in has a name that no other stack has, or the one that was chosen', () => {
    expect(JSON.stringify(ofType('AWS::Cognito::UserPoolDomain')[0]!.Properties['Domain'])).toContain('AWS::StackId');
    const chosen = synthesize({ ...everything, authDomainPrefix: 'example-mail' });
    expect(chosen.ofType('AWS::Cognito::UserPoolDomain')[0]!.Properties['Domain']).toBe('example-mail');
    expect(readable(json.Outputs['authUrl']!.Value)).toMatch(/^https:\/\/<UserPoolDomain>\.auth\.<AWS::Region>\.amazoncognito\.com$/);
  });
});

describe('clients', () => {
  const flags = [
    'GenerateSecret', 'AllowedOAuthFlowsUserPoolClient', 'AllowedOAuthFlows', 'AllowedOAuthScopes', 'SupportedIdentityProviders', 'ExplicitAuthFlows',
    'PreventUserExistenceErrors', 'EnableTokenRevocation', 'EnablePropagateAdditionalUserContextData', 'AuthSessionValidity',
    'AccessTokenValidity', 'IdTokenValidity', 'RefreshTokenValidity', 'TokenValidityUnits', 'RefreshTokenRotation',
  ];

  test('there are the console, the command line and the provisioned ones', () => {
    expect(Object.keys(clients).sort()).toEqual(['AdminHeadless', 'Cli', 'Console', 'JmapHeadless']);
  });

  test.each(['Console', 'Cli', 'JmapHeadless', 'AdminHeadless'])('%s leaves no flag to Cognito’s default', (name) => {
    expect(Object.keys(clients[name]!)).toEqual(expect.arrayContaining(flags));
    expect(clients[name]).toMatchObject({
      PreventUserExistenceErrors: 'ENABLED', EnableTokenRevocation: true, EnablePropagateAdditionalUserContextData: false,
      AccessTokenValidity: 60, TokenValidityUnits: { AccessToken: 'minutes', IdToken: 'minutes', RefreshToken: 'days' },
    });
  });

  test('people’s clients are public, by code, and are granted no API by asking', () => {
    for (const name of ['Console', 'Cli']) {
      expect(clients[name]).toMatchObject({ GenerateSecret: false, AllowedOAuthFlows: ['code'], AllowedOAuthScopes: ['openid', 'email', 'profile'] });
    }
    expect(clients['Console']!['CallbackURLs']).toEqual(['https://console.example.com/callback']);
    expect(clients['Cli']!['CallbackURLs']).toEqual(['http://localhost:8976/callback', 'http://127.0.0.1:8976/callback']);
  });

  test('people’s refresh tokens rotate, with a minute to ask again for an answer that was lost (RFC 9700 §2.2.2)', () => {
    for (const name of ['Console', 'Cli']) expect(clients[name]!['RefreshTokenRotation']).toEqual({ Feature: 'ENABLED', RetryGracePeriodSeconds: 60 });
    for (const name of ['JmapHeadless', 'AdminHeadless']) expect(clients[name]!['RefreshTokenRotation']).toEqual({ Feature: 'DISABLED' });
  });

  test('nobody signs in with people’s clients but at the hosted page: the one flow that they name needs triggers, and the pool has none', () => {
    for (const name of ['Console', 'Cli']) expect(clients[name]!['ExplicitAuthFlows']).toEqual(['ALLOW_CUSTOM_AUTH']);
    expect(Object.keys(pool['LambdaConfig'] as object)).toEqual(['PreTokenGenerationConfig']);
  });

  test('a headless client has a secret and exactly the scopes that were configured', () => {
    expect(clients['JmapHeadless']).toMatchObject({ GenerateSecret: true, AllowedOAuthFlows: ['client_credentials'], AllowedOAuthScopes: ['jmapApi/MAIL_READ', 'jmapApi/MAIL_WRITE'] });
    expect(clients['AdminHeadless']).toMatchObject({ GenerateSecret: true, AllowedOAuthScopes: ['adminApi/ADMIN'] });
    for (const client of ofType('AWS::Cognito::UserPoolClient')) expect(client.DependsOn).toEqual(expect.arrayContaining(ofType('AWS::Cognito::UserPoolResourceServer').map(({ id }) => id)));
  });

  test('without headlessClients there are none, and no Lambda that could read a client’s secret', () => {
    const { ofType } = synthesize({ domain: 'example.com' });
    expect(ofType('AWS::Cognito::UserPoolClient').map(({ Properties }) => String(Properties['ClientName'])).sort()).toEqual(['Cli', 'Console']);
    expect(ofType('Custom::ClientSecret')).toEqual([]);
    expect(JSON.stringify(ofType('AWS::IAM::Policy'))).not.toContain('DescribeUserPoolClient');
  });
});

describe('secrets', () => {
  test('no secret’s value is in the template: not as text, not as a dynamic reference, not as an attribute', () => {
    expect(JSON.stringify(json).match(/"SecretString"|\{\{resolve:|"ClientSecret"\]/g)).toBeNull();
    for (const { Properties } of ofType('AWS::SecretsManager::Secret')) expect(Object.keys(Properties).sort()).toEqual(['Description', 'GenerateSecretString']);
  });

  test('the output of a client’s secret is its ARN', () => {
    expect(readable(json.Outputs['JmapHeadlessClientSecret']!.Value)).toBe('<HeadlessClientsJmapHeadlessSecret>');
    expect(readable(json.Outputs['JmapHeadlessClientId']!.Value)).toBe('<UserPoolJmapHeadlessClient>');
  });

  test('the custom resource that carries a secret is told where it is and where it goes, and answers nothing that is read', () => {
    const carried = ofType('Custom::ClientSecret');
    expect(carried).toHaveLength(2);
    for (const { id, Properties } of carried) {
      expect(Object.keys(Properties).sort()).toEqual(['ServiceTimeout', 'ServiceToken', 'clientId', 'secretArn', 'userPoolId']);
      expect(JSON.stringify(json).includes(`{"Fn::GetAtt":["${id}"`)).toBe(false);
    }
  });
});
