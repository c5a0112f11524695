import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
  type Message,
} from '@aws-sdk/client-sqs';
import { namingErrors } from '../runtime/sdk-client.ts';
import { sqsQueueUrls } from './sqs-queue-urls.ts';
import { sqsClientSettings } from './sqs-queue.ts';

/** A message that nobody else can receive for a while. */
export type HeldMessage = { readonly messageId: string; readonly receiptHandle: string; readonly body: string; readonly enqueuedAt: Date };

/** Reads and moves messages of queues without a consumer. The fake in `test/fakes/` passes the same suite. */
export type DeadLetters = {
  /** Receives up to ten messages and holds them for some seconds. The list is empty when no message can be received. */
  hold(queueName: string, seconds: number): Promise<readonly HeldMessage[]>;
  /** Makes held messages visible again. */
  release(queueName: string, messages: readonly HeldMessage[]): Promise<void>;
  /** Deletes held messages. */
  remove(queueName: string, messages: readonly HeldMessage[]): Promise<void>;
  /** Sends a body to a queue. */
  send(queueName: string, body: string): Promise<void>;
};

const heldMessage = ({ MessageId, ReceiptHandle, Body = '', Attributes }: Message): HeldMessage => ({
  messageId: MessageId!,
  receiptHandle: ReceiptHandle!,
  body: Body,
  enqueuedAt: new Date(Number(Attributes?.SentTimestamp ?? 0)),
});

/** Maximum entries of a batch. */
const batchSize = 10;

const batchesOf = (messages: readonly HeldMessage[]): (readonly HeldMessage[])[] =>
  Array.from({ length: Math.ceil(messages.length / batchSize) }, (_, index) => messages.slice(index * batchSize, (index + 1) * batchSize));

/** {@link DeadLetters} in SQS. */
export const sqsDeadLetters = (client: Pick<SQSClient, 'send'> = namingErrors(new SQSClient(sqsClientSettings))): DeadLetters => {
  const urlOf = sqsQueueUrls(client);
  return {
    async hold(queueName, seconds) {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl: await urlOf(queueName),
          MaxNumberOfMessages: batchSize,
          VisibilityTimeout: seconds,
          // Without a wait, SQS asks only some of its servers.
          WaitTimeSeconds: 1,
          MessageSystemAttributeNames: ['SentTimestamp'],
        }),
      );
      return Messages.map(heldMessage);
    },
    async release(queueName, messages) {
      for (const batch of batchesOf(messages)) {
        const Entries = batch.map(({ receiptHandle: ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle, VisibilityTimeout: 0 }));
        // A message that is not released becomes visible when its time ends.
        await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: await urlOf(queueName), Entries }));
      }
    },
    async remove(queueName, messages) {
      for (const batch of batchesOf(messages)) {
        const Entries = batch.map(({ receiptHandle: ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
        const { Failed = [] } = await client.send(new DeleteMessageBatchCommand({ QueueUrl: await urlOf(queueName), Entries }));
        if (Failed.length > 0) throw new Error(`SQS did not delete ${Failed.length} of ${batch.length} messages: ${Failed[0]?.Code}`);
      }
    },
    async send(queueName, body) {
      await client.send(new SendMessageCommand({ QueueUrl: await urlOf(queueName), MessageBody: body }));
    },
  };
};
