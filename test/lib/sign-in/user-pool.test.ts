import { everySetting, everything, readable, synthesize, type Resource } from '../stack-under-test.ts';

const { ofType, json, templates } = synthesize(everything);
const pool = ofType('AWS::Cognito::UserPool')[0]!.Properties;
const clients = Object.fromEntries(ofType('AWS::Cognito::UserPoolClient').map(({ Properties }) => [String(Properties['ClientName']), Properties]));

describe('the user pool', () => {
  test('lets users sign in by e-mail address in any case, and only admins create users', () => {
    expect(pool).toMatchObject({
      UserPoolTier: 'ESSENTIALS',
      UsernameAttributes: ['email'],
      UsernameConfiguration: { CaseSensitive: false },
      AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
      AccountRecoverySetting: { RecoveryMechanisms: [{ Name: 'verified_email', Priority: 1 }] },
    });
  });

  test('requires long, mixed passwords and a second factor', () => {
    expect(pool).toMatchObject({
      Policies: { PasswordPolicy: { MinimumLength: 12, RequireLowercase: true, RequireUppercase: true, RequireNumbers: true, RequireSymbols: true } },
      MfaConfiguration: 'ON',
      EnabledMfas: ['SOFTWARE_TOKEN_MFA'],
    });
  });

  test('asks nobody for a second factor by the setting mfa=off', () => {
    const { Properties } = synthesize({ domain: 'example.com', mfa: 'off' }).ofType('AWS::Cognito::UserPool')[0]!;
    expect(Properties).toMatchObject({ MfaConfiguration: 'OFF' });
    expect(Properties).not.toHaveProperty('EnabledMfas');
  });

  test('offers no passkey without the setting passkeys, and keeps the classic page', () => {
    expect(pool['Policies']).not.toHaveProperty('SignInPolicy');
    expect(ofType('AWS::Cognito::UserPoolDomain')[0]!.Properties['ManagedLoginVersion']).toBe(1);
    expect(ofType('AWS::Cognito::ManagedLoginBranding')).toEqual([]);
  });

  test('offers passkeys of the sign-in page’s host by the setting passkeys, also as the second factor', () => {
    const { ofType } = synthesize({ domain: 'example.com', passkeys: 'true', dynamicRegistration: 'false', authDomainPrefix: 'example-mail' });
    const { Properties } = ofType('AWS::Cognito::UserPool')[0]!;
    expect(Properties).toMatchObject({
      Policies: { SignInPolicy: { AllowedFirstAuthFactors: ['PASSWORD', 'WEB_AUTHN'] } },
      WebAuthnUserVerification: 'required',
      WebAuthnFactorConfiguration: 'MULTI_FACTOR_WITH_USER_VERIFICATION',
    });
    expect(readable(Properties['WebAuthnRelyingPartyID'])).toBe('example-mail.auth.<AWS::Region>.amazoncognito.com');
    expect(ofType('AWS::Cognito::UserPoolDomain')[0]!.Properties['ManagedLoginVersion']).toBe(2);
  });

  test('gives the clients of people a style and the flow with a choice of factors when there are passkeys', () => {
    const { ofType } = synthesize({ domain: 'example.com', passkeys: 'true', dynamicRegistration: 'false', authDomainPrefix: 'example-mail' });
    const people = ofType('AWS::Cognito::UserPoolClient').filter(({ Properties }) => !Properties['GenerateSecret']);
    expect(people).toHaveLength(3);
    for (const { Properties } of people) expect(Properties['ExplicitAuthFlows']).toContain('ALLOW_USER_AUTH');
    const styles = ofType('AWS::Cognito::ManagedLoginBranding').map(({ Properties }) => Properties);
    expect(styles.map(({ UseCognitoProvidedValues }) => UseCognitoProvidedValues)).toEqual([true, true, true]);
    expect(styles.map(({ ClientId }) => readable(ClientId)).sort()).toEqual(['Cli', 'Console', 'Webmail'].map((name) => `<UserPool${name}Client.ClientId>`));
  });

  test('sends its mail by SES from the address of the setting signInMailFrom, and by Cognito’s own sender without it', () => {
    expect(pool).not.toHaveProperty('EmailConfiguration');
    const [sending] = synthesize({ domain: 'example.com', signInMailFrom: 'No-Reply@example.com' }).ofType('AWS::Cognito::UserPool');
    const configuration = sending!.Properties['EmailConfiguration'] as Record<string, unknown>;
    expect(configuration).toMatchObject({ EmailSendingAccount: 'DEVELOPER', From: 'no-reply@example.com' });
    expect(readable(configuration['SourceArn'])).toBe('arn:<AWS::Partition>:ses:<AWS::Region>:<AWS::AccountId>:identity/example.com');
  });

  test('asks a Lambda before each message, and invokes another one after a confirmed reset', () => {
    const { CustomMessage, PostConfirmation } = pool['LambdaConfig'] as Record<string, unknown>;
    expect([readable(CustomMessage), readable(PostConfirmation)]).toEqual(['<UserPoolCustomMessage.Arn>', '<UserPoolPostConfirmation.Arn>']);
  });

  test('invokes the pre-token Lambda with event version 2, and is the only caller of its triggers', () => {
    const { PreTokenGenerationConfig: trigger } = pool['LambdaConfig'] as { PreTokenGenerationConfig: { LambdaVersion: string; LambdaArn: unknown } };
    expect(trigger.LambdaVersion).toBe('V2_0');
    expect(readable(trigger.LambdaArn)).toBe('<UserPoolPreToken.Arn>');
    const permissions = ofType('AWS::Lambda::Permission').filter(({ Properties }) => Properties['Principal'] === 'cognito-idp.amazonaws.com');
    expect(permissions.map(({ Properties }) => readable(Properties['SourceArn']))).toEqual(['<UserPool.Arn>', '<UserPool.Arn>', '<UserPool.Arn>']);
  });

  test('has a resource server with its permissions for each audience', () => {
    const servers = ofType('AWS::Cognito::UserPoolResourceServer').map(({ Properties }) => [
      Properties['Identifier'],
      (Properties['Scopes'] as { ScopeName: string }[]).map(({ ScopeName }) => ScopeName),
    ]);
    expect(servers).toEqual([
      ['adminApi', ['ADMIN']],
      ['jmapApi', ['MAIL_READ', 'MAIL_WRITE', 'MAIL_SEND']],
    ]);
  });

  test('has a domain prefix from the stack’s id, or authDomainPrefix', () => {
    expect(JSON.stringify(ofType('AWS::Cognito::UserPoolDomain')[0]!.Properties['Domain'])).toContain('AWS::StackId');
    const chosen = synthesize({ ...everything, authDomainPrefix: 'example-mail' });
    expect(chosen.ofType('AWS::Cognito::UserPoolDomain')[0]!.Properties['Domain']).toBe('example-mail');
    expect(readable(json.Outputs['authUrl']!.Value)).toMatch(/^https:\/\/<UserPoolDomain>\.auth\.<AWS::Region>\.amazoncognito\.com$/);
  });
});

