import { MessageClass, type MailFeedback } from '../../contract/admin/mail-feedback.ts';
import { messageTags } from '../../contract/deployment/sending.ts';
import { mailFeedbackId } from '../../core/sending/feedback/mail-feedback.ts';
import type { RecipientUpdate, Submission } from '../../core/sending/submission/submission.ts';
import type { PartReference } from '../../core/sending/submission/submit-queue.ts';
import { addressOf, type SesEvent } from './ses-event.ts';

/** The changes that an SES event causes. The functions are pure, so a duplicate event has the same result. */

const tagOf = ({ mail }: SesEvent, name: string): string | undefined => mail.tags[name]?.[0];

/** The part of the event, by its message tags. Undefined for mail that is not from a submission. */
export const partReferenceOf = (event: SesEvent): PartReference | undefined => {
  const submission_id = tagOf(event, messageTags.submissionId);
  const part = tagOf(event, messageTags.part) ?? '';
  return submission_id && /^\d{1,3}$/.test(part) ? { submission_id, part: Number(part) } : undefined;
};

type EventRecipient = { readonly emailAddress: string; readonly status?: string; readonly diagnosticCode?: string };

/** The diagnostic code without its type, such as `smtp;` (RFC 3464 §2.3.6), or the status code with a default text. */
const replyOf = ({ diagnosticCode, status }: EventRecipient, defaultText: string): string =>
  diagnosticCode?.replace(/^smtp;\s*/i, '') || (status ? `${status} ${defaultText}` : defaultText);

/** One update for each recipient of the event. */
const updatesFor = (recipients: readonly EventRecipient[], kind: RecipientUpdate['kind'], at: string, defaultText: string): RecipientUpdate[] =>
  recipients.map((recipient) => ({ kind, fact: { at, reply: replyOf(recipient, defaultText) }, recipients: [recipient.emailAddress] }));

const refused = (at: string, reply: string): RecipientUpdate => ({ kind: 'refused', fact: { at, reply }, recipients: 'all' });

/** The new facts about recipients of the part. */
export const recipientUpdatesOf = (event: SesEvent): RecipientUpdate[] => {
  switch (event.eventType) {
    case 'Send':
      return [];
    case 'Delivery': {
      const { timestamp: at, smtpResponse: reply, recipients } = event.delivery;
      return [{ kind: 'delivered', fact: { at, reply }, recipients }];
    }
    case 'DeliveryDelay': {
      const { timestamp, delayType, delayedRecipients } = event.deliveryDelay;
      return updatesFor(delayedRecipients, 'delayed', timestamp, `450 4.0.0 delayed: ${delayType}`);
    }
    case 'Bounce': {
      const { bounceType, bounceSubType, timestamp, bouncedRecipients } = event.bounce;
      const kind = bounceType === 'Permanent' ? 'bounced' : 'softlyBounced';
      return updatesFor(bouncedRecipients, kind, timestamp, `550 5.0.0 bounced: ${bounceType} ${bounceSubType}`.trim());
    }
    case 'Complaint':
      return updatesFor(event.complaint.complainedRecipients, 'complained', event.complaint.timestamp, 'complaint');
    case 'Reject':
      return [refused(event.mail.timestamp, `554 5.7.1 rejected: ${event.reject.reason}`)];
    case 'Rendering Failure':
      return [refused(event.mail.timestamp, `554 5.6.0 not rendered: ${event.failure.errorMessage}`)];
    default:
      return event satisfies never;
  }
};

/** The SES identity of the sender, for mail without Postrider's message tags. */
const providerIdentityOf = ({ mail: { source, sourceArn } }: SesEvent): string => sourceArn?.split(':identity/')[1] ?? addressOf(source);

/**
 * One feedback for each recipient that bounced or complained. @param submission the submission of the event, if any.
 */
export const mailFeedbackOf = (event: SesEvent, submission: Submission | undefined): MailFeedback[] => {
  if (event.eventType !== 'Bounce' && event.eventType !== 'Complaint') return [];
  const common = {
    message_class: submission?.message_class ?? MessageClass.catch('TRANSACTIONAL').parse(tagOf(event, messageTags.messageClass)),
    identity_id: submission?.identity_id ?? tagOf(event, messageTags.identityId) ?? providerIdentityOf(event),
    account_id: submission?.account_id,
    user_id: submission?.user_id,
    submission_id: partReferenceOf(event)?.submission_id,
    provider_message_id: event.mail.messageId,
  };
  if (event.eventType === 'Bounce') {
    const { bounce } = event;
    return bounce.bouncedRecipients.map(({ emailAddress: recipient, diagnosticCode: diagnostic_code, status }) => ({
      ...common,
      type: 'BOUNCE',
      timestamp: bounce.timestamp,
      recipient,
      id: mailFeedbackId(bounce.feedbackId, recipient),
      bounce_metadata: { bounce_type: bounce.bounceType, bounce_sub_type: bounce.bounceSubType, diagnostic_code, status },
    }));
  }
  const { complaint } = event;
  return complaint.complainedRecipients.map(({ emailAddress: recipient }) => ({
    ...common,
    type: 'COMPLAINT',
    timestamp: complaint.timestamp,
    recipient,
    id: mailFeedbackId(complaint.feedbackId, recipient),
    complaint_metadata: { complaint_feedback_type: complaint.complaintFeedbackType, user_agent: complaint.userAgent },
  }));
};
