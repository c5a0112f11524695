import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { consumeQueue } from './queue.ts';
import type { InvocationContext } from '../concurrency/remaining-time.ts';

/** A message that a Lambda took from a queue. It is invisible to others for the queue's visibility timeout. */
export type ReceivedMessage = {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly attributes: { readonly ApproximateReceiveCount: string };
};

/** A queue that a Lambda takes messages from itself. Adapter: `core/aws/sqs/sqs-message-source.ts`. */
export type MessageSource = {
  /** Takes up to ten messages without waiting; none when it found no visible message. */
  receive(): Promise<readonly ReceivedMessage[]>;
  /** Deletes messages that were handled. */
  remove(messages: readonly ReceivedMessage[]): Promise<void>;
};

type DrainOptions = {
  readonly source: MessageSource;
  /** Milliseconds that one batch may need. With less time left, the run ends and leaves the messages in the queue. */
  readonly timeForBatch: number;
};

/** The event that a schedule passes; unlike SQS's event it has no records. */
type ScheduledEvent = { readonly Records?: undefined };

/**
 * Handles messages that SQS passes to the Lambda, and takes them from the queue when a schedule invokes the Lambda.
 * A message that failed is not deleted: it is visible again after the visibility timeout, and SQS moves it to the
 * dead-letter queue after five attempts. A message that was handled but not deleted is handled again.
 */
export const consumeOrDrain = (consume: ReturnType<typeof consumeQueue>, { source, timeForBatch }: DrainOptions) => {
  const drainBatch = async (context: InvocationContext): Promise<boolean> => {
    const messages = await source.receive();
    if (messages.length === 0) return false;
    const { batchItemFailures } = await consume({ Records: messages }, context);
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    await source.remove(messages.filter(({ messageId }) => !failed.has(messageId)));
    return true;
  };
  return async (event: SQSEvent | ScheduledEvent, context: InvocationContext): Promise<SQSBatchResponse> => {
    if (event.Records) return consume(event, context);
    while (context.getRemainingTimeInMillis() >= timeForBatch && await drainBatch(context));
    return { batchItemFailures: [] };
  };
};
