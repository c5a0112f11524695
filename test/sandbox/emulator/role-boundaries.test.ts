import { DeleteRolePermissionsBoundaryCommand, IAMClient, PutRolePolicyCommand } from '@aws-sdk/client-iam';
import { CreateQueueCommand, GetQueueAttributesCommand, ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { getAtt, ref, withEmulator } from '../../support/test-emulator.ts';
import { callerAllowed, policyDocument as document } from './iam-caller.ts';

const fixture = withEmulator({ enforceIam: true });
let arn: string;
let boundary: string;
let queueUrl: string;

beforeAll(async () => {
  const { QueueUrl } = await new SQSClient(fixture.clientConfig).send(new CreateQueueCommand({ QueueName: 'bounded' }));
  queueUrl = QueueUrl!;
  ({ arn, boundary } = (await fixture.deploy({
    Resources: {
      Boundary: { Type: 'AWS::IAM::ManagedPolicy', Properties: { PolicyDocument: document({ Effect: 'Allow', Action: 'sqs:ListQueues', Resource: '*' }) } },
      Role: {
        Type: 'AWS::IAM::Role',
        Properties: {
          AssumeRolePolicyDocument: document({ Effect: 'Allow', Principal: { AWS: '*' }, Action: 'sts:AssumeRole' }),
          PermissionsBoundary: ref('Boundary'),
          Policies: [{ PolicyName: 'all', PolicyDocument: document({ Effect: 'Allow', Action: 'sqs:*', Resource: '*' }) }],
        },
      },
    },
    Outputs: { arn: { Value: getAtt('Role', 'Arn') }, boundary: { Value: ref('Boundary') } },
  })) as { arn: string; boundary: string });
});

test('a role may do what both its boundary and its policies allow', async () => {
  const { Credentials: given } = await new STSClient(fixture.clientConfig).send(new AssumeRoleCommand({ RoleArn: arn, RoleSessionName: 'bounded' }));
  const sqs = new SQSClient({
    ...fixture.clientConfig,
    credentials: { accessKeyId: given!.AccessKeyId!, secretAccessKey: given!.SecretAccessKey!, sessionToken: given!.SessionToken! },
  });
  expect((await sqs.send(new ListQueuesCommand({}))).QueueUrls).toHaveLength(1);
  await expect(sqs.send(new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['All'] }))).rejects.toMatchObject({
    name: expect.stringContaining('AccessDenied'),
  });
});

test('iam:PermissionsBoundary allows writing policies of roles that have the boundary', async () => {
  const writer = new IAMClient(
    await callerAllowed(fixture, 'writer', {
      Action: 'iam:PutRolePolicy',
      Resource: arn,
      Condition: { StringEquals: { 'iam:PermissionsBoundary': boundary } },
    }),
  );
  const RoleName = arn.split('/').at(-1)!;
  const write = () =>
    writer.send(
      new PutRolePolicyCommand({ RoleName, PolicyName: 'own', PolicyDocument: JSON.stringify(document({ Effect: 'Deny', Action: '*', Resource: '*' })) }),
    );
  await write();
  await new IAMClient(fixture.clientConfig).send(new DeleteRolePermissionsBoundaryCommand({ RoleName }));
  await expect(write()).rejects.toMatchObject({ name: expect.stringContaining('AccessDenied') });
});
