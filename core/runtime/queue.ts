import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { errorLogFields } from './errors.ts';
import type { Log } from './log.ts';

/** A queue of work to do. Adapter: `core/aws/sqs/sqs-queue.ts`; a fake is in `test/fakes/`. */
export type Queue = {
  /** @param message a JSON value. @param delaySeconds how long it stays hidden, at most 900. */
  send(message: unknown, delaySeconds?: number): Promise<void>;
};

/** What Lambda tells of the time that is left. */
type Remaining = { getRemainingTimeInMillis(): number };

class OutOfTime extends Error {
  override readonly name = 'OutOfTime';
}

type Consumption = {
  readonly log: Log;
  /** Milliseconds that one may need; with less left, records go back to the queue untouched. */
  readonly timeForOne: number;
  /** All of a batch at once, because they wait for others and not for us; otherwise one after the other. */
  readonly concurrent?: boolean;
};

/**
 * Handles each record of a batch by itself: those that failed, and only those, come again by the queue, and end among its dead letters when they keep failing.
 */
export const consumeQueue = (handle: (body: string) => Promise<void>, { log, timeForOne, concurrent = false }: Consumption) =>
  async ({ Records }: SQSEvent, context: Remaining): Promise<SQSBatchResponse> => {
    const batchItemFailures: { itemIdentifier: string }[] = [];
    const handleOne = async ({ messageId, body, attributes }: SQSRecord): Promise<void> => {
      try {
        if (context.getRemainingTimeInMillis() < timeForOne) throw new OutOfTime();
        await handle(body);
      } catch (error) {
        log.error('a record failed and will be tried again', { queueMessageId: messageId, receiveCount: attributes.ApproximateReceiveCount, ...errorLogFields(error) });
        batchItemFailures.push({ itemIdentifier: messageId });
      }
    };
    if (concurrent) await Promise.all(Records.map(handleOne));
    else for (const record of Records) await handleOne(record);
    return { batchItemFailures };
  };
