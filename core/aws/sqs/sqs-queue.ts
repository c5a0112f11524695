import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { clientTimeouts } from '../client-timeouts.ts';
import type { Queue } from '../../runtime/queue.ts';

/** A queue is named by its URL and reached at the region's endpoint, wherever the configuration says that is. */
const atEndpoint = { ...clientTimeouts, useQueueUrlAsEndpoint: false };

/** {@link Queue} in SQS. */
export const sqsQueue = (url: string, client: Pick<SQSClient, 'send'> = new SQSClient(atEndpoint)): Queue => ({
  async send(message, delaySeconds) {
    await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: JSON.stringify(message), DelaySeconds: delaySeconds }));
  },
});
