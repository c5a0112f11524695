import type { mailFeedback, MailFeedback } from '../../../contract/admin/mail-feedback.ts';
import type { Behaviours, Call } from '../../../core/rpc/admin-pipe.ts';
import type { Feedback, FeedbackList } from '../../../core/sending/mail-feedback.ts';

/** What /mail-feedback does. */
export const mailFeedbackMethods = (feedback: Pick<Feedback, 'list'>): Behaviours<typeof mailFeedback> => {
  const page = async (which: FeedbackList, size: number, { pageAfter, nextPageToken }: Call) => {
    const { items, next } = await feedback.list(which, pageAfter, size);
    return { feedback: items as MailFeedback[], next_page_token: await nextPageToken(next) };
  };
  return {
    ListRecentFeedback: ({ type, page_size }, call) => page({ type }, page_size, call),
    ListFeedbackByIdentity: ({ identity_id, page_size }, call) => page({ identity_id }, page_size, call),
    ListFeedbackByRecipient: ({ recipient, page_size }, call) => page({ recipient }, page_size, call),
  };
};
