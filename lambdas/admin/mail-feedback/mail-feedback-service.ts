import type { mailFeedback } from '../../../contract/admin/mail-feedback.ts';
import type { AdminMethods } from '../../../core/rpc/admin-method.ts';
import type { FeedbackReads } from './feedback-page.ts';
import { getReceivedMessage } from './get-received-message.ts';
import { listFeedbackByIdentity } from './list-feedback-by-identity.ts';
import { listFeedbackByRecipient } from './list-feedback-by-recipient.ts';
import { listReceivedMessages } from './list-received-messages.ts';
import { listRecentFeedback } from './list-recent-feedback.ts';
import { listSentMessages, type SentMailReads } from './list-sent-messages.ts';
import type { ReceivedMailReads } from './received-message-on-wire.ts';
import type { AdminsMail } from './without-admins.ts';

/** The methods of /mail-feedback (docs/specification.md#mail-feedback). */
export const mailFeedbackService = (
  connections: FeedbackReads & SentMailReads & ReceivedMailReads & { readonly admins: AdminsMail },
): AdminMethods<typeof mailFeedback> => ({
  ListRecentFeedback: listRecentFeedback(connections),
  ListFeedbackByIdentity: listFeedbackByIdentity(connections),
  ListFeedbackByRecipient: listFeedbackByRecipient(connections),
  ListSentMessages: listSentMessages(connections),
  ListReceivedMessages: listReceivedMessages(connections),
  GetReceivedMessage: getReceivedMessage(connections),
});
