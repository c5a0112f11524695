import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { isTransient } from '../aws-errors.ts';
import { StoreConflict } from '../domain-errors.ts';
import { errorLogFields } from '../error-log-fields.ts';
import { withinInvocation, type InvocationContext } from '../invocation.ts';
import type { Log } from '../log.ts';

/** A queue of messages. Adapter: `core/aws/sqs-queue.ts`; a fake is in `test/fakes/`. */
export type Queue = {
  /**
   * Sends a message. @param message a JSON value. @param delaySeconds seconds for which the message is invisible, at
   * most 900.
   */
  send(message: unknown, delaySeconds?: number): Promise<void>;
};

/** The fields of a queue's record that a handler needs. */
type QueueRecord = Pick<SQSRecord, 'messageId' | 'receiptHandle' | 'body'> & { readonly attributes: Pick<SQSRecord['attributes'], 'ApproximateReceiveCount'> };

/** Makes a received record visible again after some seconds. Adapter: `core/aws/sqs-queue.ts`. */
export type ReturnToQueue = (receiptHandle: string, seconds: number) => Promise<void>;

type QueueOptions = {
  readonly log: Log;
  /**
   * Used for records that failed because a service was busy. Without it, such records return after the queue's
   * visibility timeout.
   */
  readonly returnToQueue?: ReturnToQueue;
};

/** The text of the log line about a record that failed. */
export const failedRecordText = 'record failed; it returns to the queue';

/**
 * Handles the records of a batch together. `handle` returns the result of each record, in the order of the records.
 * Only failed records return to the queue; SQS moves them to the dead-letter queue when they keep failing.
 */
export const consumeBatch = (
  handle: (bodies: readonly string[]) => Promise<readonly PromiseSettledResult<unknown>[]>,
  { log, returnToQueue }: QueueOptions,
) => {
  const returnRecord = async ({ messageId, attributes, receiptHandle }: QueueRecord, error: unknown): Promise<void> => {
    const receiveCount = Number(attributes.ApproximateReceiveCount);
    const retryAfter = returnToQueue && secondsUntilRetry(error, receiveCount);
    log.error(failedRecordText, { queueMessageId: messageId, receiveCount, retryAfter, ...errorLogFields(error) });
    if (retryAfter !== undefined)
      await returnToQueue?.(receiptHandle, retryAfter).catch((failure: unknown) => {
        log.warn('the visibility timeout of a record could not be changed', { queueMessageId: messageId, ...errorLogFields(failure) });
      });
  };
  return ({ Records }: { readonly Records: readonly QueueRecord[] }, context: InvocationContext): Promise<SQSBatchResponse> =>
    withinInvocation(context, async () => {
      const results = await handle(Records.map(({ body }) => body));
      const failed = Records.flatMap((record, index) => {
        const result = results[index]!;
        return result.status === 'rejected' ? [{ record, error: result.reason as unknown }] : [];
      });
      await Promise.all(failed.map(({ record, error }) => returnRecord(record, error)));
      return { batchItemFailures: failed.map(({ record }) => ({ itemIdentifier: record.messageId })) };
    });
};

/**
 * Handles the records of a batch concurrently, so that each record is handled as soon as the Lambda has received it. A
 * record that waits for another one would use up an attempt, because SQS counts each time that a Lambda receives it.
 * Where records must not share a Lambda, the event source mapping in `lib/` has a batch size of 1.
 */
export const consumeQueue = (handle: (body: string) => Promise<void>, options: QueueOptions) =>
  consumeBatch((bodies) => Promise.allSettled(bodies.map(async (body) => handle(body))), options);

/**
 * Maximum seconds until a record returns after each of its first failed attempts. After later attempts, the record
 * returns after the visibility timeout.
 */
const retrySchedule = [4, 15, 60];

/**
 * Random seconds until the next attempt after a conflict or a transient failure. Undefined: the queue's visibility
 * timeout applies.
 */
const secondsUntilRetry = (error: unknown, receiveCount: number): number | undefined => {
  const longest = retrySchedule[receiveCount - 1];
  if (longest === undefined || !(error instanceof StoreConflict || isTransient(error))) return undefined;
  return Math.ceil(longest * (0.5 + Math.random() / 2));
};
