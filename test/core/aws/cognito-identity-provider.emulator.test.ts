import {
  AdminGetUserCommand,
  AdminSetUserMFAPreferenceCommand,
  AdminSetUserPasswordCommand,
  CognitoIdentityProviderClient,
  CreateUserPoolClientCommand,
  CreateUserPoolCommand,
  SetUserPoolMfaConfigCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import { cognitoIdentityProvider } from '../../../core/aws/cognito-identity-provider.ts';
import { identityProviderSuite } from '../../port-suites/identity-provider-suite.ts';
import { enrolSecondFactor } from '../../support/srp-sign-in.ts';
import { withTestEmulator } from '../../support/test-emulator.ts';

withTestEmulator();

const password = 'Correct-horse-1';

const makePool = async (client: CognitoIdentityProviderClient, mfa: 'ON' | 'OFF'): Promise<string> => {
  const { UserPool: pool } = await client.send(
    new CreateUserPoolCommand({ PoolName: 'people', UsernameAttributes: ['email'], AdminCreateUserConfig: { AllowAdminCreateUserOnly: true } }),
  );
  if (mfa === 'ON') {
    await client.send(new SetUserPoolMfaConfigCommand({ UserPoolId: pool!.Id, MfaConfiguration: mfa, SoftwareTokenMfaConfiguration: { Enabled: true } }));
  }
  return pool!.Id!;
};

describe('the identity provider in Cognito', () => {
  identityProviderSuite(async () => {
    const client = new CognitoIdentityProviderClient();
    const poolId = await makePool(client, 'ON');
    const { UserPoolClient: app } = await client.send(
      new CreateUserPoolClientCommand({ UserPoolId: poolId, ClientName: 'app', ExplicitAuthFlows: ['ALLOW_USER_SRP_AUTH'] }),
    );
    const choosePassword = async (email: string): Promise<void> => {
      await client.send(new AdminSetUserPasswordCommand({ UserPoolId: poolId, Username: email, Password: password, Permanent: true }));
    };
    return {
      provider: cognitoIdentityProvider(poolId),
      choosePassword,
      async setUpSecondFactor(username) {
        await choosePassword(username);
        await enrolSecondFactor(client, poolId, app!.ClientId!, { email: username, password });
      },
      async hasSecondFactor(username) {
        const { UserMFASettingList: factors } = await client.send(new AdminGetUserCommand({ UserPoolId: poolId, Username: username }));
        return factors?.includes('SOFTWARE_TOKEN_MFA') ?? false;
      },
      async withoutMfa() {
        const provider = cognitoIdentityProvider(await makePool(client, 'OFF'));
        return { provider, username: (await provider.invite('ada@example.test', undefined)).username };
      },
    };
  });

  test('removeSecondFactor ends the sign-in with passkeys too, which need the app beside them', async () => {
    const client = new CognitoIdentityProviderClient();
    const poolId = await makePool(client, 'ON');
    const provider = cognitoIdentityProvider(poolId);
    const { username: Username } = await provider.invite('pia@example.test', undefined);
    const person = { UserPoolId: poolId, Username };
    await client.send(new AdminSetUserPasswordCommand({ ...person, Password: password, Permanent: true }));
    await client.send(new AdminSetUserMFAPreferenceCommand({ ...person, SoftwareTokenMfaSettings: { Enabled: true }, WebAuthnMfaSettings: { Enabled: true } }));
    expect((await client.send(new AdminGetUserCommand(person))).UserMFASettingList).toContain('WEB_AUTHN_MFA');
    expect([...(await provider.secondFactors(Username))].sort()).toEqual(['AUTHENTICATOR_APP', 'PASSKEY']);
    await provider.removeSecondFactor(Username, true);
    expect((await client.send(new AdminGetUserCommand(person))).UserMFASettingList ?? []).toEqual([]);
  });
});
