import { sendingRightsIn } from '../../../core/directory/aliases/may-send.ts';
import { mailStore } from '../../../core/mail/mail-store/table-mail-store.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { InvocationContext } from '../../../core/runtime/invocation.ts';
import type { Queue } from '../../../core/runtime/lambda/queue.ts';
import type { Log } from '../../../core/runtime/log.ts';
import { reportDelivery } from '../../../core/sending/deliver-reports.ts';
import type { Suppressions } from '../../../core/sending/feedback/suppressions.ts';
import { partChanges } from '../../../core/sending/submission/part-changes.ts';
import { providerPausesIn } from '../../../core/sending/submission/provider-pause.ts';
import { sentMailIndexIn } from '../../../core/sending/submission/sent-mail-index.ts';
import { submissionsIn } from '../../../core/sending/submission/submissions.ts';
import { submitQueueOver } from '../../../core/sending/submission/submit-queue.ts';
import type { Table } from '../../../core/storage/table.ts';
import { recordSesEvents } from '../../../lambdas/mail-events/record-ses-events.ts';
import { removeExpired } from '../../../lambdas/submit-sweep/remove-expired.ts';
import { sweepOutbox } from '../../../lambdas/submit-sweep/sweep-outbox.ts';
import { senderRefusal } from '../../../lambdas/submit/submit-dependencies.ts';
import { submitPart } from '../../../lambdas/submit/submit-part.ts';
import { failedRecords, sqsEvent } from '../../support/queue-records.ts';
import type { SimulatedLambda } from './fault-injector.ts';
import { simulatedQueue } from './simulated-queue.ts';
import { simulatedSes } from './simulated-ses.ts';
import type { SimulatedTime } from './simulated-time.ts';

type SendingOptions = {
  readonly time: SimulatedTime;
  readonly random: () => number;
  /** The fault rate of SES, which is constant during the history. */
  readonly faultRate: number;
  /** The current fault rate of the queues. */
  readonly currentFaultRate: () => number;
  /** Runs a Lambda. @returns whether its work was completed. */
  readonly invoke: (work: (lambda: SimulatedLambda, context: InvocationContext) => Promise<unknown>) => Promise<boolean>;
  readonly directory: Table;
  readonly sending: Table;
  readonly mail: Table;
  readonly log: Log;
  readonly clock: Clock;
};

const suppressions: Pick<Suppressions, 'findReasons'> = {
  findReasons: async (recipients) => new Map(recipients.flatMap((each) => (each.startsWith('suppressed') ? [[each, 'bounced'] as const] : []))),
};

/** The pipeline of sent mail, with a model of SES. Every invocation has a new Lambda instance. */
export const simulatedSending = ({ time, random, faultRate, currentFaultRate, invoke, directory, sending, mail, log, clock }: SendingOptions) => {
  let stoppedUntil = 0;
  let deactivatedAt = Infinity;
  /** The dependencies of one Lambda, with its faults. */
  const connectionsOf = (lambda: SimulatedLambda) => {
    const submissions = submissionsIn(lambda.sending);
    const store = mailStore({ table: lambda.mail, clock });
    const changePart = partChanges({ submissions, mail: store, wire: { region: 'us-east-1', mailTable: mail.reference } });
    return {
      submissions,
      sentMail: sentMailIndexIn(lambda.sending),
      mail: store,
      objects: lambda.objects,
      clock,
      log,
      suppressions,
      pauses: providerPausesIn(lambda.sending),
      changePart,
      refusalOf: senderRefusal(sendingRightsIn(directory)),
      deliverReports: reportDelivery({ submissions, changePart, mailStore: store, mailTable: lambda.mail, objects: lambda.objects, log }),
      sender: ses.sender(lambda),
      queue: submitQueueOver(lambda.queue(enqueue)),
      pause: time.pause,
      feedback: { add: async () => true },
    };
  };

  const recordEvents = async (bodies: readonly string[]): Promise<readonly string[]> => {
    let failures = bodies;
    const hasEnded = await invoke(async (lambda, context) => {
      const response = await recordSesEvents({ ...connectionsOf(lambda), queue: { send: sendTask } })(sqsEvent(bodies), context);
      failures = failedRecords(response).map((index) => bodies[index]!);
    });
    return hasEnded ? failures : bodies;
  };
  const events = simulatedQueue({
    time,
    random,
    faultRate: currentFaultRate,
    invoke: recordEvents,
    batchSize: 10,
    concurrency: 1,
    visibilityTimeout: 180_000,
    maxReceives: Infinity,
    isLossy: false,
  });
  /** Enqueues a task in the queue of events. The Lambda returns reports that are not due yet to the same queue. */
  const sendTask: Queue['send'] = async (message, delaySeconds) => events.put(JSON.stringify(message), delaySeconds);
  const ses = simulatedSes({ time, random, faultRate, publish: events.put });
  const parts = simulatedQueue({
    time,
    random,
    faultRate: currentFaultRate,
    batchSize: 1,
    concurrency: 2,
    visibilityTimeout: 12 * 60_000,
    maxReceives: 5,
    isLossy: true,
    invoke: async (bodies) => ((await invoke((lambda) => submitPart(bodies[0]!, connectionsOf(lambda)))) ? [] : bodies),
  });
  const enqueue: Queue['send'] = async (message, delaySeconds) => parts.put(JSON.stringify(message), delaySeconds);

  return {
    ses,
    enqueue,
    deadLetters: parts.deadLetters,
    submissions: submissionsIn(sending),
    sentMail: sentMailIndexIn(sending),
    deactivatedAt: () => deactivatedAt,
    /** Removes the permission to send from the address. */
    async deactivate(): Promise<void> {
      deactivatedAt = Math.min(deactivatedAt, time.now());
      await directory.write([{ update: { pk: 'address', sk: 'alice@example.test' }, set: { is_active: false } }]);
    },
    /** The next time at which the sweep has work, in milliseconds since 1970. */
    async nextDue(): Promise<number> {
      const first = await Promise.all(['outbox', 'retention'].map((pk) => sending.query({ pk, limit: 1 })));
      return Math.min(...first.flat().map(({ sk }) => Date.parse(sk.slice(0, sk.indexOf('#')))));
    },
    /** The sweep, which runs each minute, except during a redeployment. */
    async sweep(): Promise<void> {
      if (time.now() < stoppedUntil) return;
      await invoke(async (lambda) => {
        const connections = connectionsOf(lambda);
        await sweepOutbox(connections);
        await removeExpired(connections);
      });
    },
    redeploy(): void {
      stoppedUntil = time.now() + 10 * 60_000;
    },
  };
};
