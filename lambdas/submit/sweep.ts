import { systemClock } from '../platform/clock.ts';
import { configured } from '../platform/configuration.ts';
import { logFor } from '../platform/log.ts';
import { sqsQueue } from '../providers/sqs.ts';
import { submitQueueOver } from '../providers/submit-queue-over.ts';
import { sendingTable } from '../store/sending/sending-table.ts';
import { submissionsIn } from '../store/sending/submissions.ts';
import { sweepOutbox, type Sweeping } from './sweep-outbox.ts';

const sweeping: Sweeping = { submissions: submissionsIn(sendingTable()), queue: submitQueueOver(sqsQueue(configured('submitQueueUrl'))), clock: systemClock, log: logFor('submit-sweep') };

export const handler = (): Promise<void> => sweepOutbox(sweeping);
