import type { Quota } from '../../contract/admin/change-requests.ts';

/** The status of a request at Service Quotas (RequestedServiceQuotaChange.Status). */
export type QuotaRequestStatus = 'PENDING' | 'CASE_OPENED' | 'APPROVED' | 'DENIED' | 'CASE_CLOSED' | 'NOT_APPROVED' | 'INVALID_REQUEST';

/** A request for a higher quota at Service Quotas. */
export type QuotaRequest = {
  readonly id: string;
  readonly status: QuotaRequestStatus;
  readonly requestedValue: number;
  readonly createdAt: Date;
  /** The id of the support case in which AWS decides on the request, once the case exists. */
  readonly caseId?: string;
};

/**
 * Requests higher quotas for the AWS account. Adapter: `service-quotas-provider.ts`; the fake in `test/fakes/` passes
 * the same suite.
 */
export type QuotaProvider = {
  /**
   * Requests a value.
   * @returns undefined while another request for this quota is open, because AWS permits one at a time.
   * @throws ProviderRefusal for a value that AWS refuses.
   */
  requestIncrease(quota: Quota, value: number): Promise<QuotaRequest | undefined>;
  /** Finds a request. @returns undefined for an unknown id. */
  findRequest(id: string): Promise<QuotaRequest | undefined>;
  /** Lists the requests for a quota in the last months, newest first. */
  listRequests(quota: Quota): Promise<QuotaRequest[]>;
};
