import type { CustomResourceEvent } from '../../../../core/runtime/custom-resource.ts';
import { carrySecret } from '../../../../lambdas/deploy-hooks/client-secret/carry-secret.ts';

type Sent = { readonly name: string; readonly input: unknown };

/** Two clients of the SDK that keep what they are sent. */
const aws = (clientSecret: string | undefined) => {
  const sent: Sent[] = [];
  const send = async (command: { readonly input: unknown }) => {
    sent.push({ name: command.constructor.name, input: command.input });
    return command.constructor.name === 'DescribeUserPoolClientCommand' ? { UserPoolClient: { ClientSecret: clientSecret } } : {};
  };
  return { sent, action: carrySecret({ send } as never, { send } as never) };
};
const event = (more: Partial<CustomResourceEvent>): CustomResourceEvent => ({
  RequestType: 'Create', RequestId: '0f8fad5b-d9cb-469f-a165-70867728950e', StackId: 's', LogicalResourceId: 'l', ResponseURL: 'https://answer.example',
  ResourceProperties: { userPoolId: 'pool-1', clientId: 'client-1', secretArn: 'arn:secret-1' }, ...more,
});

describe('a headless client’s secret', () => {
  test.each(['Create', 'Update'] as const)('goes from the user pool to Secrets Manager on %s, and into no answer', async (RequestType) => {
    const { sent, action } = aws('s3cret');
    const result = await action(event({ RequestType, PhysicalResourceId: RequestType === 'Update' ? 'arn:secret-1' : undefined }));
    expect(sent).toEqual([
      { name: 'DescribeUserPoolClientCommand', input: { UserPoolId: 'pool-1', ClientId: 'client-1' } },
      { name: 'PutSecretValueCommand', input: { SecretId: 'arn:secret-1', SecretString: 's3cret', ClientRequestToken: '0f8fad5b-d9cb-469f-a165-70867728950e' } },
    ]);
    expect(result).toEqual({ physicalId: 'arn:secret-1' });
  });

  test('a repeat of the same request writes the same version, because it carries the same token', async () => {
    const { sent, action } = aws('s3cret');
    await action(event({}));
    await action(event({}));
    expect(sent[1]).toEqual(sent[3]);
  });

  test('is left alone on Delete: it goes with its own resource', async () => {
    const { sent, action } = aws('s3cret');
    expect(await action(event({ RequestType: 'Delete', PhysicalResourceId: 'arn:secret-1' }))).toEqual({ physicalId: 'arn:secret-1' });
    expect(sent).toEqual([]);
  });

  test('a client without one is named', async () => {
    await expect(aws(undefined).action(event({}))).rejects.toThrow('the client client-1 has no secret');
  });
});
