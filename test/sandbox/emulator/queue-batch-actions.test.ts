import { CreateAccessKeyCommand, CreateUserCommand, IAMClient, PutUserPolicyCommand } from '@aws-sdk/client-iam';
import { CreateQueueCommand, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { awsClientConfig } from '../../../sandbox/deployment/aws-target.ts';
import { startEmulatorFixture, type EmulatorFixture } from '../../support/test-emulator.ts';

let fixture: EmulatorFixture;
let queueUrl: string;
const place = () =>
  awsClientConfig({ awsEndpointUrl: fixture.emulator.endpoint, caCertificate: fixture.emulator.caCertificate, region: 'us-east-1' });

beforeAll(async () => {
  fixture = await startEmulatorFixture({ enforceIam: true });
  const { QueueUrl } = await new SQSClient(place()).send(new CreateQueueCommand({ QueueName: 'batches' }));
  queueUrl = QueueUrl!;
}, 120_000);
afterAll(() => fixture.end());

/** Sends a batch of two messages as a role with this permission only. */
const sendBatchAllowed = async (action: string) => {
  const iam = new IAMClient(place());
  const UserName = action.replace(':', '-');
  await iam.send(new CreateUserCommand({ UserName }));
  const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: action, Resource: '*' }] });
  await iam.send(new PutUserPolicyCommand({ UserName, PolicyName: 'only', PolicyDocument }));
  const { AccessKey: key } = await iam.send(new CreateAccessKeyCommand({ UserName }));
  const sqs = new SQSClient({ ...place(), credentials: { accessKeyId: key!.AccessKeyId!, secretAccessKey: key!.SecretAccessKey! } });
  const { Successful: sent } = await sqs.send(
    new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries: ['1', '2'].map((Id) => ({ Id, MessageBody: Id })) }),
  );
  return sent?.length;
};

test('sqs:SendMessage allows SendMessageBatch', async () => {
  expect(await sendBatchAllowed('sqs:SendMessage')).toBe(2);
});

test('another action does not allow SendMessageBatch', async () => {
  await expect(sendBatchAllowed('sqs:ReceiveMessage')).rejects.toMatchObject({ name: expect.stringContaining('AccessDenied') });
});
