import type { Clock } from '../../core/runtime/clock.ts';
import type { Log } from '../../core/runtime/log.ts';
import type { Queue } from '../../core/runtime/queue.ts';
import type { DeliverReports } from '../../core/sending/deliver-reports.ts';
import type { MailFeedbackStore } from '../../core/sending/mail-feedback.ts';
import type { ChangePart } from '../../core/sending/part-changes.ts';
import { hasDueReport, markSent, unreportedFailures, withRecipientUpdates } from '../../core/sending/submission.ts';
import type { FoundPart } from '../../core/sending/submissions.ts';
import { enqueueReportTask, parseReportTask, reportSoftBounces } from './report-task.ts';
import { mailFeedbackOf, partReferenceOf, recipientUpdatesOf } from './ses-event-updates.ts';
import { parseSesEvent, type SesEvent } from './ses-event.ts';

export type MailEventsConnections = {
  readonly changePart: ChangePart;
  readonly feedback: Pick<MailFeedbackStore, 'add'>;
  readonly deliverReports: DeliverReports;
  /** The queue of events, which also has the reports of soft bounces that may be due. */
  readonly queue: Queue;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * Records the SES event in the body of a queue record, or reports soft bounces. Events may arrive twice and in any
 * order: facts about recipients are merged, and feedback and reports have ids that derive from them. When this throws,
 * the queue delivers the record again.
 */
export const recordSesEvent = async (body: string, connections: MailEventsConnections): Promise<void> => {
  const { feedback: feedbackStore, clock, log } = connections;
  const task = parseReportTask(body);
  if (task) return reportSoftBounces(task, connections);
  const event = parseSesEvent(body);
  if (!event) return log.info('the notification has no event to record');
  const found = await recordInPart(event, connections);
  const feedback = mailFeedbackOf(event, found?.submission).filter(({ recipient }) => recipient !== '');
  for (const each of feedback) await feedbackStore.add(each, clock());
  if (found) await reportFailures(found, connections);
  log.info('an SES event was recorded', {
    eventType: event.eventType, sesMessageId: event.mail.messageId, submission_id: found?.submission.submission_id, feedback: feedback.length,
  });
};

/**
 * Records the event in the part that it is about. Any event means that SES accepted the message, so it also confirms a
 * send whose Lambda died.
 * @returns undefined when the event is not about a part that exists.
 */
const recordInPart = async (event: SesEvent, { changePart, log }: MailEventsConnections): Promise<FoundPart | undefined> => {
  const reference = partReferenceOf(event);
  if (!reference) return undefined;
  const { messageId: provider_message_id, timestamp: at } = event.mail;
  const updates = recipientUpdatesOf(event);
  const found = await changePart(reference, ({ part }) => withRecipientUpdates(markSent(part, { provider_message_id, at }), updates));
  if (!found) log.warn('an SES event names a submission that does not exist', { ...reference, eventType: event.eventType });
  return found;
};

/** Delivers the reports of the part that are due, also those that an earlier attempt left. Soft bounces wait. */
const reportFailures = async ({ part }: FoundPart, { deliverReports, queue }: MailEventsConnections): Promise<void> => {
  if (unreportedFailures(part).length > 0) await enqueueReportTask(queue, part);
  if (hasDueReport(part)) await deliverReports(part);
};
