import { z } from 'zod';
import type { Clock } from '../../core/runtime/clock.ts';
import { errorLogFields } from '../../core/runtime/error-log-fields.ts';
import { consumeQueue, type Queue } from '../../core/runtime/lambda/queue.ts';
import type { Log } from '../../core/runtime/log.ts';
import { batchedByKey, mapConcurrently } from '../../core/runtime/map-concurrently.ts';
import type { DeliverReports } from '../../core/sending/deliver-reports.ts';
import type { MailFeedbackStore } from '../../core/sending/feedback/mail-feedback.ts';
import type { ChangePart } from '../../core/sending/submission/part-changes.ts';
import {
  hasDueReport,
  markSent,
  unreportedFailures,
  withRecipientUpdates,
  withDueReport,
  type SubmissionPart,
} from '../../core/sending/submission/submission.ts';
import type { FoundPart } from '../../core/sending/submission/submissions.ts';
import { maxDelaySeconds, referenceOf, type PartReference } from '../../core/sending/submission/submit-queue.ts';
import { mailFeedbackOf, partReferenceOf, recipientUpdatesOf } from './ses-event-updates.ts';
import { parseSesEvent, type SesEvent } from './ses-event.ts';

const reportTask = z.object({ report: z.object({ submission_id: z.string().min(1), part: z.int().min(0) }) });

/**
 * Seconds for which the report of a soft bounce waits for a delivery event, because automatic replies look the same.
 */
const reportDelay = maxDelaySeconds;

/**
 * The part whose soft bounces may be due for a report, parsed from the body of a queue record. Undefined for any
 * other record.
 */
const parseReportTask = (body: string): PartReference | undefined => (body.startsWith('{"report"') ? reportTask.parse(JSON.parse(body)).report : undefined);

/** Enqueues a report of soft bounces in the queue of events. A repeated task reports nothing twice. */
const enqueueReportTask = (queue: Queue, reference: PartReference): Promise<void> =>
  queue.send({ report: referenceOf(reference) } satisfies z.input<typeof reportTask>, reportDelay);

/** Reports the soft bounces of a part, except for recipients with a later delivery. */
const reportSoftBounces = async (
  reference: PartReference,
  { changePart, deliverReports }: { readonly changePart: ChangePart; readonly deliverReports: DeliverReports },
): Promise<void> => {
  const found = await changePart(reference, ({ part }) => withDueReport(part, { alsoProvisional: true }));
  if (found && hasDueReport(found.part)) await deliverReports(reference);
};

export type MailEventsDependencies = {
  readonly changePart: ChangePart;
  readonly feedback: Pick<MailFeedbackStore, 'add'>;
  readonly deliverReports: DeliverReports;
  /** The queue of SES events. Due reports of soft bounces are sent to the same queue. */
  readonly queue: Queue;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * Records SES events and reports soft bounces. Events of one part share a transaction. Each record fails
 * separately.
 */
export const recordSesEvents =
  (dependencies: MailEventsDependencies): ReturnType<typeof consumeQueue> =>
  (batch, context) => {
    const recordTogether = batchedByKey(
      (events: readonly SesEvent[]) => recordEvents(events, dependencies),
      (failure) =>
        dependencies.log.warn('SES events about one part of a submission could not be recorded together; each is recorded alone', errorLogFields(failure)),
    );
    return consumeQueue((body) => recordBody(body, recordTogether, dependencies), dependencies)(batch, context);
  };

const recordBody = async (
  body: string,
  recordTogether: (part: string, event: SesEvent) => Promise<void>,
  dependencies: MailEventsDependencies,
): Promise<void> => {
  const task = parseReportTask(body);
  if (task) return reportSoftBounces(task, dependencies);
  const event = parseSesEvent(body);
  if (!event) return dependencies.log.info('the SES notification contains no event to record');
  const reference = partReferenceOf(event);
  return reference ? recordTogether(`${reference.submission_id} ${reference.part}`, event) : recordEvents([event], dependencies);
};

/**
 * Records events of one part, or one event without a part. Events may arrive twice and in any order: facts
 * about recipients are merged, and ids of feedback and reports are derived from the events. So the call may be repeated
 * when it throws.
 */
const recordEvents = async (events: readonly SesEvent[], dependencies: MailEventsDependencies): Promise<void> => {
  const { feedback: feedbackStore, clock, log } = dependencies;
  const found = await recordInPart(events, dependencies);
  const feedback = events.flatMap((event) => mailFeedbackOf(event, found?.submission)).filter(({ recipient }) => recipient !== '');
  await mapConcurrently(feedback, (each) => feedbackStore.add(each, clock()));
  if (found) await reportFailures(found, dependencies);
  for (const { eventType, mail } of events) {
    log.info('an SES event was recorded', {
      eventType,
      sesMessageId: mail.messageId,
      submission_id: found?.submission.submission_id,
      recordedTogether: events.length,
    });
  }
};

/** Records events in their part. @returns undefined when the events belong to no existing part. */
const recordInPart = async (events: readonly SesEvent[], { changePart, log }: MailEventsDependencies): Promise<FoundPart | undefined> => {
  const reference = partReferenceOf(events[0]!);
  if (!reference) return undefined;
  const found = await changePart(reference, ({ part }) => events.reduce(withEvent, part));
  if (!found) log.warn('SES events name a submission that does not exist', { ...reference, events: events.length });
  return found;
};

/**
 * The part after an event. Any event means that SES accepted the message, so it also confirms a send whose Lambda was
 * interrupted.
 */
const withEvent = (part: SubmissionPart, event: SesEvent): SubmissionPart => {
  const { messageId: provider_message_id, timestamp: at } = event.mail;
  return withRecipientUpdates(markSent(part, { provider_message_id, at }), recipientUpdatesOf(event));
};

/**
 * Delivers the due reports of the part, including those that an earlier attempt did not deliver. Reports of soft
 * bounces wait.
 */
const reportFailures = async ({ part }: FoundPart, { deliverReports, queue }: MailEventsDependencies): Promise<void> => {
  if (unreportedFailures(part).length > 0) await enqueueReportTask(queue, part);
  if (hasDueReport(part)) await deliverReports(part);
};
