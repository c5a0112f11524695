import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { InvocationContext } from '../invocation.ts';
import type { consumeQueue } from './queue.ts';

/**
 * A message that a Lambda has received from a queue. Other receivers do not see it until the queue's visibility timeout
 * has passed.
 */
export type ReceivedMessage = {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly attributes: { readonly ApproximateReceiveCount: string };
};

/** A queue from which a Lambda receives messages itself. Adapter: `core/aws/sqs-queue.ts`. */
export type MessageSource = {
  /** Receives up to ten messages without waiting. The list is empty when there was no visible message. */
  receive(): Promise<readonly ReceivedMessage[]>;
  /** Deletes handled messages. */
  remove(messages: readonly ReceivedMessage[]): Promise<void>;
};

type DrainOptions = {
  readonly source: MessageSource;
  /**
   * Milliseconds that one batch may take. With less remaining time, the run ends, and the messages remain in the queue.
   */
  readonly timeForBatch: number;
  /** Called instead when the event of a schedule is `{"sweep": true}`. */
  readonly sweep?: () => Promise<void>;
};

/** The event of a schedule. Unlike SQS's event it has no records. */
type ScheduledEvent = { readonly Records?: undefined; readonly sweep?: boolean };

/**
 * Handles messages that SQS passes to the Lambda. When a schedule invokes the Lambda, it receives the messages from the
 * queue. A message whose handling failed is not deleted. It becomes visible again after the visibility timeout, and SQS
 * moves it to the dead-letter queue after five attempts. A message that was handled but not deleted is handled again.
 */
export const consumeOrDrain = (consume: ReturnType<typeof consumeQueue>, { source, timeForBatch, sweep }: DrainOptions) => {
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
    if (event.sweep) await sweep?.();
    else while (context.getRemainingTimeInMillis() >= timeForBatch && (await drainBatch(context)));
    return { batchItemFailures: [] };
  };
};
