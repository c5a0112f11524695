import {
  CognitoIdentityProviderClient,
  InvalidParameterException,
  ResourceNotFoundException,
  TooManyRequestsException,
} from '@aws-sdk/client-cognito-identity-provider';
import { cognitoClientRegistrar } from '../../../core/aws/cognito-client-registrar.ts';
import { ProviderRefusal } from '../../../core/aws/provider-errors.ts';

/** A registrar whose user pool responds to every call with this error. */
const registrarAnswered = (error: Error) => {
  const client = new CognitoIdentityProviderClient({ region: 'eu-west-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' }, maxAttempts: 1 });
  client.middlewareStack.add(
    () => async () => {
      throw error;
    },
    { step: 'deserialize' },
  );
  return cognitoClientRegistrar('eu-west-1_pool', client);
};

const said = { message: 'no', $metadata: {} };

test.each<[string, (registrar: ReturnType<typeof cognitoClientRegistrar>) => Promise<unknown>]>([
  ['created', (registrar) => registrar.create('ab'.repeat(32), ['myapp://callback'])],
  ['updated', (registrar) => registrar.update('client', 'ab'.repeat(32), ['myapp://callback'])],
])('a client that registered itself is %s so that Cognito does not tell who exists', async (_, call) => {
  const inputs: unknown[] = [];
  const client = new CognitoIdentityProviderClient({ region: 'eu-west-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } });
  client.middlewareStack.add(
    (_next) =>
      async ({ input }) => {
        inputs.push(input);
        return { response: {}, output: { $metadata: {}, UserPoolClient: { ClientId: 'client' } } };
      },
    { step: 'initialize' },
  );
  await call(cognitoClientRegistrar('eu-west-1_pool', client));
  expect(inputs).toEqual([expect.objectContaining({ PreventUserExistenceErrors: 'ENABLED' })]);
});

describe('errors of Cognito about an app client', () => {
  test('a refused redirect URI is a ProviderRefusal whose message does not repeat it', async () => {
    const create = registrarAnswered(new InvalidParameterException({ ...said, message: 'myapp://secret is not valid' })).create('ab'.repeat(32), [
      'myapp://secret',
    ]);
    await expect(create).rejects.toThrow(ProviderRefusal);
    await expect(create).rejects.not.toThrow('secret');
  });

  test('any other error is thrown unchanged', async () => {
    await expect(registrarAnswered(new TooManyRequestsException(said)).create('ab'.repeat(32), ['myapp://callback'])).rejects.toThrow(TooManyRequestsException);
  });

  test('removing or updating a client that does not exist succeeds', async () => {
    await expect(registrarAnswered(new ResourceNotFoundException(said)).remove('client')).resolves.toBeUndefined();
    await expect(registrarAnswered(new ResourceNotFoundException(said)).update('client', 'ab'.repeat(32), ['myapp://callback'])).resolves.toBeUndefined();
    await expect(registrarAnswered(new TooManyRequestsException(said)).remove('client')).rejects.toThrow(TooManyRequestsException);
  });
});
