import type { SQSBatchResponse } from 'aws-lambda';
import { messageTags } from '../../contract/deployment/sending.ts';
import { receivesMailIn } from '../../core/directory/aliases/receiving-addresses.ts';
import { mailStore } from '../../core/mail/mail-store/table-mail-store.ts';
import { consumeQueue } from '../../core/runtime/lambda/queue.ts';
import { reportDelivery } from '../../core/sending/deliver-reports.ts';
import { mailFeedbackIn } from '../../core/sending/feedback/mail-feedback.ts';
import { suppressionsIn } from '../../core/sending/feedback/suppressions.ts';
import { acceptSubmission, prepareSubmission } from '../../core/sending/submission/accept-submission.ts';
import { partChanges } from '../../core/sending/submission/part-changes.ts';
import { providerPausesIn } from '../../core/sending/submission/provider-pause.ts';
import { sentMailIndexIn } from '../../core/sending/submission/sent-mail-index.ts';
import { deliveryStatuses, type NewSubmission } from '../../core/sending/submission/submission.ts';
import { submissionsIn } from '../../core/sending/submission/submissions.ts';
import { objectKeys } from '../../core/storage/object-keys.ts';
import type { Table } from '../../core/storage/table.ts';
import { recordSesEvents } from '../../lambdas/mail-events/record-ses-events.ts';
import { removeExpired } from '../../lambdas/submit-sweep/remove-expired.ts';
import { sweepOutbox } from '../../lambdas/submit-sweep/sweep-outbox.ts';
import type { SubmitDependencies } from '../../lambdas/submit/submit-dependencies.ts';
import { submitPart } from '../../lambdas/submit/submit-part.ts';
import { memoryLog } from '../fakes/memory-log.ts';
import { memoryMailSender } from '../fakes/memory-mail-sender.ts';
import { memoryObjects, type MemoryObjects } from '../fakes/memory-objects.ts';
import { memoryQueue } from '../fakes/memory-queue.ts';
import { memorySubmitQueue } from '../fakes/memory-submit-queue.ts';
import { memoryTable } from '../fakes/memory-table.ts';
import { contextWith, failedRecords, snsNotification, sqsEvent } from './queue-records.ts';

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

export type SesMail = {
  /** The submission of the mail. Null for mail without the tags of a submission. */
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
    timestamp: '2026-11-21T08:38:01.000Z',
    source: 'test@example.test',
    messageId: id,
    destination,
    sourceArn: 'arn:aws:ses:us-east-1:000000000000:identity/example.test',
    sendingAccountId: '000000000000',
    tags: { 'ses:configuration-set': ['Postrider'], ...submissionTags },
  };
  return snsNotification('events', JSON.stringify({ eventType, ...detail, mail }));
};

/** Stores a submission in a table, without its message and without queueing it. */
export const storeSubmission = (table: Table, submission: NewSubmission, due: string): Promise<boolean> => {
  const submissions = submissionsIn(table);
  const key = objectKeys.outgoing(submission.account_id, submission.submission_id);
  return submissions.write(submissions.createWrites(submission, key, due).writes);
};

/** Milliseconds of an invocation, enough to wait for SES. */
const invocationTime = 120_000;

type PipelineOptions = {
  /** The sending table. */
  readonly table?: Table;
  /** The table of the accounts' mail. */
  readonly mailTable?: Table;
  /** The directory with the domains that receive mail. */
  readonly directory?: Table;
  readonly refusalOf?: SubmitDependencies['refusalOf'];
  readonly objects?: MemoryObjects;
};

/** Sending in memory: the real Lambda code over memory tables, a memory queue and a memory mail sender. */
export const sendPipeline = ({
  table = memoryTable(),
  mailTable = memoryTable(),
  directory = memoryTable(),
  refusalOf = async () => undefined,
  objects: givenObjects,
}: PipelineOptions = {}) => {
  let now = new Date(at);
  const clock = () => now;
  const advance = (milliseconds: number) => void (now = new Date(now.getTime() + milliseconds));
  const [queue, sender, log, objects] = [memorySubmitQueue(), memoryMailSender(), memoryLog(), givenObjects ?? memoryObjects(clock)];
  const [submissions, suppressions, feedback] = [submissionsIn(table), suppressionsIn(table), mailFeedbackIn(table, receivesMailIn(directory))];
  const mail = mailStore({ table: mailTable, clock, pause: async () => {} });
  const changePart = partChanges({ submissions, mail, wire: { region: 'us-east-1', mailTable: mailTable.reference } });
  /** The tasks that the mail-events Lambda sends to its queue. */
  const eventTasks = memoryQueue();
  const dependencies = {
    submissions,
    sentMail: sentMailIndexIn(table),
    suppressions,
    sender,
    queue,
    objects,
    clock,
    log,
    refusalOf,
    pauses: providerPausesIn(table),
    changePart,
    deliverReports: reportDelivery({ submissions, changePart, mailStore: mail, mailTable, objects, log }),
    pause: async (milliseconds: number) => advance(milliseconds),
  };
  const submit = consumeQueue((body) => submitPart(body, dependencies), { log });
  const record = recordSesEvents({ ...dependencies, feedback, queue: eventTasks });
  const failedBodies = (bodies: readonly string[], response: SQSBatchResponse) => failedRecords(response).map((index) => bodies[index]!);
  return {
    table,
    mailTable,
    mail,
    queue,
    sender,
    log,
    objects,
    submissions,
    suppressions,
    feedback,
    clock,
    dependencies,
    advance,
    accept: (submission: NewSubmission) => acceptSubmission(submission, dependencies),
    /** Accepts a submission in a Lambda that crashes before it enqueues the parts. */
    acceptUnqueued: async (submission: NewSubmission) => {
      const prepared = await prepareSubmission(submission, dependencies);
      return submissions.write(prepared.writes);
    },
    /**
     * Runs the submit Lambda on records. Default: all records in the queue.
     * @returns the bodies that return to the queue.
     */
    submit: async (bodies: readonly string[] = queue.take()) => failedBodies(bodies, await submit(sqsEvent(bodies), contextWith(invocationTime))),
    /** The bodies of the tasks that the mail-events Lambda has sent to its queue. */
    eventTasks: () => eventTasks.messages.map(({ message }) => JSON.stringify(message)),
    /** Runs the mail-events Lambda on records. @returns the bodies that return to the queue. */
    recordEvents: async (...bodies: readonly string[]) => failedBodies(bodies, await record(sqsEvent(bodies), contextWith(invocationTime))),
    sweep: async () => {
      await sweepOutbox(dependencies);
      await removeExpired({ submissions, mail, objects, clock, log });
    },
    outbox: () => table.query({ pk: 'outbox' }),
    find: async (id = 'submission_1') => {
      const submission = await submissions.find(id);
      if (!submission) throw new Error('there is no such submission');
      return { ...submission, statuses: deliveryStatuses(submission.parts) };
    },
  };
};
export type SendPipeline = ReturnType<typeof sendPipeline>;
