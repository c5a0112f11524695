import { randomBytes } from 'node:crypto';
import { accountOpener } from '../../core/account-index/account-opener.ts';
import { sqsQueue } from '../../core/aws/sqs-queue.ts';
import { storedTypes as types } from '../../core/mail/mail-store/stored-types.ts';
import { systemClock } from '../../core/runtime/clock.ts';
import { invoked } from '../../core/runtime/invocation.ts';
import { setting } from '../../core/runtime/lambda/settings.ts';
import { logFor } from '../../core/runtime/log.ts';
import { emailIndexer } from '../../core/search/indexing/index-emails.ts';
import { dynamodbTable } from '../../core/storage/dynamodb/dynamodb-table.ts';
import { s3Objects } from '../../core/storage/s3/s3-objects.ts';
import { destroyedEmailsStep } from './destroyed-emails-step.ts';
import { indexBatch } from './index-batch.ts';
import { searchStep } from './search-step.ts';
import { snapshotStep } from './snapshot-step.ts';

const log = logFor('indexer');
const table = dynamodbTable(setting('mailTable'));
const objects = s3Objects(setting('mailBucket'));
const removals = sqsQueue(setting('mailCleanupQueueUrl'));
const newNonce = () => randomBytes(8).toString('hex');
const opener = accountOpener({ table, types, snapshots: { objects, log } });

/** Handles records of the mail table's stream: log items and heads of accounts. */
export const handler = invoked(
  indexBatch({
    types,
    steps: [
      destroyedEmailsStep(removals, table),
      snapshotStep({ table, types, opener, objects, newNonce, clock: systemClock, log }),
      searchStep({ indexEmails: emailIndexer({ table, opener, objects, removals, newNonce, clock: systemClock, log }), clock: systemClock, log }),
    ],
    log,
  }),
);
