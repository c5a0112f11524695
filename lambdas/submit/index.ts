import { setTimeout as timer } from 'node:timers/promises';
import { sesMailSender } from '../../core/aws/ses/ses-mail-sender.ts';
import { sqsQueue } from '../../core/aws/sqs-queue.ts';
import { sendingRightsIn } from '../../core/directory/aliases/may-send.ts';
import { mailStore } from '../../core/mail/mail-store/table-mail-store.ts';
import { systemClock } from '../../core/runtime/clock.ts';
import { invoked } from '../../core/runtime/invocation.ts';
import { consumeQueue } from '../../core/runtime/lambda/queue.ts';
import { region, setting } from '../../core/runtime/lambda/settings.ts';
import { logFor } from '../../core/runtime/log.ts';
import { reportDelivery } from '../../core/sending/deliver-reports.ts';
import { suppressionsIn } from '../../core/sending/feedback/suppressions.ts';
import { partChanges } from '../../core/sending/submission/part-changes.ts';
import { providerPausesIn } from '../../core/sending/submission/provider-pause.ts';
import { sentMailIndexIn } from '../../core/sending/submission/sent-mail-index.ts';
import { submissionsIn } from '../../core/sending/submission/submissions.ts';
import { submitQueueOver } from '../../core/sending/submission/submit-queue.ts';
import { dynamodbTable } from '../../core/storage/dynamodb/dynamodb-table.ts';
import { s3Objects } from '../../core/storage/s3/s3-objects.ts';
import { senderRefusal, type SubmitDependencies } from './submit-dependencies.ts';
import { submitPart } from './submit-part.ts';

const table = dynamodbTable(setting('sendingTable'));
const mailTable = dynamodbTable(setting('mailTable'));
const [submissions, mail, objects, log] = [submissionsIn(table), mailStore({ table: mailTable }), s3Objects(setting('mailBucket')), logFor('submit')];
const changePart = partChanges({ submissions, mail, wire: { region: region(), mailTable: mailTable.reference } });
const dependencies: SubmitDependencies = {
  submissions,
  sentMail: sentMailIndexIn(table),
  changePart,
  refusalOf: senderRefusal(sendingRightsIn(dynamodbTable(setting('directoryTable')))),
  deliverReports: reportDelivery({ submissions, changePart, mailStore: mail, mailTable, objects, log }),
  suppressions: suppressionsIn(table),
  pauses: providerPausesIn(table),
  objects,
  sender: sesMailSender(setting('configurationSet')),
  queue: submitQueueOver(sqsQueue(setting('submitQueueUrl'))),
  clock: systemClock,
  log,
  pause: timer,
};

export const handler = invoked(consumeQueue((body) => submitPart(body, dependencies), dependencies));
