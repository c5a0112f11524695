import { sqsQueue } from '../../core/aws/sqs/sqs-queue.ts';
import { systemClock } from '../../core/runtime/clock.ts';
import { logFor } from '../../core/runtime/log.ts';
import { setting } from '../../core/runtime/settings.ts';
import { submissionsIn } from '../../core/sending/submissions.ts';
import { submitQueueOver } from '../../core/sending/submit-queue.ts';
import { dynamodbTable } from '../../core/storage/dynamodb-table.ts';
import { sweepOutbox, type SweepConnections } from './sweep-outbox.ts';

const connections: SweepConnections = {
  submissions: submissionsIn(dynamodbTable(setting('sendingTable'))),
  queue: submitQueueOver(sqsQueue(setting('submitQueueUrl'))),
  clock: systemClock,
  log: logFor('submit-sweep'),
};

export const handler = (): Promise<void> => sweepOutbox(connections);
