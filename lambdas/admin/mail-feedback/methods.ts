import { mailFeedback, type MailFeedback } from '../../../contract/admin/mail-feedback.ts';
import { adminMethod, type AdminMethods, type Call } from '../../../core/rpc/admin-method.ts';
import type { MailFeedbackStore, MailFeedbackFilter } from '../../../core/sending/mail-feedback.ts';

/** What /mail-feedback does. */
export const mailFeedbackMethods = (feedback: Pick<MailFeedbackStore, 'list'>): AdminMethods<typeof mailFeedback> => {
  const page = async (which: MailFeedbackFilter, size: number, { pageAfter, nextPageToken }: Call) => {
    const { items, next } = await feedback.list(which, pageAfter, size);
    return { feedback: items as MailFeedback[], next_page_token: await nextPageToken(next) };
  };
  return {
    ListRecentFeedback: adminMethod(mailFeedback.methods.ListRecentFeedback, { run: ({ type, page_size }, call) => page({ type }, page_size, call) }),
    ListFeedbackByIdentity: adminMethod(mailFeedback.methods.ListFeedbackByIdentity, { run: ({ identity_id, page_size }, call) => page({ identity_id }, page_size, call) }),
    ListFeedbackByRecipient: adminMethod(mailFeedback.methods.ListFeedbackByRecipient, { run: ({ recipient, page_size }, call) => page({ recipient }, page_size, call) }),
  };
};
