import type { Clock } from '../../core/runtime/clock.ts';
import { errorLogFields } from '../../core/runtime/error-log-fields.ts';
import { consumeQueue, type Queue } from '../../core/runtime/lambda/queue.ts';
import type { Log } from '../../core/runtime/log.ts';
import { batchedByKey, mapConcurrently } from '../../core/runtime/map-concurrently.ts';
import type { DeliverReports } from '../../core/sending/deliver-reports.ts';
import type { MailFeedbackStore } from '../../core/sending/feedback/mail-feedback.ts';
import type { ChangePart } from '../../core/sending/submission/part-changes.ts';
import { hasDueReport, markSent, unreportedFailures, withRecipientUpdates, type SubmissionPart } from '../../core/sending/submission/submission.ts';
import type { FoundPart } from '../../core/sending/submission/submissions.ts';
import { enqueueReportTask, parseReportTask, reportSoftBounces } from './report-task.ts';
import { mailFeedbackOf, partReferenceOf, recipientUpdatesOf } from './ses-event-updates.ts';
import { parseSesEvent, type SesEvent } from './ses-event.ts';

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
