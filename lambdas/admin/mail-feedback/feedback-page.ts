import type { MailFeedback } from '../../../contract/admin/mail-feedback.ts';
import type { Call } from '../../../core/rpc/admin-method.ts';
import type { MailFeedbackFilter, MailFeedbackStore } from '../../../core/sending/feedback/mail-feedback.ts';
import { visibleSentMail, type AdminsMail } from './without-admins.ts';

/** The dependencies of the methods of /mail-feedback. */
export type FeedbackReads = { readonly feedback: Pick<MailFeedbackStore, 'list'>; readonly admins: AdminsMail };

/**
 * Reads a page of feedback, newest first, in the form of a response.
 * @param filter a type, an identity or a recipient.
 */
export const readFeedbackPage = async (
  { feedback, admins }: FeedbackReads,
  filter: MailFeedbackFilter,
  pageSize: number,
  { caller, pageAfter, nextPageToken }: Call,
): Promise<{ feedback: MailFeedback[]; next_page_token: string }> => {
  const { items, next } = await feedback.list(filter, pageAfter, pageSize);
  return { feedback: await visibleSentMail(items, caller, admins), next_page_token: await nextPageToken(next) };
};
