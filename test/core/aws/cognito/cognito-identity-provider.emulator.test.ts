import { AdminSetUserPasswordCommand, CognitoIdentityProviderClient, CreateUserPoolCommand } from '@aws-sdk/client-cognito-identity-provider';
import { cognitoIdentityProvider } from '../../../../core/aws/cognito/cognito-identity-provider.ts';
import { identityProviderSuite } from '../../../port-suites/identity-provider-suite.ts';
import { withTestEmulator } from '../../../support/test-emulator.ts';

withTestEmulator();

describe('the identity provider in Cognito', () => {
  identityProviderSuite(async () => {
    const client = new CognitoIdentityProviderClient();
    const { UserPool: pool } = await client.send(new CreateUserPoolCommand({
      PoolName: 'people', UsernameAttributes: ['email'], AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
    }));
    return {
      provider: cognitoIdentityProvider(pool?.Id ?? ''),
      async choosePassword(email) {
        await client.send(new AdminSetUserPasswordCommand({ UserPoolId: pool?.Id, Username: email, Password: 'Correct-horse-1', Permanent: true }));
      },
    };
  });
});
