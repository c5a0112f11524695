import type { MailFeedback } from '../../../contract/admin/mail-feedback.ts';
import type { Call } from '../../../core/rpc/admin-method.ts';
import type { MailFeedbackFilter, MailFeedbackStore } from '../../../core/sending/feedback/mail-feedback.ts';

/** The dependencies of the methods of /mail-feedback. */
export type FeedbackReads = { readonly feedback: Pick<MailFeedbackStore, 'list'> };

/**
 * Reads a page of feedback, newest first, in the form of a response.
 * @param filter a type, an identity or a recipient.
 */
export const readFeedbackPage = async (
  { feedback }: FeedbackReads,
  filter: MailFeedbackFilter,
  pageSize: number,
  { pageAfter, nextPageToken }: Call,
): Promise<{ feedback: MailFeedback[]; next_page_token: string }> => {
  const { items, next } = await feedback.list(filter, pageAfter, pageSize);
  return { feedback: [...items], next_page_token: await nextPageToken(next) };
};
