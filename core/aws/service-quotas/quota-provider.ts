import type { Quota } from '../../../contract/admin/change-request-quotas.ts';

/** What Service Quotas says of a request (RequestedServiceQuotaChange.Status). */
export type QuotaRequestStatus = 'PENDING' | 'CASE_OPENED' | 'APPROVED' | 'DENIED' | 'CASE_CLOSED' | 'NOT_APPROVED' | 'INVALID_REQUEST';

/** A request for a higher quota, as it stands there. */
export type QuotaRequest = {
  readonly id: string;
  readonly status: QuotaRequestStatus;
  readonly requestedValue: number;
  readonly createdAt: Date;
  /** The support case in which people decide, once there is one. */
  readonly caseId?: string;
};

/** Who raises quotas of the AWS account. Adapter: `service-quotas.ts`; the fake in `test/fakes/` passes the same suite. */
export type QuotaProvider = {
  /**
   * Asks for a value.
   * @returns undefined when another request for this quota is open: there is one at a time.
   * @throws ProviderRefusal for a value that is not taken.
   */
  requestIncrease(quota: Quota, value: number): Promise<QuotaRequest | undefined>;
  /** A request by its id; undefined when it is not known. */
  findRequest(id: string): Promise<QuotaRequest | undefined>;
  /** Requests for a quota of the last months, the newest first. */
  listRequests(quota: Quota): Promise<QuotaRequest[]>;
};
