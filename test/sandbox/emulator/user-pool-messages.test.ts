import {
  AdminCreateUserCommand,
  AdminGetUserCommand,
  AdminInitiateAuthCommand,
  AdminResetUserPasswordCommand,
  AdminUpdateUserAttributesCommand,
  CognitoIdentityProviderClient,
  ConfirmForgotPasswordCommand,
  DescribeUserPoolCommand,
  ForgotPasswordCommand,
  ResendConfirmationCodeCommand,
  UpdateUserPoolCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import { getAtt, lambda, withEmulator } from '../../support/test-emulator.ts';
import { addPerson, person, poolTemplate, publicClient } from './pool-person.ts';

/** A trigger that fails for addresses at example.test, and after each confirmed reset, with the source of its event. */
const trigger = `
exports.handler = async (event) => {
  if (event.triggerSource.startsWith('PostConfirmation') || event.request.userAttributes.email.endsWith('@example.test')) throw new Error(event.triggerSource);
  return event;
};`;

const template = poolTemplate(
  {
    AutoVerifiedAttributes: ['email'],
    UserAttributeUpdateSettings: { AttributesRequireVerificationBeforeUpdate: ['email'] },
    LambdaConfig: { CustomMessage: getAtt('Trigger', 'Arn'), PostConfirmation: getAtt('Trigger', 'Arn') },
  },
  { Client: publicClient(['ALLOW_ADMIN_USER_PASSWORD_AUTH']) },
  lambda('Trigger', trigger),
);

const fixture = withEmulator();
let pool: string;
let client: string;
let cognito: CognitoIdentityProviderClient;

beforeAll(async () => {
  const outputs = await fixture.deploy(template);
  [pool, client] = [outputs['pool']!, outputs['client']!];
  cognito = new CognitoIdentityProviderClient(fixture.clientConfig);
  await addPerson(cognito, pool);
});
afterAll(() => cognito.destroy());

const ofClient = {
  get ClientId() {
    return client;
  },
  Username: person.email,
};
const ofPool = {
  get UserPoolId() {
    return pool;
  },
  Username: person.email,
};
const failed = (source: string) => ({ name: 'UserLambdaValidationException', message: `CustomMessage failed with error CustomMessage_${source}.` });

test('the custom-message trigger refuses each message with its words, and its call fails', async () => {
  await expect(cognito.send(new ForgotPasswordCommand(ofClient))).rejects.toMatchObject(failed('ForgotPassword'));
  await expect(cognito.send(new ResendConfirmationCodeCommand(ofClient))).rejects.toMatchObject(failed('ResendCode'));
  await expect(cognito.send(new AdminResetUserPasswordCommand(ofPool))).rejects.toMatchObject(failed('ForgotPassword'));
  const invitation = new AdminCreateUserCommand({ UserPoolId: pool, Username: 'eve@example.test' });
  await expect(cognito.send(invitation)).rejects.toMatchObject(failed('AdminCreateUser'));
  const change = new AdminUpdateUserAttributesCommand({ ...ofPool, UserPoolId: pool, UserAttributes: [{ Name: 'email', Value: 'ada@example.org' }] });
  await expect(cognito.send(change)).rejects.toMatchObject(failed('UpdateUserAttribute'));
  const { UserAttributes = [] } = await cognito.send(new AdminGetUserCommand(ofPool));
  expect(UserAttributes).toContainEqual({ Name: 'email', Value: person.email });
});

test('after a refused reset the password is as it was', async () => {
  await expect(cognito.send(new ForgotPasswordCommand(ofClient))).rejects.toThrow();
  const { AuthenticationResult } = await cognito.send(
    new AdminInitiateAuthCommand({
      UserPoolId: pool,
      ClientId: client,
      AuthFlow: 'ADMIN_USER_PASSWORD_AUTH',
      AuthParameters: { USERNAME: person.email, PASSWORD: person.password },
    }),
  );
  expect(AuthenticationResult?.AccessToken).toBeDefined();
});

test('a code is another one each time, and no other code is accepted', async () => {
  const outside = { ClientId: client, Username: 'bob@example.org' };
  await cognito.send(new AdminCreateUserCommand({ UserPoolId: pool, Username: outside.Username, MessageAction: 'SUPPRESS' }));
  await cognito.send(new ForgotPasswordCommand(outside));
  for (const ConfirmationCode of ['654321', '000000']) {
    const confirm = new ConfirmForgotPasswordCommand({ ...outside, ConfirmationCode, Password: 'Correct-horse-2' });
    await expect(cognito.send(confirm)).rejects.toMatchObject({ name: 'CodeMismatchException' });
  }
});

test('an update that leaves out the verified attributes takes them away, and fails if changes of them are verified', async () => {
  const update = (more: object) => cognito.send(new UpdateUserPoolCommand({ UserPoolId: pool, ...more }));
  await expect(update({ DeletionProtection: 'INACTIVE' })).rejects.toMatchObject({
    name: 'InvalidParameterException',
    message: 'All attributes in AttributesRequireVerificationBeforeUpdate must exist in AutoVerifiedAttributes',
  });
  await update({ UserAttributeUpdateSettings: { AttributesRequireVerificationBeforeUpdate: [] } });
  const { UserPool: updated } = await cognito.send(new DescribeUserPoolCommand({ UserPoolId: pool }));
  expect(updated?.AutoVerifiedAttributes ?? []).toEqual([]);
});
