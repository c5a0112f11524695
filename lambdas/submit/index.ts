import { setTimeout as timer } from 'node:timers/promises';
import { sesMailSender } from '../../core/aws/ses/ses-mail-sender.ts';
import { sqsQueue } from '../../core/aws/sqs/sqs-queue.ts';
import { sendingRightsIn } from '../../core/directory/may-send.ts';
import { mailStore } from '../../core/mail/table-mail-store.ts';
import { systemClock } from '../../core/runtime/clock.ts';
import { logFor } from '../../core/runtime/log.ts';
import { consumeQueue } from '../../core/runtime/queue.ts';
import { region, setting } from '../../core/runtime/settings.ts';
import { reportDelivery } from '../../core/sending/deliver-reports.ts';
import { partChanges } from '../../core/sending/part-changes.ts';
import { providerPausesIn } from '../../core/sending/provider-pause.ts';
import { sentMailIndexIn } from '../../core/sending/sent-mail-index.ts';
import { submissionsIn } from '../../core/sending/submissions.ts';
import { submitQueueOver } from '../../core/sending/submit-queue.ts';
import { suppressionsIn } from '../../core/sending/suppressions.ts';
import { dynamodbTable } from '../../core/storage/dynamodb-table.ts';
import { s3Objects } from '../../core/storage/s3-objects.ts';
import { senderRefusal, type SubmitConnections } from './submit-connections.ts';
import { submitPart } from './submit-part.ts';

const table = dynamodbTable(setting('sendingTable'));
const mailTable = dynamodbTable(setting('mailTable'));
const [submissions, mail, objects, log] = [submissionsIn(table), mailStore({ table: mailTable }), s3Objects(setting('mailBucket')), logFor('submit')];
const changePart = partChanges({ submissions, mail, wire: { region: region(), mailTable: mailTable.reference } });
const connections: SubmitConnections = {
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

export const handler = consumeQueue((body) => submitPart(body, connections), connections);
