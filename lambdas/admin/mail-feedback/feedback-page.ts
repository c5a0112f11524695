import type { MailFeedback } from '../../../contract/admin/mail-feedback.ts';
import type { Call } from '../../../core/rpc/admin-method.ts';
import type { MailFeedbackFilter, MailFeedbackStore } from '../../../core/sending/mail-feedback.ts';

export type FeedbackReads = { readonly feedback: Pick<MailFeedbackStore, 'list'> };

/** Reads a page of feedback as the response of the methods of /mail-feedback. */
export const readFeedbackPage = async (
  { feedback }: FeedbackReads, filter: MailFeedbackFilter, pageSize: number, { pageAfter, nextPageToken }: Call,
): Promise<{ feedback: MailFeedback[]; next_page_token: string }> => {
  const { items, next } = await feedback.list(filter, pageAfter, pageSize);
  return { feedback: [...items], next_page_token: await nextPageToken(next) };
};
