import type { SQSBatchResponse } from 'aws-lambda';
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
import { failedRecords, snsNotification, sqsEvent } from './queue-records.ts';

const at = '2026-11-21T08:38:00.000Z';

export const newSubmission = (more: Partial<NewSubmission> = {}): NewSubmission => ({
  submission_id: 'submission_1',
  identity_id: 'dom_1',
  message_class: 'TRANSACTIONAL',
  mail_from: 'test@example.test',
  send_at: at,
  created_at: at,
  ignores_suppression: false,
  recipients: ['ann@elsewhere.test'],
  message: Buffer.from('From: test@example.test\r\n\r\nhello\r\n'),
  ...more,
});

type SesMail = {
  /** null: the mail has no tags of a submission. */
  readonly submission?: string | null;
  readonly part?: number;
  readonly id?: string;
  readonly destination?: readonly string[];
};

/** The body of a queue record with an SES event. */
export const sesEventBody = (
  eventType: string,
  detail: object,
  { submission = 'submission_1', part = 0, id = '01000', destination = ['ann@elsewhere.test'] }: SesMail = {},
): string => {
  const submissionTags = submission && {
    [messageTags.submissionId]: [submission],
    [messageTags.part]: [String(part)],
    [messageTags.messageClass]: ['TRANSACTIONAL'],
    [messageTags.identityId]: ['dom_1'],
  };
  const mail = {
    timestamp: '2026-11-21T08:38:01.000Z', source: 'test@example.test', messageId: id, destination,
    sourceArn: 'arn:aws:ses:us-east-1:000000000000:identity/example.test', sendingAccountId: '000000000000',
    tags: { 'ses:configuration-set': ['Postrider'], ...submissionTags },
  };
  return snsNotification('events', JSON.stringify({ eventType, ...detail, mail }));
};

/** Sending in memory: the real Lambda code over a memory table, a memory queue and a memory mail sender. */
export const sendPipeline = (table: Table = memoryTable()) => {
  let now = new Date(at);
  const clock = () => now;
  const [queue, sender, log] = [memorySubmitQueue(), memoryMailSender(), memoryLog()];
  const [submissions, suppressions, feedback] = [submissionsIn(table), suppressionsIn(table), mailFeedbackIn(table)];
  const submit = consumeQueue((body) => submitPart(body, { submissions, suppressions, sender, queue, clock, log }), { log });
  const record = consumeQueue((body) => recordSesEvent(body, { submissions, feedback, clock, log }), { log });
  const failedBodies = (bodies: readonly string[], response: SQSBatchResponse) => failedRecords(response).map((index) => bodies[index]!);
  return {
    table, queue, sender, log, submissions, suppressions, feedback, clock,
    /** Advances the clock. */
    advance: (milliseconds: number) => void (now = new Date(now.getTime() + milliseconds)),
    accept: (submission: NewSubmission) => acceptSubmission(submission, { submissions, queue, clock, log }),
    /**
     * Runs the submit Lambda on records, by default on all that are in the queue.
     * @returns the bodies that go back to the queue.
     */
    submit: async (bodies: readonly string[] = queue.take()) => failedBodies(bodies, await submit(sqsEvent(bodies))),
    /** Runs the mail-events Lambda on records. @returns the bodies that go back to the queue. */
    recordEvents: async (...bodies: readonly string[]) => failedBodies(bodies, await record(sqsEvent(bodies))),
    sweep: () => sweepOutbox({ submissions, queue, clock, log }),
    outbox: () => table.query({ pk: 'outbox' }),
    find: async (id = 'submission_1') => {
      const submission = await submissions.find(id);
      if (!submission) throw new Error('there is no such submission');
      return { ...submission, statuses: deliveryStatuses(submission.parts) };
    },
  };
};
export type SendPipeline = ReturnType<typeof sendPipeline>;
