import { systemClock } from '../../core/runtime/clock.ts';
import { newId } from '../../core/runtime/ids.ts';
import { logFor } from '../../core/runtime/log.ts';
import { consumeQueue } from '../../core/runtime/lambda/queue.ts';
import { consumeOrDrain } from '../../core/runtime/lambda/queue-drain.ts';
import { sqsMessageSource } from '../../core/aws/sqs/sqs-message-source.ts';
import { sqsQueue } from '../../core/aws/sqs/sqs-queue.ts';
import { accountRemovalsIn } from '../../core/directory/accounts/account-removals.ts';
import { auditTrailIn } from '../../core/directory/operations/audit-log.ts';
import { mailRemovalIn } from '../../core/mail-types/mail-store/mail-removal.ts';
import { s3Objects } from '../../core/storage/s3/s3-objects.ts';
import { accountOpener } from '../../core/account-index/account-opener.ts';
import { storedTypes as types } from '../../core/mail-types/mail-store/stored-types.ts';
import { handleRemoval } from './removal-message.ts';
import { dynamodbTable } from '../../core/storage/dynamodb/dynamodb-table.ts';
import { setting } from '../../core/runtime/lambda/settings.ts';

/**
 * Milliseconds of work on one message, half of the Lambda's timeout. Then the rest of the work returns to the queue.
 */
const workFor = 60_000;

const directory = dynamodbTable(setting('directoryTable'));
const log = logFor('account-removal');
const table = dynamodbTable(setting('mailTable'));
const objects = s3Objects(setting('mailBucket'));
const connections = {
  removals: accountRemovalsIn(directory),
  mail: mailRemovalIn(table),
  objects,
  queue: sqsQueue(setting('accountRemovalQueueUrl')),
  trail: auditTrailIn(directory),
  newId,
  clock: systemClock,
};

const consume = consumeQueue(handleRemoval({
  accounts: connections, emails: { table, objects, opener: accountOpener({ table, types, snapshots: { objects, log } }) }, log, workFor,
}), { log });

/** Each message is an account to remove, Emails that were destroyed, unused raw messages, or unused search segments. */
export const handler = consumeOrDrain(consume, {
  source: sqsMessageSource(setting('drainedQueueUrl')), timeForBatch: workFor + 30_000,
});
