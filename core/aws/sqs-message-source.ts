import { DeleteMessageBatchCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { MessageSource } from '../runtime/lambda/queue-drain.ts';
import { namingErrors } from '../runtime/naming-errors.ts';
import { sqsClientSettings } from './sqs-queue.ts';

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
