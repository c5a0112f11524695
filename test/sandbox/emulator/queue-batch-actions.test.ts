import { CreateQueueCommand, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { withEmulator } from '../../support/test-emulator.ts';
import { callerAllowed } from './iam-caller.ts';

const fixture = withEmulator({ enforceIam: true });
let queueUrl: string;

beforeAll(async () => {
  const { QueueUrl } = await new SQSClient(fixture.clientConfig).send(new CreateQueueCommand({ QueueName: 'batches' }));
  queueUrl = QueueUrl!;
});

/** Sends a batch of two messages as a user with only this permission. */
const sendBatchAllowed = async (Action: string) => {
  const sqs = new SQSClient(await callerAllowed(fixture, Action.replace(':', '-'), { Action, Resource: '*' }));
  const { Successful: sent } = await sqs.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries: ['1', '2'].map((Id) => ({ Id, MessageBody: Id })) }));
  return sent?.length;
};

test('sqs:SendMessage allows SendMessageBatch', async () => {
  expect(await sendBatchAllowed('sqs:SendMessage')).toBe(2);
});

test('another action does not allow SendMessageBatch', async () => {
  await expect(sendBatchAllowed('sqs:ReceiveMessage')).rejects.toMatchObject({ name: expect.stringContaining('AccessDenied') });
});
