import { sqsMessageSource } from '../../core/aws/sqs/sqs-message-source.ts';
import { systemClock } from '../../core/runtime/clock.ts';
import { logFor } from '../../core/runtime/log.ts';
import { consumeQueue } from '../../core/runtime/queue.ts';
import { consumeOrDrain } from '../../core/runtime/queue-drain.ts';
import { setting } from '../../core/runtime/settings.ts';
import { mailFeedbackIn } from '../../core/sending/mail-feedback.ts';
import { submissionsIn } from '../../core/sending/submissions.ts';
import { dynamodbTable } from '../../core/storage/dynamodb-table.ts';
import { recordSesEvent, type MailEventsConnections } from './record-ses-event.ts';

const table = dynamodbTable(setting('sendingTable'));
const connections: MailEventsConnections = {
  submissions: submissionsIn(table),
  feedback: mailFeedbackIn(table),
  clock: systemClock,
  log: logFor('mail-events'),
};

const consume = consumeQueue((body) => recordSesEvent(body, connections), connections);

export const handler = consumeOrDrain(consume, { source: sqsMessageSource(setting('drainedQueueUrl')), timeForBatch: 10_000 });
