import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { traceOf } from './failure.ts';
import type { Log } from './log.ts';

/** What Lambda tells of the time that is left. */
type Remaining = { getRemainingTimeInMillis(): number };

class OutOfTime extends Error {
  override readonly name = 'OutOfTime';
}

/**
 * Handles each record of a batch by itself, one after the other: those that failed, and only those, come again by the queue, and end among its dead
 * letters when they keep failing.
 * @param timeForOne milliseconds that one may need; with less left, records go back to the queue untouched.
 */
export const consume = (handle: (body: string) => Promise<void>, { log, timeForOne }: { log: Log; timeForOne: number }) =>
  async (event: SQSEvent, context: Remaining): Promise<SQSBatchResponse> => {
    const batchItemFailures: { itemIdentifier: string }[] = [];
    for (const { messageId, body, attributes } of event.Records) {
      try {
        if (context.getRemainingTimeInMillis() < timeForOne) throw new OutOfTime();
        await handle(body);
      } catch (error) {
        log.error('a record failed and will be tried again', { queueMessageId: messageId, receiveCount: attributes.ApproximateReceiveCount, ...traceOf(error) });
        batchItemFailures.push({ itemIdentifier: messageId });
      }
    }
    return { batchItemFailures };
  };
