import { accountOpener } from '../../core/account-index/account-opener.ts';
import { sqsMessageSource, sqsQueue } from '../../core/aws/sqs-queue.ts';
import { enqueueEndedRetention } from '../../core/blobs/ended-retention.ts';
import { storedTypes as types } from '../../core/mail/mail-store/stored-types.ts';
import { systemClock } from '../../core/runtime/clock.ts';
import { invoked } from '../../core/runtime/invocation.ts';
import { consumeOrDrain } from '../../core/runtime/lambda/queue-drain.ts';
import { consumeQueue } from '../../core/runtime/lambda/queue.ts';
import { setting } from '../../core/runtime/lambda/settings.ts';
import { logFor } from '../../core/runtime/log.ts';
import { dynamodbTable } from '../../core/storage/dynamodb/dynamodb-table.ts';
import { s3Objects } from '../../core/storage/s3/s3-objects.ts';
import { cleanUpMail } from './clean-up-mail.ts';

/** Milliseconds that a batch may take, as with destroyed Emails of large accounts. */
const timeForBatch = 90_000;

const log = logFor('mail-cleanup');
const table = dynamodbTable(setting('mailTable'));
const objects = s3Objects(setting('mailBucket'));
const opener = accountOpener({ table, types, snapshots: { objects, log } });

const sweep = async (): Promise<void> => {
  const removals = sqsQueue(setting('mailCleanupQueueUrl'));
  log.info('destroyed Emails swept', { emails: await enqueueEndedRetention({ table, removals, clock: systemClock }) });
};

/**
 * Each message names destroyed Emails, stored raw messages, or search segments of an account. A daily event enqueues
 * the removal of Emails that can't be restored any more.
 */
export const handler = invoked(
  consumeOrDrain(consumeQueue(cleanUpMail({ table, objects, opener, clock: systemClock, log }), { log }), {
    source: sqsMessageSource(setting('drainedQueueUrl')),
    timeForBatch,
    sweep,
  }),
);
