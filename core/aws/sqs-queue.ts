import { ChangeMessageVisibilityCommand, SendMessageCommand, SQSClient, DeleteMessageBatchCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import type { MessageSource } from '../runtime/lambda/queue-drain.ts';
import type { Queue, ReturnToQueue } from '../runtime/lambda/queue.ts';
import { namingErrors, clientTimeouts } from '../runtime/sdk-client.ts';

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

/** {@link MessageSource} in SQS. */
export const sqsMessageSource = (url: string, client: Pick<SQSClient, 'send'> = namingErrors(new SQSClient(sqsClientSettings))): MessageSource => ({
  async receive() {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({ QueueUrl: url, MaxNumberOfMessages: 10, WaitTimeSeconds: 0, MessageSystemAttributeNames: ['ApproximateReceiveCount'] }),
    );
    return Messages.map(({ MessageId, ReceiptHandle, Body, Attributes }) => ({
      messageId: MessageId!,
      receiptHandle: ReceiptHandle!,
      body: Body ?? '',
      attributes: { ApproximateReceiveCount: Attributes?.ApproximateReceiveCount ?? '1' },
    }));
  },
  async remove(messages) {
    if (messages.length === 0) return;
    const { Failed = [] } = await client.send(
      new DeleteMessageBatchCommand({
        QueueUrl: url,
        Entries: messages.map(({ receiptHandle: ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle })),
      }),
    );
    if (Failed.length > 0) throw new Error(`SQS did not delete ${Failed.length} of ${messages.length} messages: ${Failed[0]?.Code}`);
  },
});
