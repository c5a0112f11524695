import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { errorLogFields } from './errors.ts';
import type { Log } from './log.ts';

/** A queue of messages. Adapter: `core/aws/sqs/sqs-queue.ts`; a fake is in `test/fakes/`. */
export type Queue = {
  /** @param message a JSON value. @param delaySeconds how long the message is invisible, at most 900. */
  send(message: unknown, delaySeconds?: number): Promise<void>;
};

/** The part of a Lambda's context that has the remaining time. */
type RemainingTime = { getRemainingTimeInMillis(): number };

class OutOfTime extends Error {
  override readonly name = 'OutOfTime';
}

type QueueOptions = {
  readonly log: Log;
  /** Milliseconds that one record may need. Records that are reached with less time left return to the queue. */
  readonly timeForOne: number;
  /** Handles the records of a batch concurrently, for handlers that mostly wait; the default is one after the other. */
  readonly concurrent?: boolean;
};

/**
 * Handles the records of a batch independently. Only those that failed return to the queue; SQS moves them to the
 * dead-letter queue when they keep failing.
 */
export const consumeQueue = (handle: (body: string) => Promise<void>, { log, timeForOne, concurrent = false }: QueueOptions) =>
  async ({ Records }: SQSEvent, context: RemainingTime): Promise<SQSBatchResponse> => {
    const batchItemFailures: { itemIdentifier: string }[] = [];
    const handleOne = async ({ messageId, body, attributes }: SQSRecord): Promise<void> => {
      try {
        if (context.getRemainingTimeInMillis() < timeForOne) throw new OutOfTime();
        await handle(body);
      } catch (error) {
        log.error(
          'record failed; it returns to the queue',
          { queueMessageId: messageId, receiveCount: attributes.ApproximateReceiveCount, ...errorLogFields(error) },
        );
        batchItemFailures.push({ itemIdentifier: messageId });
      }
    };
    if (concurrent) await Promise.all(Records.map(handleOne));
    else for (const record of Records) await handleOne(record);
    return { batchItemFailures };
  };
