import { sqsMessageSource, sqsQueue } from '../../core/aws/sqs-queue.ts';
import { receivesMailIn } from '../../core/directory/aliases/receiving-addresses.ts';
import { mailStore } from '../../core/mail/mail-store/table-mail-store.ts';
import { systemClock } from '../../core/runtime/clock.ts';
import { invoked } from '../../core/runtime/invocation.ts';
import { consumeOrDrain } from '../../core/runtime/lambda/queue-drain.ts';
import { region, setting } from '../../core/runtime/lambda/settings.ts';
import { logFor } from '../../core/runtime/log.ts';
import { reportDelivery } from '../../core/sending/deliver-reports.ts';
import { mailFeedbackIn } from '../../core/sending/feedback/mail-feedback.ts';
import { partChanges } from '../../core/sending/submission/part-changes.ts';
import { submissionsIn } from '../../core/sending/submission/submissions.ts';
import { dynamodbTable } from '../../core/storage/dynamodb/dynamodb-table.ts';
import { s3Objects } from '../../core/storage/s3/s3-objects.ts';
import { recordSesEvents, type MailEventsDependencies } from './record-ses-events.ts';

const table = dynamodbTable(setting('sendingTable'));
const mailTable = dynamodbTable(setting('mailTable'));
const log = logFor('mail-events');
const submissions = submissionsIn(table);
const store = mailStore({ table: mailTable });
const changePart = partChanges({ submissions, mail: store, wire: { region: region(), mailTable: mailTable.reference } });
const dependencies: MailEventsDependencies = {
  changePart,
  feedback: mailFeedbackIn(table, receivesMailIn(dynamodbTable(setting('directoryTable')))),
  deliverReports: reportDelivery({ submissions, changePart, mailStore: store, mailTable, objects: s3Objects(setting('mailBucket')), log }),
  queue: sqsQueue(setting('drainedQueueUrl')),
  clock: systemClock,
  log,
};

export const handler = invoked(consumeOrDrain(recordSesEvents(dependencies), { source: sqsMessageSource(setting('drainedQueueUrl')), timeForBatch: 10_000 }));
