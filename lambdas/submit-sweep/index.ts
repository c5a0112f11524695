import { systemClock } from '../../core/runtime/clock.ts';
import { setting } from '../../core/runtime/settings.ts';
import { logFor } from '../../core/runtime/log.ts';
import { sqsQueue } from '../../core/aws/sqs/sqs-queue.ts';
import { submitQueueOver } from '../../core/sending/submit-queue.ts';
import { dynamodbTable } from '../../core/storage/dynamodb-table.ts';
import { submissionsIn } from '../../core/sending/submissions.ts';
import { sweepOutbox, type SweepConnections } from './sweep-outbox.ts';

const sweeping: SweepConnections = { submissions: submissionsIn(dynamodbTable(setting('sendingTable'))), queue: submitQueueOver(sqsQueue(setting('submitQueueUrl'))), clock: systemClock, log: logFor('submit-sweep') };

export const handler = (): Promise<void> => sweepOutbox(sweeping);
