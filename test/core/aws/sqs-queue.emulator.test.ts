import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { sqsMessageSource, sqsQueue } from '../../../core/aws/sqs-queue.ts';
import { withTestEmulator } from '../../support/test-emulator.ts';

withTestEmulator();
let sqs: SQSClient;
beforeAll(() => {
  sqs = new SQSClient({ useQueueUrlAsEndpoint: false });
});

describe('the messages of a queue in SQS', () => {
  test('are received at most ten at once, with their attempt, and are hidden until they are deleted', async () => {
    const { QueueUrl: url = '' } = await sqs.send(new CreateQueueCommand({ QueueName: 'source' }));
    const source = sqsMessageSource(url);
    expect(await source.receive()).toEqual([]);
    const queue = sqsQueue(url);
    for (let index = 0; index < 12; index++) await queue.send({ index });
    const first = await source.receive();
    const second = await source.receive();
    expect([first.length, second.length]).toEqual([10, 2]);
    expect(first[0]).toMatchObject({ attributes: { ApproximateReceiveCount: '1' } });
    expect([...first, ...second].map(({ body }) => (JSON.parse(body) as { index: number }).index).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 12 }, (_, index) => index),
    );
    await source.remove(first);
    await source.remove([]);
    const { Attributes: left } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] }));
    expect(left).toMatchObject({ ApproximateNumberOfMessages: '0', ApproximateNumberOfMessagesNotVisible: '2' });
  });
});
