import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { PartReference, SubmitQueue } from '../platform/submit-queue.ts';
import { patience } from './patience.ts';

/** A queue is named by its URL and reached at the region's endpoint, wherever the configuration says that is. */
const atEndpoint = { ...patience, useQueueUrlAsEndpoint: false };

/** Messages put into the queue side by side. Nearly every submission is one. */
const sideBySide = 10;

/** The submit queue in SQS. @throws Error when SQS did not take one of them: those it took are handed out all the same. */
export const sqsSubmitQueue = (queueUrl: string, client = new SQSClient(atEndpoint)): SubmitQueue => {
  const sendOne = ({ submission_id, part }: PartReference, delaySeconds: number) =>
    client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: JSON.stringify({ submission_id, part }), DelaySeconds: delaySeconds }));
  return {
    async send(parts, delaySeconds = 0) {
      for (let first = 0; first < parts.length; first += sideBySide) {
        await Promise.all(parts.slice(first, first + sideBySide).map((part) => sendOne(part, delaySeconds)));
      }
    },
  };
};
