import { MessageClass } from '../../contract/admin/mail-feedback.ts';
import type { MailFeedback } from '../../contract/admin/mail-feedback.ts';
import { messageTags } from '../../contract/sending.ts';
import type { PartReference } from '../../core/sending/submit-queue.ts';
import { mailFeedbackId } from '../../core/sending/mail-feedback.ts';
import type { RecipientUpdate, Submission } from '../../core/sending/submission.ts';
import { addressOf, type SesEvent } from './ses-event.ts';

/** What follows from a report; pure, so that the same report means the same however often and whenever it comes. */

type Told = { readonly emailAddress: string; readonly status?: string; readonly diagnosticCode?: string };

const tag = ({ mail }: SesEvent, name: string): string | undefined => mail.tags[name]?.[0];

/** The part that the report is about, by its tags; undefined for mail that did not go through a submission. */
export const partReferenceOf = (report: SesEvent): PartReference | undefined => {
  const submission_id = tag(report, messageTags.submissionId);
  const part = tag(report, messageTags.part) ?? '';
  return submission_id && /^\d{1,3}$/.test(part) ? { submission_id, part: Number(part) } : undefined;
};

/** `smtp; 550 5.1.1 user unknown` is told without its kind (RFC 3464 §2.3.6). */
const spoken = ({ diagnosticCode, status }: Told, otherwise: string): string => diagnosticCode?.replace(/^smtp;\s*/i, '') || (status ? `${status} ${otherwise}` : otherwise);

/** What the recipients of the part are to be told. */
export const recipientUpdatesOf = (report: SesEvent): RecipientUpdate[] => {
  const toldOf = (kind: RecipientUpdate['kind'], at: string, recipients: readonly Told[], otherwise: string): RecipientUpdate[] =>
    recipients.map((recipient) => ({ kind, fact: { at, reply: spoken(recipient, otherwise) }, recipients: [recipient.emailAddress] }));
  switch (report.eventType) {
    case 'Send': return [];
    case 'Delivery': {
      const { timestamp: at, smtpResponse: reply, recipients } = report.delivery;
      return [{ kind: 'delivered', fact: { at, reply }, recipients: recipients }];
    }
    case 'DeliveryDelay': return toldOf('delayed', report.deliveryDelay.timestamp, report.deliveryDelay.delayedRecipients, `450 4.0.0 delayed: ${report.deliveryDelay.delayType}`);
    case 'Bounce': {
      const { bounceType, bounceSubType, timestamp, bouncedRecipients } = report.bounce;
      return toldOf(bounceType === 'Permanent' ? 'bounced' : 'softlyBounced', timestamp, bouncedRecipients, `550 5.0.0 bounced: ${bounceType} ${bounceSubType}`.trim());
    }
    case 'Complaint': return toldOf('complained', report.complaint.timestamp, report.complaint.complainedRecipients, 'complaint');
    case 'Reject': return [{ kind: 'refused', fact: { at: report.mail.timestamp, reply: `554 5.7.1 rejected: ${report.reject.reason}` }, recipients: 'all' }];
    case 'Rendering Failure': return [{ kind: 'refused', fact: { at: report.mail.timestamp, reply: `554 5.6.0 not rendered: ${report.failure.errorMessage}` }, recipients: 'all' }];
    default: return report satisfies never;
  }
};

/** The identity at SES that a message went out under, for mail that carries no tags of ours. */
const providerIdentity = ({ mail: { source, sourceArn } }: SesEvent): string => sourceArn?.split(':identity/')[1] ?? addressOf(source);

/** A record for each recipient that bounced or complained. */
export const mailFeedbackOf = (report: SesEvent, submission: Submission | undefined): MailFeedback[] => {
  if (report.eventType !== 'Bounce' && report.eventType !== 'Complaint') return [];
  const about = {
    message_class: submission?.message_class ?? MessageClass.catch('TRANSACTIONAL').parse(tag(report, messageTags.messageClass)),
    identity_id: submission?.identity_id ?? tag(report, messageTags.identityId) ?? providerIdentity(report),
    account_id: submission?.account_id,
    user_id: submission?.user_id,
    submission_id: partReferenceOf(report)?.submission_id,
    provider_message_id: report.mail.messageId,
  };
  if (report.eventType === 'Bounce') {
    const { bounce } = report;
    return bounce.bouncedRecipients.map(({ emailAddress: recipient, diagnosticCode: diagnostic_code, status }) => ({
      ...about, type: 'BOUNCE', timestamp: bounce.timestamp, recipient, id: mailFeedbackId(bounce.feedbackId, recipient),
      bounce_metadata: { bounce_type: bounce.bounceType, bounce_sub_type: bounce.bounceSubType, diagnostic_code, status },
    }));
  }
  const { complaint } = report;
  return complaint.complainedRecipients.map(({ emailAddress: recipient }) => ({
    ...about, type: 'COMPLAINT', timestamp: complaint.timestamp, recipient, id: mailFeedbackId(complaint.feedbackId, recipient),
    complaint_metadata: { complaint_feedback_type: complaint.complaintFeedbackType, user_agent: complaint.userAgent },
  }));
};
