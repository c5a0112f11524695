import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { patience } from './patience.ts';
import type { Queue } from './queue.ts';

/** {@link Queue} in SQS. */
export const sqsQueue = (url: string, client: Pick<SQSClient, 'send'> = new SQSClient(patience)): Queue => ({
  async send(message, delaySeconds) {
    await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: JSON.stringify(message), DelaySeconds: delaySeconds }));
  },
});
