import type { CustomResourceEvent } from '../../../../core/runtime/lambda/custom-resource.ts';
import { copyClientSecret } from '../../../../lambdas/deploy-hooks/client-secret/index.ts';

type Sent = { readonly name: string; readonly input: unknown };

/** Clients of Cognito and Secrets Manager that record the commands. */
const recordingClients = (clientSecret: string | undefined) => {
  const sent: Sent[] = [];
  const send = async (command: { readonly input: unknown }) => {
    sent.push({ name: command.constructor.name, input: command.input });
    return command.constructor.name === 'DescribeUserPoolClientCommand' ? { UserPoolClient: { ClientSecret: clientSecret } } : {};
  };
  return { sent, action: copyClientSecret({ send } as never, { send } as never) };
};
const event = (overrides: Partial<CustomResourceEvent>): CustomResourceEvent => ({
  RequestType: 'Create',
  RequestId: '0f8fad5b-d9cb-469f-a165-70867728950e',
  StackId: 's',
  LogicalResourceId: 'l',
  ResponseURL: 'https://answer.example',
  ResourceProperties: { userPoolId: 'pool-1', clientId: 'client-1', secretArn: 'arn:secret-1' },
  ...overrides,
});

describe('the client-secret hook', () => {
  test.each(['Create', 'Update'] as const)(
    'copies the secret from Cognito to Secrets Manager on %s, and does not return it to CloudFormation',
    async (RequestType) => {
      const { sent, action } = recordingClients('s3cret');
      const result = await action(event({ RequestType, PhysicalResourceId: RequestType === 'Update' ? 'arn:secret-1' : undefined }));
      expect(sent).toEqual([
        { name: 'DescribeUserPoolClientCommand', input: { UserPoolId: 'pool-1', ClientId: 'client-1' } },
        {
          name: 'PutSecretValueCommand',
          input: { SecretId: 'arn:secret-1', SecretString: 's3cret', ClientRequestToken: '0f8fad5b-d9cb-469f-a165-70867728950e' },
        },
      ]);
      expect(result).toEqual({ physicalId: 'arn:secret-1' });
    },
  );

  test('writes the same version of the secret with the same token when the event is repeated', async () => {
    const { sent, action } = recordingClients('s3cret');
    await action(event({}));
    await action(event({}));
    expect(sent[1]).toEqual(sent[3]);
  });

  test('changes nothing on Delete', async () => {
    const { sent, action } = recordingClients('s3cret');
    const result = await action(event({ RequestType: 'Delete', PhysicalResourceId: 'arn:secret-1' }));
    expect(result).toEqual({ physicalId: 'arn:secret-1' });
    expect(sent).toEqual([]);
  });

  test('fails with the id of a client that has no secret', async () => {
    await expect(recordingClients(undefined).action(event({}))).rejects.toThrow('the client client-1 has no secret');
  });
});
