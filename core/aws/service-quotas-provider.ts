import {
  GetRequestedServiceQuotaChangeCommand,
  IllegalArgumentException,
  InvalidResourceStateException,
  NoSuchResourceException,
  paginateListRequestedServiceQuotaChangeHistoryByQuota,
  RequestServiceQuotaIncreaseCommand,
  ResourceAlreadyExistsException,
  ServiceQuotasClient,
  type RequestedServiceQuotaChange,
} from '@aws-sdk/client-service-quotas';
import type { Quota } from '../../contract/admin/change-requests.ts';
import { namingErrors, clientTimeouts } from '../runtime/sdk-client.ts';
import { ProviderRefusal, valueOnError } from './provider-errors.ts';

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

/** Requests higher quotas for the AWS account. The fake in `test/fakes/` passes the same suite. */
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

const requestOf = ({ Id: id, Status: status, DesiredValue: requestedValue, Created: createdAt, CaseId: caseId }: RequestedServiceQuotaChange): QuotaRequest => {
  if (id === undefined || status === undefined || requestedValue === undefined) {
    throw new Error('Service Quotas returned a request without its id, status or value');
  }
  return { id, status, requestedValue, createdAt: createdAt ?? new Date(0), ...(caseId !== undefined && { caseId }) };
};

/** {@link QuotaProvider} in AWS Service Quotas, for the AWS account and region of this deployment. */
export const serviceQuotasProvider = (client = namingErrors(new ServiceQuotasClient(clientTimeouts))): QuotaProvider => ({
  async requestIncrease({ service_code: ServiceCode, quota_code: QuotaCode }, value) {
    try {
      const { RequestedQuota: created } = await client.send(new RequestServiceQuotaIncreaseCommand({ ServiceCode, QuotaCode, DesiredValue: value }));
      return requestOf(created ?? {});
    } catch (error) {
      if (error instanceof ResourceAlreadyExistsException) return undefined;
      const isRefusal = error instanceof IllegalArgumentException || error instanceof InvalidResourceStateException || error instanceof NoSuchResourceException;
      throw isRefusal ? new ProviderRefusal(error.message, { cause: error }) : error;
    }
  },
  async findRequest(id) {
    const answer = await valueOnError(NoSuchResourceException, undefined, client.send(new GetRequestedServiceQuotaChangeCommand({ RequestId: id })));
    return answer?.RequestedQuota && requestOf(answer.RequestedQuota);
  },
  async listRequests({ service_code: ServiceCode, quota_code: QuotaCode }) {
    const requests: QuotaRequest[] = [];
    for await (const page of paginateListRequestedServiceQuotaChangeHistoryByQuota({ client }, { ServiceCode, QuotaCode })) {
      requests.push(...(page.RequestedQuotas ?? []).map(requestOf));
    }
    return requests.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  },
});
