import { mailFeedback as contract } from '../../../contract/admin/mail-feedback.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { readFeedbackPage, type FeedbackReads } from './feedback-page.ts';

export const listFeedbackByRecipient = (connections: FeedbackReads) =>
  adminMethod(contract.methods.ListFeedbackByRecipient, {
    run: ({ recipient, page_size }, call) => readFeedbackPage(connections, { recipient }, page_size, call),
  });
