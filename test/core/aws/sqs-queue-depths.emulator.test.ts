import { CreateQueueCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { sqsQueueDepths } from '../../../core/aws/sqs-queue-depths.ts';
import { queueDepthsSuite } from '../../port-suites/queue-depths-suite.ts';
import { withTestEmulator } from '../../support/test-emulator.ts';

withTestEmulator();
let sqs: SQSClient;
beforeAll(() => {
  sqs = new SQSClient({ useQueueUrlAsEndpoint: false });
});

describe('the depth of a queue in SQS', () => {
  queueDepthsSuite(async ({ visible, inFlight, delayed }) => {
    const queueName = `depths-${visible}-${inFlight}-${delayed}`;
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: queueName }));
    const send = (count: number, DelaySeconds: number) =>
      Promise.all(Array.from({ length: count }, () => sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x', DelaySeconds }))));
    await send(inFlight, 0);
    if (inFlight > 0) await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 600 }));
    await send(visible, 0);
    await send(delayed, 600);
    return { depths: sqsQueueDepths(), queueName };
  });
});
