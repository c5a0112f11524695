import { systemClock } from '../platform/clock.ts';
import { configured } from '../platform/configuration.ts';
import { logFor } from '../platform/log.ts';
import { consume } from '../platform/queue-consumer.ts';
import { sesMailSender } from '../providers/ses-mail-sender.ts';
import { sqsQueue } from '../providers/sqs.ts';
import { submitQueueOver } from '../providers/submit-queue-over.ts';
import { sendingTable } from '../store/sending/sending-table.ts';
import { submissionsIn } from '../store/sending/submissions.ts';
import { suppressionsIn } from '../store/sending/suppressions.ts';
import { submitPart, type Submitting } from './submit-part.ts';

const table = sendingTable();
const submitting: Submitting = {
  submissions: submissionsIn(table),
  suppressions: suppressionsIn(table),
  sender: sesMailSender(configured('configurationSet')),
  queue: submitQueueOver(sqsQueue(configured('submitQueueUrl'))),
  clock: systemClock,
  log: logFor('submit'),
};

export const handler = consume((body) => submitPart(body, submitting), { log: submitting.log, timeForOne: 25_000 });
