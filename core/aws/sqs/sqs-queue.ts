import { ChangeMessageVisibilityCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { clientTimeouts } from '../client/client-timeouts.ts';
import type { Queue, ReturnToQueue } from '../../runtime/lambda/queue.ts';

/** The SDK would send to the host of the queue's URL. The configured endpoint of the region applies instead. */
export const sqsClientSettings = { ...clientTimeouts, useQueueUrlAsEndpoint: false };

/** {@link Queue} in SQS. */
export const sqsQueue = (url: string, client: Pick<SQSClient, 'send'> = new SQSClient(sqsClientSettings)): Queue => ({
  async send(message, delaySeconds) {
    await client.send(new SendMessageCommand({
      QueueUrl: url,
      MessageBody: JSON.stringify(message),
      DelaySeconds: delaySeconds,
    }));
  },
});

/** {@link ReturnToQueue} in SQS. */
export const sqsReturn = (url: string, client: Pick<SQSClient, 'send'> = new SQSClient(sqsClientSettings)): ReturnToQueue =>
  async (receiptHandle, seconds) => {
    await client.send(new ChangeMessageVisibilityCommand({ QueueUrl: url, ReceiptHandle: receiptHandle, VisibilityTimeout: seconds }));
  };

/** Queues by their URLs, over one client. */
export const sqsQueues = (client: Pick<SQSClient, 'send'> = new SQSClient(sqsClientSettings)) => (url: string): Queue => sqsQueue(url, client);
