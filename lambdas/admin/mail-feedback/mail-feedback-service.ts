import type { mailFeedback } from '../../../contract/admin/mail-feedback.ts';
import type { AdminMethods } from '../../../core/rpc/admin-method.ts';
import type { FeedbackReads } from './feedback-page.ts';
import { listFeedbackByIdentity } from './list-feedback-by-identity.ts';
import { listFeedbackByRecipient } from './list-feedback-by-recipient.ts';
import { listRecentFeedback } from './list-recent-feedback.ts';
import { listSentMessages, type SentMailReads } from './list-sent-messages.ts';

/**
 * The methods of /mail-feedback: the results of all mail that the deployment sent, and its bounces and complaints
 * (docs/specification.md#mail-feedback).
 */
export const mailFeedbackService = (connections: FeedbackReads & SentMailReads): AdminMethods<typeof mailFeedback> => ({
  ListRecentFeedback: listRecentFeedback(connections),
  ListFeedbackByIdentity: listFeedbackByIdentity(connections),
  ListFeedbackByRecipient: listFeedbackByRecipient(connections),
  ListSentMessages: listSentMessages(connections),
});
