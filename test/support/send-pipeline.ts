import type { SQSEvent } from 'aws-lambda';
import { messageTags } from '../../contract/sending.ts';
import { recordSesEvent } from '../../lambdas/mail-events/record-ses-event.ts';
import { consumeQueue } from '../../core/runtime/queue.ts';
import { acceptSubmission } from '../../core/sending/accept-submission.ts';
import { mailFeedbackIn } from '../../core/sending/mail-feedback.ts';
import { deliveryStatuses, type NewSubmission } from '../../core/sending/submission.ts';
import { submissionsIn } from '../../core/sending/submissions.ts';
import { suppressionsIn } from '../../core/sending/suppressions.ts';
import type { Table } from '../../core/storage/table.ts';
import { submitPart } from '../../lambdas/submit/submit-part.ts';
import { sweepOutbox } from '../../lambdas/submit-sweep/sweep-outbox.ts';
import { memoryLog } from '../fakes/memory-log.ts';
import { memoryMailSender } from '../fakes/memory-mail-sender.ts';
import { memorySubmitQueue } from '../fakes/memory-submit-queue.ts';
import { memoryTable } from '../fakes/memory-table.ts';

const at = '2026-11-21T08:38:00.000Z';

export const newSubmission = (more: Partial<NewSubmission> = {}): NewSubmission => ({
  submission_id: 'submission_1', identity_id: 'dom_1', message_class: 'TRANSACTIONAL', mail_from: 'test@example.test', send_at: at, created_at: at,
  ignores_suppression: false, recipients: ['ann@elsewhere.test'], message: Buffer.from('From: test@example.test\r\n\r\nhello\r\n'), ...more,
});

const sqsEvent = (bodies: readonly string[]): SQSEvent => ({
  Records: bodies.map((body, index) => ({ messageId: String(index), body, attributes: { ApproximateReceiveCount: '1' } })) as unknown as SQSEvent['Records'],
});

/** The body of a queue record with one of SES's reports in it. */
export const sesEventBody = (eventType: string, detail: object, { submission = 'submission_1', part = 0, id = '01000', destination = ['ann@elsewhere.test'], tags = {} }: {
  /** null: the mail carries no tags of ours. */
  submission?: string | null; part?: number; id?: string; destination?: readonly string[]; tags?: Record<string, string[]>;
} = {}): string => JSON.stringify({
  Type: 'Notification', MessageId: 'sns', TopicArn: 'arn:aws:sns:us-east-1:000000000000:events',
  Message: JSON.stringify({
    eventType, ...detail,
    mail: {
      timestamp: '2026-11-21T08:38:01.000Z', source: 'test@example.test', sourceArn: 'arn:aws:ses:us-east-1:000000000000:identity/example.test', sendingAccountId: '000000000000',
      messageId: id, destination,
      tags: { 'ses:configuration-set': ['Postrider'], ...(submission && { [messageTags.submissionId]: [submission], [messageTags.part]: [String(part)], [messageTags.messageClass]: ['TRANSACTIONAL'], [messageTags.identityId]: ['dom_1'] }), ...tags },
    },
  }),
});

/** The whole way of mail out over memory: events in, records out. */
export const sendPipeline = (table: Table = memoryTable()) => {
  let now = new Date(at);
  const clock = () => now;
  const [queue, sender, log] = [memorySubmitQueue(), memoryMailSender(), memoryLog()];
  const [submissions, suppressions, feedback] = [submissionsIn(table), suppressionsIn(table), mailFeedbackIn(table)];
  const remaining = { getRemainingTimeInMillis: () => 60_000 };
  const submit = consumeQueue((body) => submitPart(body, { submissions, suppressions, sender, queue, clock, log }), { log, timeForOne: 25_000 });
  const record = consumeQueue((body) => recordSesEvent(body, { submissions, feedback, clock, log }), { log, timeForOne: 10_000 });
  const failuresOf = (bodies: readonly string[], { batchItemFailures }: { batchItemFailures: { itemIdentifier: string }[] }) => batchItemFailures.map(({ itemIdentifier }) => bodies[Number(itemIdentifier)]!);
  return {
    table, queue, sender, log, submissions, suppressions, feedback, clock,
    /** Lets time pass. */
    advance: (milliseconds: number) => void (now = new Date(now.getTime() + milliseconds)),
    accept: (submission: NewSubmission) => acceptSubmission(submission, { submissions, queue, clock, log }),
    /**
     * The queue hands records to the submit Lambda, by default those that wait.
     * @returns the bodies that come again.
     */
    submit: async (bodies: readonly string[] = queue.take()) => failuresOf(bodies, await submit(sqsEvent(bodies), remaining)),
    /** The queue hands reports to the mail-events Lambda. @returns the bodies that come again. */
    recordEvents: async (...bodies: readonly string[]) => failuresOf(bodies, await record(sqsEvent(bodies), remaining)),
    sweep: () => sweepOutbox({ submissions, queue, clock, log }),
    outbox: () => table.query({ pk: 'outbox' }),
    find: async (id = 'submission_1') => {
      const found = await submissions.find(id);
      if (!found) throw new Error('there is no such submission');
      return { ...found, statuses: deliveryStatuses(found.parts) };
    },
  };
};
export type SendPipeline = ReturnType<typeof sendPipeline>;
