import { mailFeedback as contract } from '../../../contract/admin/mail-feedback.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { readFeedbackPage, type FeedbackReads } from './feedback-page.ts';

export const listRecentFeedback = (connections: FeedbackReads) =>
  adminMethod(contract.methods.ListRecentFeedback, { run: ({ type, page_size }, call) => readFeedbackPage(connections, { type }, page_size, call) });