describe('app clients', () => {
  const flags = [
    'GenerateSecret',
    'AllowedOAuthFlowsUserPoolClient',
    'AllowedOAuthFlows',
    'AllowedOAuthScopes',
    'SupportedIdentityProviders',
    'ExplicitAuthFlows',
    'PreventUserExistenceErrors',
    'EnableTokenRevocation',
    'EnablePropagateAdditionalUserContextData',
    'AuthSessionValidity',
    'AccessTokenValidity',
    'IdTokenValidity',
    'RefreshTokenValidity',
    'TokenValidityUnits',
    'RefreshTokenRotation',
  ];

  test('are the console, the web mail, the command line and the headless clients', () => {
    expect(Object.keys(clients).sort()).toEqual(['AdminHeadless', 'Cli', 'Console', 'JmapHeadless', 'Webmail']);
  });

  test('of people are recorded as the deployment’s own, again for another table, before the token trigger asks for them', () => {
    const { data, services } = templates;
    const find = ({ Resources }: typeof data, isWanted: (each: Resource) => boolean) => Object.entries(Resources).find(([, each]) => isWanted(each))!;
    const idOf = (clientName: string) => ({ Ref: find(services, ({ Properties }) => Properties['ClientName'] === clientName)[0] });
    const [first, ofData] = find(data, ({ Type }) => Type === 'Custom::DeployedClients');
    const [, ofServices] = find(services, ({ Type }) => Type === 'Custom::DeployedClients');
    const [, preToken] = find(data, ({ Properties }) => Properties['FunctionName'] === 'Postrider-pre-token');
    expect(ofServices.Properties).toMatchObject({ table: { Ref: 'SharedDirectoryTableName' }, clientIds: [idOf('Console'), idOf('Webmail'), idOf('Cli')] });
    expect(ofData.Properties).not.toHaveProperty('clientIds');
    expect(preToken.Properties['Environment']).toMatchObject({ Variables: { DIRECTORY_TABLE: ofData.Properties['table'] } });
    expect(preToken.DependsOn).toContain(first);
  });

  test.each(['Console', 'Webmail', 'Cli', 'JmapHeadless', 'AdminHeadless'])('set every property of %s', (name) => {
    expect(Object.keys(clients[name]!)).toEqual(expect.arrayContaining(flags));
    expect(clients[name]).toMatchObject({
      PreventUserExistenceErrors: 'ENABLED',
      EnableTokenRevocation: true,
      EnablePropagateAdditionalUserContextData: false,
      AccessTokenValidity: 60,
      TokenValidityUnits: { AccessToken: 'minutes', IdToken: 'minutes', RefreshToken: 'days' },
    });
  });

  test.each([
    ['every optional part', everything],
    ['a value for every setting', everySetting],
    ['the defaults', { domain: 'example.com' }],
  ])('in all stacks let Cognito tell nobody who exists, with %s', (_, settings) => {
    const all = Object.values(synthesize(settings).templates)
      .flatMap(({ Resources }) => Object.values(Resources))
      .filter(({ Type }) => Type === 'AWS::Cognito::UserPoolClient');
    expect(all.length).toBeGreaterThanOrEqual(2);
    expect(all.filter(({ Properties }) => Properties['PreventUserExistenceErrors'] !== 'ENABLED')).toEqual([]);
  });

  test('of users are public, use the code flow and cannot request API scopes', () => {
    for (const name of ['Console', 'Cli']) {
      expect(clients[name]).toMatchObject({ GenerateSecret: false, AllowedOAuthFlows: ['code'], AllowedOAuthScopes: ['openid', 'email', 'profile'] });
    }
    expect(clients['Console']!['CallbackURLs']).toEqual(['https://console.example.com/callback']);
    expect(clients['Cli']!['CallbackURLs']).toEqual(['http://localhost:8976/callback', 'http://127.0.0.1:8976/callback']);
  });

  test('of the web mail may request the scopes of mail, and never those of the admin API', () => {
    expect(clients['Webmail']).toMatchObject({
      GenerateSecret: false,
      AllowedOAuthFlows: ['code'],
      AllowedOAuthScopes: ['jmapApi/MAIL_READ', 'jmapApi/MAIL_WRITE', 'jmapApi/MAIL_SEND'],
      CallbackURLs: ['https://mail.example.com/callback'],
    });
  });

  test('of users rotate refresh tokens, with a grace period of a minute for a lost response (RFC 9700 §2.2.2)', () => {
    for (const name of ['Console', 'Webmail', 'Cli']) {
      expect(clients[name]!['RefreshTokenRotation']).toEqual({ Feature: 'ENABLED', RetryGracePeriodSeconds: 60 });
    }
    for (const name of ['JmapHeadless', 'AdminHeadless']) expect(clients[name]!['RefreshTokenRotation']).toEqual({ Feature: 'DISABLED' });
  });

  test('of users allow the flow that lets the hosted page ask for a password, and no flow that prevents rotation', () => {
    for (const name of ['Console', 'Webmail', 'Cli']) expect(clients[name]!['ExplicitAuthFlows']).toEqual(['ALLOW_USER_SRP_AUTH']);
    expect(Object.keys(pool['LambdaConfig'] as object).sort()).toEqual(['CustomMessage', 'PostConfirmation', 'PreTokenGenerationConfig']);
  });

  test('of headlessClients have a secret and exactly the configured scopes', () => {
    expect(clients['JmapHeadless']).toMatchObject({
      GenerateSecret: true,
      AllowedOAuthFlows: ['client_credentials'],
      AllowedOAuthScopes: ['jmapApi/MAIL_READ', 'jmapApi/MAIL_WRITE'],
    });
    expect(clients['AdminHeadless']).toMatchObject({ GenerateSecret: true, AllowedOAuthScopes: ['adminApi/ADMIN'] });
    for (const client of ofType('AWS::Cognito::UserPoolClient').filter(({ Properties }) => Properties['GenerateSecret'])) {
      expect(client.DependsOn).toEqual(expect.arrayContaining(ofType('AWS::Cognito::UserPoolResourceServer').map(({ id }) => id)));
    }
  });

  test('include no headless ones without headlessClients, and no Lambda can read a client’s secret', () => {
    const { ofType } = synthesize({ domain: 'example.com' });
    expect(
      ofType('AWS::Cognito::UserPoolClient')
        .map(({ Properties }) => String(Properties['ClientName']))
        .sort(),
    ).toEqual(['Cli', 'Console', 'Webmail']);
    expect(ofType('Custom::ClientSecret')).toEqual([]);
    expect(JSON.stringify(ofType('AWS::IAM::Policy'))).not.toContain('DescribeUserPoolClient');
  });
});

