import {
  CreateAccessKeyCommand, CreateUserCommand, DeleteRolePermissionsBoundaryCommand, IAMClient, PutRolePolicyCommand, PutUserPolicyCommand,
} from '@aws-sdk/client-iam';
import { CreateQueueCommand, GetQueueAttributesCommand, ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { awsClientConfig } from '../../../sandbox/deployment/aws-target.ts';
import { getAtt, ref, startEmulatorFixture, type EmulatorFixture } from '../../support/test-emulator.ts';

let fixture: EmulatorFixture;
let arn: string;
let boundary: string;
let queueUrl: string;
const place = () =>
  awsClientConfig({ awsEndpointUrl: fixture.emulator.endpoint, caCertificate: fixture.emulator.caCertificate, region: 'us-east-1' });
const document = (Statement: object) => ({ Version: '2012-10-17', Statement });

beforeAll(async () => {
  fixture = await startEmulatorFixture({ enforceIam: true });
  const { QueueUrl } = await new SQSClient(place()).send(new CreateQueueCommand({ QueueName: 'bounded' }));
  queueUrl = QueueUrl!;
  ({ arn, boundary } = await fixture.deploy({
    Resources: {
      Boundary: {
        Type: 'AWS::IAM::ManagedPolicy',
        Properties: { PolicyDocument: document({ Effect: 'Allow', Action: 'sqs:ListQueues', Resource: '*' }) },
      },
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
  }) as { arn: string; boundary: string });
}, 120_000);
afterAll(() => fixture.end());

test('a role may do what both its boundary and its policies allow', async () => {
  const { Credentials: given } = await new STSClient(place()).send(new AssumeRoleCommand({ RoleArn: arn, RoleSessionName: 'bounded' }));
  const sqs = new SQSClient({
    ...place(),
    credentials: { accessKeyId: given!.AccessKeyId!, secretAccessKey: given!.SecretAccessKey!, sessionToken: given!.SessionToken! },
  });
  expect((await sqs.send(new ListQueuesCommand({}))).QueueUrls).toHaveLength(1);
  await expect(sqs.send(new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['All'] }))).rejects.toMatchObject({
    name: expect.stringContaining('AccessDenied'),
  });
});

test('iam:PermissionsBoundary allows writing policies of roles that have the boundary', async () => {
  const iam = new IAMClient(place());
  await iam.send(new CreateUserCommand({ UserName: 'writer' }));
  await iam.send(new PutUserPolicyCommand({
    UserName: 'writer', PolicyName: 'only',
    PolicyDocument: JSON.stringify(document({
      Effect: 'Allow', Action: 'iam:PutRolePolicy', Resource: arn, Condition: { StringEquals: { 'iam:PermissionsBoundary': boundary } },
    })),
  }));
  const { AccessKey: key } = await iam.send(new CreateAccessKeyCommand({ UserName: 'writer' }));
  const writer = new IAMClient({ ...place(), credentials: { accessKeyId: key!.AccessKeyId!, secretAccessKey: key!.SecretAccessKey! } });
  const RoleName = arn.split('/').at(-1)!;
  const write = () => writer.send(new PutRolePolicyCommand({
    RoleName, PolicyName: 'own', PolicyDocument: JSON.stringify(document({ Effect: 'Deny', Action: '*', Resource: '*' })),
  }));
  await write();
  await iam.send(new DeleteRolePermissionsBoundaryCommand({ RoleName }));
  await expect(write()).rejects.toMatchObject({ name: expect.stringContaining('AccessDenied') });
});
