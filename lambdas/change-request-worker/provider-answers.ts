import type { QuotaRequestStatus } from '../../core/aws/service-quotas/quota-provider.ts';
import type { ReviewStatus } from '../../core/aws/ses/sending-account.ts';
import type { ChangeRequestOccurrence } from '../../core/directory/change-request-states.ts';

/** What an answer means for the request, and what is said about it. `submit-again`: the provider lost it, or it is the next provider's turn. */
type Meaning = { readonly occurrence: ChangeRequestOccurrence | 'submit-again'; readonly words: string };

/** Service Quotas' word for where a request stands there. */
export const quotaAnswers: { readonly [Status in QuotaRequestStatus]: Meaning } = {
  PENDING: { occurrence: 'reviewing', words: 'AWS is reviewing the request' },
  CASE_OPENED: { occurrence: 'case-opened', words: 'AWS opened a support case for the request' },
  APPROVED: { occurrence: 'approved', words: 'AWS approved the request' },
  DENIED: { occurrence: 'rejected', words: 'AWS denied the request' },
  NOT_APPROVED: { occurrence: 'rejected', words: 'AWS did not approve the request' },
  // The outcome is in the case's correspondence only.
  CASE_CLOSED: { occurrence: 'needs-information', words: 'AWS closed the support case, and the quota is not what was asked for: look at the correspondence of the case; with more information the request is submitted again' },
  INVALID_REQUEST: { occurrence: 'needs-information', words: 'AWS could not make sense of the request: give other values' },
};

const atReview: Meaning = { occurrence: 'reviewing', words: 'Amazon SES is reviewing the request for production access' };

/** SES's word for its review of who we are and what we send. */
export const reviewAnswers: { readonly [Status in ReviewStatus]: Meaning } = {
  PENDING: atReview,
  // Granted, but not in force yet.
  GRANTED: atReview,
  DENIED: { occurrence: 'needs-information', words: 'Amazon SES did not grant production access: say more about what is sent, to whom and why they get it, or answer in the support case' },
  FAILED: { occurrence: 'submit-again', words: 'Amazon SES lost the request for production access' },
};
