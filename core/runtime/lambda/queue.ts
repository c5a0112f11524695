import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { StoreConflict } from '../domain-errors.ts';
import { errorLogFields, isTransient } from '../errors.ts';
import type { Log } from '../log.ts';
import { withinInvocation, type InvocationContext } from '../concurrency/remaining-time.ts';

/** A queue of messages. Adapter: `core/aws/sqs/sqs-queue.ts`; a fake is in `test/fakes/`. */
export type Queue = {
  /** @param message a JSON value. @param delaySeconds how long the message is invisible, at most 900. */
  send(message: unknown, delaySeconds?: number): Promise<void>;
};

/** The part of a queue's record that a handler needs. */
type QueueRecord = Pick<SQSRecord, 'messageId' | 'receiptHandle' | 'body'>
  & { readonly attributes: Pick<SQSRecord['attributes'], 'ApproximateReceiveCount'> };

/** Makes a received record visible again after some seconds. Adapter: `core/aws/sqs/sqs-queue.ts`. */
export type ReturnToQueue = (receiptHandle: string, seconds: number) => Promise<void>;

type QueueOptions = {
  readonly log: Log;
  /** For records that failed because a service was busy. Without it they return after the queue's visibility timeout. */
  readonly returnToQueue?: ReturnToQueue;
};

/**
 * Handles the records of a batch together. `handle` returns the result of each record, in their order. Only the records
 * that failed return to the queue; SQS moves them to the dead-letter queue when they keep failing.
 */
export const consumeBatch = (
  handle: (bodies: readonly string[]) => Promise<readonly PromiseSettledResult<unknown>[]>, { log, returnToQueue }: QueueOptions,
) => {
  const returnRecord = async ({ messageId, attributes, receiptHandle }: QueueRecord, error: unknown): Promise<void> => {
    const receiveCount = Number(attributes.ApproximateReceiveCount);
    const retryAfter = returnToQueue && secondsUntilRetry(error, receiveCount);
    log.error(
      'record failed; it returns to the queue', { queueMessageId: messageId, receiveCount, retryAfter, ...errorLogFields(error) },
    );
    if (retryAfter !== undefined) await returnToQueue?.(receiptHandle, retryAfter).catch((failure: unknown) => {
      log.warn('the visibility timeout stays as it is', { queueMessageId: messageId, ...errorLogFields(failure) });
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
 * Handles the records of a batch concurrently, so that each is handled as soon as its Lambda has it. A record that
 * waited for another one would use up an attempt while it waits: SQS counts each time that a Lambda receives it. Where
 * records must not share a Lambda, the event source mapping in `lib/` has a batch size of 1.
 */
export const consumeQueue = (handle: (body: string) => Promise<void>, options: QueueOptions) =>
  consumeBatch((bodies) => Promise.allSettled(bodies.map(async (body) => handle(body))), options);

/** Seconds until a record returns after its first attempts, at most. Later it waits for the visibility timeout. */
const retrySchedule = [4, 15, 60];

/**
 * Seconds until the next attempt, if the record met other writers or a service that was busy. They are random, so that
 * records that failed together do not return together.
 */
const secondsUntilRetry = (error: unknown, receiveCount: number): number | undefined => {
  const longest = retrySchedule[receiveCount - 1];
  if (longest === undefined || !(error instanceof StoreConflict || isTransient(error))) return undefined;
  return Math.ceil(longest * (0.5 + Math.random() / 2));
};
