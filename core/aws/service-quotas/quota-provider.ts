import type { Quota } from '../../../contract/admin/change-requests.ts';

/** The status of a request at Service Quotas (RequestedServiceQuotaChange.Status). */
export type QuotaRequestStatus = 'PENDING' | 'CASE_OPENED' | 'APPROVED' | 'DENIED' | 'CASE_CLOSED' | 'NOT_APPROVED' | 'INVALID_REQUEST';

/** A request for a higher quota at Service Quotas. */
export type QuotaRequest = {
  readonly id: string;
  readonly status: QuotaRequestStatus;
  readonly requestedValue: number;
  readonly createdAt: Date;
  /** The support case in which AWS decides, once it exists. */
  readonly caseId?: string;
};

/**
 * Requests higher quotas for the AWS account. Adapter: `service-quotas-provider.ts`; the fake in `test/fakes/` passes
 * the same suite.
 */
export type QuotaProvider = {
  /**
   * Requests a value.
   * @returns undefined while another request for this quota is open: AWS permits one at a time.
   * @throws ProviderRefusal for a value that AWS refuses.
   */
  requestIncrease(quota: Quota, value: number): Promise<QuotaRequest | undefined>;
  /** Undefined for an unknown id. */
  findRequest(id: string): Promise<QuotaRequest | undefined>;
  /** The requests of the last months for a quota, newest first. */
  listRequests(quota: Quota): Promise<QuotaRequest[]>;
};
