import { systemClock } from '../../core/runtime/clock.ts';
import { configured } from '../../core/runtime/configuration.ts';
import { logFor } from '../../core/runtime/log.ts';
import { consume } from '../../core/runtime/queue-consumer.ts';
import { sesMailSender } from '../../core/aws/ses/ses-mail-sender.ts';
import { sqsQueue } from '../../core/aws/sqs/sqs-queue.ts';
import { submitQueueOver } from '../../core/sending/submit-queue.ts';
import { dynamodbTable } from '../../core/storage/dynamodb-table.ts';
import { submissionsIn } from '../../core/sending/submissions.ts';
import { suppressionsIn } from '../../core/sending/suppressions.ts';
import { submitPart, type Submitting } from './submit-part.ts';

const table = dynamodbTable(configured('sendingTable'));
const submitting: Submitting = {
  submissions: submissionsIn(table),
  suppressions: suppressionsIn(table),
  sender: sesMailSender(configured('configurationSet')),
  queue: submitQueueOver(sqsQueue(configured('submitQueueUrl'))),
  clock: systemClock,
  log: logFor('submit'),
};

export const handler = consume((body) => submitPart(body, submitting), { log: submitting.log, timeForOne: 25_000 });
