import type { ResponseOf } from '../../../contract/client.ts';
import type { StateLook } from '../../../contract/words/state-words.ts';

type Kind = ResponseOf<'change-requests', 'ListChangeRequestEvents'>['events'][number]['kind'];

/** The label of each event of a change request, and its look in the timeline. */
export const changeRequestEvents: { readonly [K in Kind]: { readonly label: string; readonly look: StateLook } } = {
  CREATED: { label: 'Created', look: 'info' },
  SUBMITTED: { label: 'Sent to AWS', look: 'info' },
  PROVIDER_UPDATED: { label: 'News from AWS', look: 'info' },
  SUPPORT_CASE_OPENED: { label: 'AWS opened a support case', look: 'info' },
  ACTION_REQUIRED: { label: 'AWS asks for information', look: 'warning' },
  USER_PROVIDED_INFO: { label: 'Information provided', look: 'info' },
  APPROVED: { label: 'Approved', look: 'success' },
  REJECTED: { label: 'Rejected', look: 'error' },
  SUCCEEDED: { label: 'Granted', look: 'success' },
  FAILED: { label: 'Failed', look: 'error' },
  CANCELED: { label: 'Canceled', look: 'stopped' },
  COMMENT: { label: 'Comment', look: 'info' },
};