describe('secrets', () => {
  test('are not in the template, neither as text nor as a dynamic reference nor as an attribute', () => {
    expect(JSON.stringify(json).match(/"SecretString"|\{\{resolve:|"ClientSecret"\]/g)).toBeNull();
    for (const { Properties } of ofType('AWS::SecretsManager::Secret')) {
      expect(Object.keys(Properties).sort()).toEqual(['Description', 'GenerateSecretString']);
    }
  });

  test('have their ARN as the output', () => {
    expect(readable(json.Outputs['JmapHeadlessClientSecret']!.Value)).toBe('<HeadlessClientsJmapHeadlessSecret>');
    expect(readable(json.Outputs['JmapHeadlessClientId']!.Value)).toBe('<UserPoolJmapHeadlessClient>');
  });

  test('are copied by a custom resource that gets only ids and ARNs, and whose attributes no resource reads', () => {
    const carried = ofType('Custom::ClientSecret');
    expect(carried).toHaveLength(2);
    for (const { id, Properties } of carried) {
      expect(Object.keys(Properties).sort()).toEqual(['ServiceTimeout', 'ServiceToken', 'clientId', 'secretArn', 'userPoolId']);
      expect(JSON.stringify(json).includes(`{"Fn::GetAtt":["${id}"`)).toBe(false);
    }
  });
});
