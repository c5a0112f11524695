import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { traceOf } from '../platform/failure.ts';
import { deliver, type Delivery } from './deliver.ts';

/** Milliseconds that a delivery may need; with less left, records go back to the queue untouched. */
const timeForOne = 10_000;

/** What Lambda tells of the time that is left. */
type Remaining = { getRemainingTimeInMillis(): number };

/**
 * Delivers each record of a batch by itself: those that failed, and only those, come again by the queue, and end in its dead-letter queue when they
 * keep failing. One after the other, since a raw message may fill a good part of the memory.
 */
export const deliverBatch = (delivery: Delivery) => async (event: SQSEvent, context: Remaining): Promise<SQSBatchResponse> => {
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const { messageId, body, attributes } of event.Records) {
    try {
      if (context.getRemainingTimeInMillis() < timeForOne) throw new OutOfTime();
      await deliver(body, delivery);
    } catch (error) {
      delivery.log.error('a delivery failed and will be tried again', { queueMessageId: messageId, receiveCount: attributes.ApproximateReceiveCount, ...traceOf(error) });
      batchItemFailures.push({ itemIdentifier: messageId });
    }
  }
  return { batchItemFailures };
};

class OutOfTime extends Error {
  override readonly name = 'OutOfTime';
}
