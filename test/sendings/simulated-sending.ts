import type { EmailSubmissionRecord } from '../../core/mail-types/email-submission/email-submission-type.ts';
import { emailSubmissionType, withUndoStatus } from '../../core/mail-types/email-submission/email-submission-type.ts';
import { mailStore } from '../../core/mail-types/mail-store/table-mail-store.ts';
import type { Queue } from '../../core/runtime/lambda/queue.ts';
import { withinInvocation, type InvocationContext } from '../../core/runtime/concurrency/remaining-time.ts';
import { prepareSubmission } from '../../core/sending/submission/accept-submission.ts';
import { reportDelivery } from '../../core/sending/reports/deliver-reports.ts';
import { partChanges } from '../../core/sending/submission/part-changes.ts';
import { providerPausesIn } from '../../core/sending/submission/provider-pause.ts';
import type { NewSubmission } from '../../core/sending/submission/submission.ts';
import { sentMailIndexIn } from '../../core/sending/submission/sent-mail-index.ts';
import { submissionsIn } from '../../core/sending/submission/submissions.ts';
import { submitQueueOver } from '../../core/sending/submission/submit-queue.ts';
import type { Suppressions } from '../../core/sending/feedback/suppressions.ts';
import { WriteRefused } from '../../core/storage/table.ts';
import { recordSesEvents } from '../../lambdas/mail-events/record-ses-events.ts';
import { removeExpired } from '../../lambdas/submit-sweep/remove-expired.ts';
import { sweepOutbox } from '../../lambdas/submit-sweep/sweep-outbox.ts';
import { submitPart } from '../../lambdas/submit/submit-part.ts';
import { faultyObjects } from '../fakes/faulty-objects.ts';
import { faultyTable, type Fault, type LambdaProcess } from '../fakes/faulty-table.ts';
import { memoryLog } from '../fakes/memory-log.ts';
import { memoryObjects } from '../fakes/memory-objects.ts';
import { memoryTable } from '../fakes/memory-table.ts';
import { failedRecords, sqsEvent } from '../support/queue-records.ts';
import { newSubmission } from '../support/send-pipeline.ts';
import { simulatedQueue } from './simulated-queue.ts';
import { simulatedSes, type Closure } from './simulated-ses.ts';
import type { SimulatedTime } from './simulated-time.ts';

export const account = 'acc_1';

/** Milliseconds of an invocation before its Lambda is stopped. */
const invocationTime = 120_000;

type SendingOptions = {
  readonly time: SimulatedTime;
  readonly random: () => number;
  readonly faultRate: number;
  readonly closures: readonly Closure[];
  /** When the sender is deactivated, in milliseconds since 1970. */
  readonly deactivatedAt: number;
};

const writeFaults = ['lost after', 'lost before', 'late', 'crash before', 'crash after'] as const satisfies readonly Fault[];

