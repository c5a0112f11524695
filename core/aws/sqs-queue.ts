import { ChangeMessageVisibilityCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Queue, ReturnToQueue } from '../runtime/lambda/queue.ts';
import { namingErrors } from '../runtime/naming-errors.ts';
import { clientTimeouts } from './client-timeouts.ts';

/**
 * Settings of an SQS client. By default the SDK sends to the host in the queue's URL, and not to the configured
 * endpoint of the region.
 */
export const sqsClientSettings = { ...clientTimeouts, useQueueUrlAsEndpoint: false };

/** {@link Queue} in SQS. */
export const sqsQueue = (url: string, client: Pick<SQSClient, 'send'> = namingErrors(new SQSClient(sqsClientSettings))): Queue => ({
  async send(message, delaySeconds) {
    await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: JSON.stringify(message), DelaySeconds: delaySeconds }));
  },
});

/** {@link ReturnToQueue} in SQS. */
export const sqsReturn =
  (url: string, client: Pick<SQSClient, 'send'> = namingErrors(new SQSClient(sqsClientSettings))): ReturnToQueue =>
  async (receiptHandle, seconds) => {
    await client.send(new ChangeMessageVisibilityCommand({ QueueUrl: url, ReceiptHandle: receiptHandle, VisibilityTimeout: seconds }));
  };

/** Queues by URL, with one shared client. */
export const sqsQueues =
  (client: Pick<SQSClient, 'send'> = namingErrors(new SQSClient(sqsClientSettings))) =>
  (url: string): Queue =>
    sqsQueue(url, client);
