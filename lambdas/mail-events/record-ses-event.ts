import type { Clock } from '../../core/runtime/clock.ts';
import type { Log } from '../../core/runtime/log.ts';
import type { MailFeedbackStore } from '../../core/sending/mail-feedback.ts';
import { markSent, withRecipientUpdates, type Submission } from '../../core/sending/submission.ts';
import type { Submissions } from '../../core/sending/submissions.ts';
import { mailFeedbackOf, partReferenceOf, recipientUpdatesOf } from './ses-event-updates.ts';
import { parseSesEvent, type SesEvent } from './ses-event.ts';

export type MailEventsConnections = {
  readonly submissions: Pick<Submissions, 'findPart' | 'updatePart'>;
  readonly feedback: Pick<MailFeedbackStore, 'add'>;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * Records the SES event in the body of a queue record. Events may arrive twice and in any order: facts about recipients
 * are merged, and feedback has ids that derive from the event. When this throws, the queue delivers the record again.
 */
export const recordSesEvent = async (body: string, connections: MailEventsConnections): Promise<void> => {
  const { feedback: feedbackStore, clock, log } = connections;
  const event = parseSesEvent(body);
  if (!event) return log.info('the notification has no event to record');
  const submission = await recordInSubmission(event, connections);
  const feedback = mailFeedbackOf(event, submission).filter(({ recipient }) => recipient !== '');
  for (const each of feedback) await feedbackStore.add(each, clock());
  log.info('an SES event was recorded', {
    eventType: event.eventType, sesMessageId: event.mail.messageId, submission_id: submission?.submission_id, feedback: feedback.length,
  });
};

/**
 * Records the event in the part that it is about. Any event means that SES accepted the message, so it also confirms a
 * send whose Lambda died.
 * @returns the submission; undefined when the event is not about one.
 */
const recordInSubmission = async (event: SesEvent, { submissions, log }: MailEventsConnections): Promise<Submission | undefined> => {
  const reference = partReferenceOf(event);
  if (!reference) return undefined;
  const { messageId: provider_message_id, timestamp: at } = event.mail;
  const updates = recipientUpdatesOf(event);
  const [found] = await Promise.all([
    submissions.findPart(reference),
    submissions.updatePart(reference, (part) => withRecipientUpdates(markSent(part, { provider_message_id, at }), updates)),
  ]);
  if (!found) log.warn('an SES event names a submission that does not exist', { ...reference, eventType: event.eventType });
  return found?.submission;
};
