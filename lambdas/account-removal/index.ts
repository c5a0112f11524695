import { systemClock } from '../../core/runtime/clock.ts';
import { newId } from '../../core/runtime/ids.ts';
import { logFor } from '../../core/runtime/log.ts';
import { consumeQueue } from '../../core/runtime/queue.ts';
import { consumeOrDrain } from '../../core/runtime/queue-drain.ts';
import { sqsMessageSource } from '../../core/aws/sqs/sqs-message-source.ts';
import { sqsQueue } from '../../core/aws/sqs/sqs-queue.ts';
import { accountRemovalsIn } from '../../core/directory/account-removals.ts';
import { auditTrailIn } from '../../core/directory/audit-log.ts';
import { mailRemovalIn } from '../../core/mail/mail-removal.ts';
import { s3Objects } from '../../core/storage/s3-objects.ts';
import { removeAccount, type RemovalTask } from './remove-account.ts';
import { dynamodbTable } from '../../core/storage/dynamodb-table.ts';
import { setting } from '../../core/runtime/settings.ts';

/**
 * Milliseconds of work on one message, half of the Lambda's timeout. Then the rest of the work returns to the queue.
 */
const workFor = 60_000;

const directory = dynamodbTable(setting('directoryTable'));
const log = logFor('account-removal');
const connections = {
  removals: accountRemovalsIn(directory),
  mail: mailRemovalIn(dynamodbTable(setting('mailTable'))),
  objects: s3Objects(setting('mailBucket')),
  queue: sqsQueue(setting('accountRemovalQueueUrl')),
  trail: auditTrailIn(directory),
  newId,
  clock: systemClock,
};

const consume = consumeQueue(async (body) => {
  const task = JSON.parse(body) as RemovalTask;
  await removeAccount(connections, task, new Date(Date.now() + workFor));
  log.info('removal processed', { account_id: task.accountId, is_final_check: task.isLastLook === true });
}, { log });

/** Each message is an account to remove. */
export const handler = consumeOrDrain(consume, {
  source: sqsMessageSource(setting('drainedQueueUrl')), timeForBatch: workFor + 30_000,
});