/** The pipeline of sent mail over memory tables and a model of SES. Every invocation is a Lambda of its own. */
export const simulatedSending = async ({ time, random, faultRate, closures, deactivatedAt }: SendingOptions) => {
  const clock = () => new Date(time.now());
  const [sending, mailTable, objects, log] = [memoryTable(), memoryTable(), memoryObjects(clock), memoryLog()];
  let [hasFaults, stoppedUntil] = [faultRate > 0, 0];
  const rate = () => (hasFaults ? faultRate : 0);
  const running = new Set<LambdaProcess>();
  /** Lambdas that ended with an error, so that what they had learned was lost. */
  const failed = new WeakSet<LambdaProcess>();
  await mailStore({ table: mailTable, clock }).createAccount(account);

  const suppressions: Pick<Suppressions, 'findReasons'> = {
    findReasons: async (recipients) => new Map(recipients.flatMap((each) => (each.startsWith('suppressed') ? [[each, 'bounced'] as const] : []))),
  };

  /** The connections of one Lambda. */
  const connectionsOf = (lambda: LambdaProcess) => {
    const nextFault = () => (random() < rate() ? writeFaults[Math.floor(random() * writeFaults.length)]! : 'none');
    const [own, ownMail] = [sending, mailTable].map((table) => faultyTable(table, time.turn, nextFault, lambda));
    const bucket = faultyObjects(objects, time.turn, nextFault, lambda);
    const submissions = submissionsIn(own!, time.pause);
    const mail = mailStore({ table: ownMail!, clock, pause: time.pause });
    const changePart = partChanges({ submissions, mail, wire: { region: 'us-east-1', mailTable: mailTable.reference }, pause: time.pause });
    return {
      submissions, sentMail: sentMailIndexIn(own!), mail, objects: bucket, clock, log, suppressions, pauses: providerPausesIn(own!), changePart,
      refusalOf: async () => (time.now() >= deactivatedAt ? 'The person is not active.' : undefined),
      deliverReports: reportDelivery({ submissions, changePart, mailStore: mail, mailTable: ownMail!, objects: bucket, log }),
      sender: ses.sender(lambda), queue: submitQueueOver(queue.for(lambda)), pause: time.pause,
      feedback: { add: async () => true },
    };
  };

  /** Runs a Lambda, which may be stopped at any moment. @returns false when it ended with an error. */
  const invoke = async (run: (connections: ReturnType<typeof connectionsOf>, context: InvocationContext) => Promise<unknown>): Promise<boolean> => {
    const lambda: LambdaProcess = { hasCrashed: false };
    const end = time.now() + (random() < rate() / 2 ? random() * 1000 : invocationTime);
    time.at(end, () => { lambda.hasCrashed = true; });
    running.add(lambda);
    try {
      const context = { getRemainingTimeInMillis: () => end - time.now() };
      await withinInvocation(context, () => run(connectionsOf(lambda), context));
      return !lambda.hasCrashed;
    } catch {
      failed.add(lambda);
      return false;
    } finally {
      running.delete(lambda);
    }
  };

  /** The queue of events, to which the Lambda returns reports that are not due yet. */
  const events: Queue = {
    send: async (message, delaySeconds = 0) => time.at(time.now() + delaySeconds * 1000, () => publishEvent(JSON.stringify(message))),
  };
  const waiting: string[] = [];
  const publishEvent = (body: string): void => {
    waiting.push(body);
    if (waiting.length === 1) time.at(time.now() + random() * 2000, receiveEvents);
  };
  const receiveEvents = (): void => {
    const bodies = waiting.splice(0, 1 + Math.floor(random() * 10));
    if (waiting.length > 0) time.at(time.now() + random() * 100, receiveEvents);
    void recordEvents(bodies);
  };
  const recordEvents = async (bodies: readonly string[]): Promise<void> => {
    let failures = bodies;
    const hasEnded = await invoke(async (connections, context) => {
      const response = await recordSesEvents({ ...connections, queue: events })(sqsEvent(bodies), context);
      failures = failedRecords(response).map((index) => bodies[index]!);
    });
    for (const body of hasEnded ? failures : bodies) time.at(time.now() + 180_000, () => publishEvent(body));
  };
  const ses = simulatedSes({
    time, random, faultRate, closures,
    publish: (body, at) => {
      time.at(at, () => publishEvent(body));
      if (random() < rate()) time.at(at + random() * 600_000, () => publishEvent(body));
    },
  });
  const queue = simulatedQueue({
    time, random, faultRate: rate, concurrency: 2, invoke: (body) => invoke((connections) => submitPart(body, connections)),
  });

  /** The sweep of each minute in which something is due. It stands still during a redeployment. */
  const sweep = async (): Promise<void> => {
    if (time.now() < stoppedUntil) return;
    const now = clock().toISOString();
    const [due, expired] = await Promise.all([
      sending.query({ pk: 'outbox', before: now, limit: 1 }), sending.query({ pk: 'retention', before: now, limit: 1 }),
    ]);
    if (due.length + expired.length === 0) return;
    await invoke(async (connections) => {
      await sweepOutbox(connections);
      await removeExpired(connections);
    });
  };

  /** Creates an EmailSubmission as /set does. @returns whether the client learns that it exists. */
  const submit = (more: Partial<NewSubmission> & { readonly submission_id: string }): Promise<boolean> => invoke(async (connections) => {
    const submission = newSubmission({
      account_id: account, user_id: 'user_1', has_record: true, created_at: clock().toISOString(), ...more,
    });
    const prepared = await prepareSubmission(submission, connections);
    const record: EmailSubmissionRecord = {
      id: submission.submission_id, identityId: 'i', emailId: 'e', threadId: 't', sendAt: submission.send_at, undoStatus: 'pending',
      recipients: submission.recipients.length, createdAt: Date.parse(submission.created_at), parts: Math.ceil(submission.recipients.length / 50), deliveryChanges: 0,
    };
    await connections.mail.commitRecords([{ accountId: account, type: emailSubmissionType, id: record.id }], () =>
      ({ accounts: { [account]: { EmailSubmission: { put: [record] } } }, additionalWrites: prepared.writes }));
    await prepared.enqueue();
  });

  /** Cancels a submission as /set does. */
  const cancel = async (id: string): Promise<'canceled' | 'cannotUnsend' | 'unknown'> => {
    let outcome: 'canceled' | 'cannotUnsend' | 'unknown' = 'unknown';
    await invoke(async ({ submissions, mail, objects: bucket }) => {
      for (let attempt = 0; attempt < 5; attempt++) {
        const found = await submissions.find(id);
        if (!found) return;
        const writes = submissions.cancelWrites(found);
        if (!writes) {
          outcome = found.submission.undo_status === 'canceled' ? 'canceled' : 'cannotUnsend';
          return;
        }
        try {
          await mail.commitRecords([{ accountId: account, type: emailSubmissionType, id }], (records) => {
            const record = records.get(account, emailSubmissionType, id);
            return record && {
              accounts: { [account]: { EmailSubmission: { put: [withUndoStatus(record, 'canceled')] } } }, additionalWrites: writes,
            };
          });
          outcome = 'canceled';
          await bucket.remove([found.submission.message_key]);
          return;
        } catch (error) {
          if (!(error instanceof WriteRefused)) throw error;
        }
      }
    });
    return outcome;
  };

  return {
    sending, mailTable, objects, ses, queue, sweep, submit, cancel, log, failed,
    submissions: submissionsIn(sending),
    sentMail: sentMailIndexIn(sending),
    mail: mailStore({ table: mailTable, clock }),
    /** Stops all Lambdas and the sweep, as a deployment of other code may do. */
    redeploy(): void {
      for (const lambda of running) lambda.hasCrashed = true;
      stoppedUntil = time.now() + 10 * 60_000;
    },
    endFaults: () => { hasFaults = false; },
  };
};
