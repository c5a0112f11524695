import { sqsQueue } from '../../core/aws/sqs-queue.ts';
import { mailStore } from '../../core/mail/mail-store/table-mail-store.ts';
import { systemClock } from '../../core/runtime/clock.ts';
import { invoked } from '../../core/runtime/invocation.ts';
import { setting } from '../../core/runtime/lambda/settings.ts';
import { logFor } from '../../core/runtime/log.ts';
import { submissionsIn } from '../../core/sending/submission/submissions.ts';
import { submitQueueOver } from '../../core/sending/submission/submit-queue.ts';
import { dynamodbTable } from '../../core/storage/dynamodb/dynamodb-table.ts';
import { s3Objects } from '../../core/storage/s3/s3-objects.ts';
import { removeExpired, type ExpiryDependencies } from './remove-expired.ts';
import { sweepOutbox, type SweepDependencies } from './sweep-outbox.ts';

const dependencies: SweepDependencies & ExpiryDependencies = {
  submissions: submissionsIn(dynamodbTable(setting('sendingTable'))),
  mail: mailStore({ table: dynamodbTable(setting('mailTable')) }),
  objects: s3Objects(setting('mailBucket')),
  queue: submitQueueOver(sqsQueue(setting('submitQueueUrl'))),
  clock: systemClock,
  log: logFor('submit-sweep'),
};

/** Queues the parts that are due, then removes expired submissions. */
export const handler = invoked(async (): Promise<void> => {
  await sweepOutbox(dependencies);
  await removeExpired(dependencies);
});
