import type { mailFeedback } from '../../contract/admin/mail-feedback.ts';
import { unimplemented, type Behaviours } from '../platform/admin-pipe.ts';

/** What /mail-feedback does. */
export const mailFeedbackMethods = (): Behaviours<typeof mailFeedback> => ({
  ListRecentFeedback: unimplemented,
  ListFeedbackByIdentity: unimplemented,
  ListFeedbackByRecipient: unimplemented,
});
