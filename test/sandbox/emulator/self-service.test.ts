import { CognitoIdentityProviderClient, GetUserCommand, SignUpCommand, UpdateUserAttributesCommand } from '@aws-sdk/client-cognito-identity-provider';
import { withEmulator } from '../../support/test-emulator.ts';
import { addPerson, poolTemplate, publicClient, signInAt } from './pool-person.ts';

const template = poolTemplate(
  { AdminCreateUserConfig: { AllowAdminCreateUserOnly: true } },
  { Client: publicClient(['ALLOW_USER_SRP_AUTH']), WithoutPassword: publicClient(['ALLOW_CUSTOM_AUTH']) },
);

const fixture = withEmulator();
let outputs: Record<string, string>;
let cognito: CognitoIdentityProviderClient;

beforeAll(async () => {
  outputs = await fixture.deploy(template);
  cognito = new CognitoIdentityProviderClient(fixture.clientConfig);
  await addPerson(cognito, outputs['pool']);
});
afterAll(() => cognito.destroy());

test('SignUp is refused where only administrators create users', async () => {
  const signUp = new SignUpCommand({ ClientId: outputs['client'], Username: 'eve@example.test', Password: 'Correct-horse-2' });
  await expect(cognito.send(signUp)).rejects.toMatchObject({ name: 'NotAuthorizedException' });
});

test('an access token without the scope of the user pool API reads and changes nothing', async () => {
  const { access_token: AccessToken } = await signInAt(fixture, outputs['client']!);
  const change = { AccessToken, UserAttributes: [{ Name: 'email', Value: 'eve@example.test' }] };
  await expect(cognito.send(new UpdateUserAttributesCommand(change))).rejects.toMatchObject({
    name: 'NotAuthorizedException',
    message: 'Access Token does not have required scopes',
  });
  await expect(cognito.send(new GetUserCommand({ AccessToken }))).rejects.toMatchObject({ name: 'NotAuthorizedException' });
});

test('the hosted page signs nobody in for a client that permits only custom authentication', async () => {
  await expect(signInAt(fixture, outputs['withoutPassword']!)).rejects.toThrow('Invalid parameter in request');
});
