import type { QuotaRequestStatus } from '../../core/aws/service-quotas-provider.ts';
import type { ReviewStatus } from '../../core/aws/ses/ses-sending-account.ts';
import type { ChangeRequestOccurrence } from '../../core/directory/change-requests/change-request-states.ts';

/** The meaning of a provider's status: an occurrence and a message. `submit-again`: the provider lost the request. */
type StatusMeaning = { readonly occurrence: ChangeRequestOccurrence | 'submit-again'; readonly message: string };

/** The meaning of each status of a quota request at Service Quotas. */
export const quotaStatusMeanings: { readonly [Status in QuotaRequestStatus]: StatusMeaning } = {
  PENDING: { occurrence: 'reviewing', message: 'AWS is reviewing the request' },
  CASE_OPENED: { occurrence: 'case-opened', message: 'AWS opened a support case for the request' },
  APPROVED: { occurrence: 'approved', message: 'AWS approved the request' },
  DENIED: { occurrence: 'rejected', message: 'AWS denied the request' },
  NOT_APPROVED: { occurrence: 'rejected', message: 'AWS did not approve the request' },
  // The outcome is only in the correspondence of the case.
  CASE_CLOSED: {
    occurrence: 'needs-information',
    message: 'AWS closed the support case without granting the quota: read the case; more information submits the request again',
  },
  INVALID_REQUEST: { occurrence: 'needs-information', message: 'AWS says that the request is invalid: give other values' },
};

const underReview: StatusMeaning = { occurrence: 'reviewing', message: 'Amazon SES is reviewing the request for production access' };

/** The meaning of each status of SES's review for production access. */
export const reviewStatusMeanings: { readonly [Status in ReviewStatus]: StatusMeaning } = {
  PENDING: underReview,
  // The request is granted, but not in force yet.
  GRANTED: underReview,
  DENIED: {
    occurrence: 'needs-information',
    message: 'Amazon SES did not grant production access: describe what is sent, to whom and why, or answer in the support case',
  },
  FAILED: { occurrence: 'submit-again', message: 'Amazon SES lost the request for production access' },
};
