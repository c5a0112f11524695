import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { namingErrors } from '../runtime/sdk-client.ts';
import { sqsQueueUrls } from './sqs-queue-urls.ts';
import { sqsClientSettings } from './sqs-queue.ts';

/** The approximate numbers of messages in a queue. */
export type QueueDepth = {
  /** Messages that a consumer can receive now. */
  readonly visible: number;
  /** Messages that a consumer has received and not deleted. */
  readonly inFlight: number;
  /** Messages that become visible later. */
  readonly delayed: number;
};

/** Reads what waits in queues. The fake in `test/fakes/` passes the same suite. */
export type QueueDepths = {
  /** Reads a queue by its name. */
  read(queueName: string): Promise<QueueDepth>;
};

/** {@link QueueDepths} in SQS. It looks up the URL of a queue once. */
export const sqsQueueDepths = (client: Pick<SQSClient, 'send'> = namingErrors(new SQSClient(sqsClientSettings))): QueueDepths => {
  const urlOf = sqsQueueUrls(client);
  return {
    async read(queueName) {
      const { Attributes: attributes = {} } = await client.send(
        new GetQueueAttributesCommand({
          QueueUrl: await urlOf(queueName),
          AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible', 'ApproximateNumberOfMessagesDelayed'],
        }),
      );
      return {
        visible: Number(attributes['ApproximateNumberOfMessages'] ?? 0),
        inFlight: Number(attributes['ApproximateNumberOfMessagesNotVisible'] ?? 0),
        delayed: Number(attributes['ApproximateNumberOfMessagesDelayed'] ?? 0),
      };
    },
  };
};
