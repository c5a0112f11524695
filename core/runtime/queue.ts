import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { errorLogFields } from './errors.ts';
import type { Log } from './log.ts';

/** A queue of messages. Adapter: `core/aws/sqs/sqs-queue.ts`; a fake is in `test/fakes/`. */
export type Queue = {
  /** @param message a JSON value. @param delaySeconds how long the message is invisible, at most 900. */
  send(message: unknown, delaySeconds?: number): Promise<void>;
};

/** The part of a queue's record that a handler needs. */
type QueueRecord = Pick<SQSRecord, 'messageId' | 'body'> & { readonly attributes: Pick<SQSRecord['attributes'], 'ApproximateReceiveCount'> };

/**
 * Handles the records of a batch concurrently, so that each is handled as soon as its Lambda has it. A record that
 * waited for another one would use up an attempt while it waits: SQS counts each time that a Lambda receives it. Where
 * records must not share a Lambda, the event source mapping in `lib/` has a batch size of 1.
 *
 * Only the records that failed return to the queue; SQS moves them to the dead-letter queue when they keep failing.
 */
export const consumeQueue = (handle: (body: string) => Promise<void>, { log }: { readonly log: Log }) =>
  async ({ Records }: { readonly Records: readonly QueueRecord[] }): Promise<SQSBatchResponse> => {
    const batchItemFailures: { itemIdentifier: string }[] = [];
    await Promise.all(Records.map(async ({ messageId, body, attributes }) => {
      try {
        await handle(body);
      } catch (error) {
        log.error(
          'record failed; it returns to the queue',
          { queueMessageId: messageId, receiveCount: attributes.ApproximateReceiveCount, ...errorLogFields(error) },
        );
        batchItemFailures.push({ itemIdentifier: messageId });
      }
    }));
    return { batchItemFailures };
  };
