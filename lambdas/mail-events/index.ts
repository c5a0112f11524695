import { systemClock } from '../platform/clock.ts';
import { logFor } from '../platform/log.ts';
import { consume } from '../platform/queue-consumer.ts';
import { feedbackIn } from '../store/sending/mail-feedback.ts';
import { sendingTable } from '../store/sending/sending-table.ts';
import { submissionsIn } from '../store/sending/submissions.ts';
import { recordReport, type Recording } from './record-report.ts';

const table = sendingTable();
const recording: Recording = { submissions: submissionsIn(table), feedback: feedbackIn(table), clock: systemClock, log: logFor('mail-events') };

export const handler = consume((body) => recordReport(body, recording), { log: recording.log, timeForOne: 10_000 });
