import type { ChangeRequestType } from './change-requests.ts';

/** A quota of an AWS service, by its codes at Service Quotas. */
export type Quota = { readonly service_code: string; readonly quota_code: string; readonly quota_name: string };

/**
 * The quota that a request of each type wants raised (Amazon SES and AWS Lambda endpoints and quotas, AWS General
 * Reference).
 */
export const quotas: { readonly [Type in ChangeRequestType]: Quota } = {
  SES_MAX_24H_SEND_INCREASE: { service_code: 'ses', quota_code: 'L-804C8AE8', quota_name: 'Sending quota' },
  SES_MAX_SEND_RATE_INCREASE: { service_code: 'ses', quota_code: 'L-CDEF9B6B', quota_name: 'Sending rate' },
  LAMBDA_CONCURRENCY_INCREASE: { service_code: 'lambda', quota_code: 'L-B99A9384', quota_name: 'Concurrent executions' },
};
