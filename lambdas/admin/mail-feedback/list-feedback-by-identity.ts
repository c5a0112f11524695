import { mailFeedback as contract } from '../../../contract/admin/mail-feedback.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { readFeedbackPage, type FeedbackReads } from './feedback-page.ts';

export const listFeedbackByIdentity = (connections: FeedbackReads) =>
  adminMethod(contract.methods.ListFeedbackByIdentity, {
    run: ({ identity_id, page_size }, call) => readFeedbackPage(connections, { identity_id }, page_size, call),
  });
