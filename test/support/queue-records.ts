import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { InvocationContext } from '../../core/runtime/invocation.ts';

/** The context of a Lambda with this remaining time. */
export const contextWith = (milliseconds = 10_000): InvocationContext => ({ getRemainingTimeInMillis: () => milliseconds });

/** An SQS event with one record for each body. The message id of a record is the index of its body. */
export const sqsEvent = (bodies: readonly string[]): SQSEvent => {
  const records = bodies.map((body, index) => ({ messageId: String(index), body, attributes: { ApproximateReceiveCount: '1' } }));
  return { Records: records as unknown as SQSEvent['Records'] };
};

/** Indexes of the bodies whose records the Lambda returns to the queue, in order. */
export const failedRecords = ({ batchItemFailures }: SQSBatchResponse): number[] =>
  batchItemFailures.map(({ itemIdentifier }) => Number(itemIdentifier)).sort((a, b) => a - b);

/** The body of a queue record with a notification of an SNS topic. */
export const snsNotification = (topic: string, message: string): string =>
  JSON.stringify({ Type: 'Notification', MessageId: 'sns', TopicArn: `arn:aws:sns:us-east-1:000000000000:${topic}`, Message: message });
