import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { PartReference, SubmitQueue } from '../platform/submit-queue.ts';
import { patience } from './patience.ts';

/** Entries of one SendMessageBatch. */
const batchSize = 10;

/** A queue is named by its URL and reached at the region's endpoint, wherever the configuration says that is. */
const atEndpoint = { ...patience, useQueueUrlAsEndpoint: false };

/** The submit queue in SQS. @throws Error when SQS did not take all of them: those it took are handed out all the same. */
export const sqsSubmitQueue = (queueUrl: string, client = new SQSClient(atEndpoint)): SubmitQueue => {
  const sendBatch = async (parts: readonly PartReference[], delaySeconds: number): Promise<void> => {
    const { Failed: failed = [] } = await client.send(new SendMessageBatchCommand({
      QueueUrl: queueUrl,
      Entries: parts.map(({ submission_id, part }, index) => ({ Id: String(index), MessageBody: JSON.stringify({ submission_id, part }), DelaySeconds: delaySeconds })),
    }));
    if (failed.length > 0) throw new Error(`the submit queue did not take ${failed.length} of ${parts.length} parts: ${failed[0]?.Code ?? ''}`);
  };
  return {
    async send(parts, delaySeconds = 0) {
      for (let first = 0; first < parts.length; first += batchSize) await sendBatch(parts.slice(first, first + batchSize), delaySeconds);
    },
  };
};
