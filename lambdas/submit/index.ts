import { sesMailSender } from '../../core/aws/ses/ses-mail-sender.ts';
import { sqsQueue } from '../../core/aws/sqs/sqs-queue.ts';
import { systemClock } from '../../core/runtime/clock.ts';
import { logFor } from '../../core/runtime/log.ts';
import { consumeQueue } from '../../core/runtime/queue.ts';
import { setting } from '../../core/runtime/settings.ts';
import { submissionsIn } from '../../core/sending/submissions.ts';
import { submitQueueOver } from '../../core/sending/submit-queue.ts';
import { suppressionsIn } from '../../core/sending/suppressions.ts';
import { dynamodbTable } from '../../core/storage/dynamodb-table.ts';
import { submitPart, type SubmitConnections } from './submit-part.ts';

const table = dynamodbTable(setting('sendingTable'));
const connections: SubmitConnections = {
  submissions: submissionsIn(table),
  suppressions: suppressionsIn(table),
  sender: sesMailSender(setting('configurationSet')),
  queue: submitQueueOver(sqsQueue(setting('submitQueueUrl'))),
  clock: systemClock,
  log: logFor('submit'),
};

export const handler = consumeQueue((body) => submitPart(body, connections), connections);
