import type { Clock } from '../../core/runtime/clock.ts';
import type { Log } from '../../core/runtime/log.ts';
import type { MailFeedbackStore } from '../../core/sending/mail-feedback.ts';
import { markSent, withRecipientUpdates } from '../../core/sending/submission.ts';
import type { Submissions } from '../../core/sending/submissions.ts';
import { mailFeedbackOf, recipientUpdatesOf, partReferenceOf } from './ses-event-updates.ts';
import { parseSesEvent, type SesEvent } from './ses-event.ts';

/** What the reports are recorded in. */
export type MailEventsConnections = {
  readonly submissions: Pick<Submissions, 'findPart' | 'updatePart'>;
  readonly feedback: Pick<MailFeedbackStore, 'add'>;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * Records what SES says in the body of a queue record. Everything here may be done again, and in any order: facts about recipients are merged, feedback
 * has ids of its own. What it throws, the queue brings again.
 */
export const recordSesEvent = async (body: string, recording: MailEventsConnections): Promise<void> => {
  const report = parseSesEvent(body);
  if (!report) return recording.log.info('not a report on a message of ours');
  const submission = await recordInSubmission(report, recording);
  const feedback = mailFeedbackOf(report, submission).filter(({ recipient }) => recipient !== '');
  for (const one of feedback) await recording.feedback.add(one, recording.clock());
  recording.log.info('a report was recorded', { eventType: report.eventType, sesMessageId: report.mail.messageId, submission_id: submission?.submission_id, feedback: feedback.length });
};

/** Whatever SES reports of a message, it took it: that is how a send is known whose Lambda died before it could record it. */
const recordInSubmission = async (report: SesEvent, { submissions, log }: MailEventsConnections) => {
  const reference = partReferenceOf(report);
  if (!reference) return undefined;
  const { messageId: provider_message_id, timestamp: at } = report.mail;
  const news = recipientUpdatesOf(report);
  const [found] = await Promise.all([
    submissions.findPart(reference),
    submissions.updatePart(reference, (part) => withRecipientUpdates(markSent(part, { provider_message_id, at }), news)),
  ]);
  if (!found) log.warn('a report on a submission that is not there', { ...reference, eventType: report.eventType });
  return found?.submission;
};
