import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { sqsQueue } from '../../../../core/aws/sqs-queue.ts';
import { submitQueueOver } from '../../../../core/sending/submission/submit-queue.ts';
import { submitQueueSuite } from '../../../port-suites/submit-queue-suite.ts';
import { withTestEmulator } from '../../../support/test-emulator.ts';

withTestEmulator();
let sqs: SQSClient;
beforeAll(() => {
  sqs = new SQSClient({ useQueueUrlAsEndpoint: false });
});

/** Receives until the queue is empty. @returns the bodies of the messages, which are hidden but not deleted. */
const receiveAll = async (QueueUrl: string): Promise<string[]> => {
  const bodies: string[] = [];
  for (;;) {
    const { Messages: messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
    if (messages.length === 0) return bodies;
    bodies.push(...messages.map(({ Body }) => Body!));
  }
};

describe('the submit queue in SQS', () => {
  let count = 0;
  submitQueueSuite(async () => {
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: `submit-${count++}` }));
    return { queue: submitQueueOver(sqsQueue(QueueUrl!)), receive: () => receiveAll(QueueUrl!) };
  });

  test('fails for a queue that does not exist', async () => {
    await expect(submitQueueOver(sqsQueue('http://127.0.0.1:1/0/none')).send([{ submission_id: 's', part: 0 }])).rejects.toThrow();
  });
});
