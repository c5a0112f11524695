import {
  GetRequestedServiceQuotaChangeCommand, IllegalArgumentException, InvalidResourceStateException,
  NoSuchResourceException, paginateListRequestedServiceQuotaChangeHistoryByQuota,
  RequestServiceQuotaIncreaseCommand, ResourceAlreadyExistsException, ServiceQuotasClient, type RequestedServiceQuotaChange,
} from '@aws-sdk/client-service-quotas';
import { clientTimeouts } from './client-timeouts.ts';
import { ProviderRefusal, valueOnError } from './provider-errors.ts';
import type { QuotaProvider, QuotaRequest } from './quota-provider.ts';
import { namingErrors } from '../runtime/naming-errors.ts';

const requestOf = (
  { Id: id, Status: status, DesiredValue: requestedValue, Created: createdAt, CaseId: caseId }: RequestedServiceQuotaChange,
): QuotaRequest => {
  if (id === undefined || status === undefined || requestedValue === undefined) {
    throw new Error('Service Quotas returned a request without its id, status or value');
  }
  return { id, status, requestedValue, createdAt: createdAt ?? new Date(0), ...(caseId !== undefined && { caseId }) };
};

/** {@link QuotaProvider} in AWS Service Quotas, for the AWS account and region of this deployment. */
export const serviceQuotasProvider = (client = namingErrors(new ServiceQuotasClient(clientTimeouts))): QuotaProvider => ({
  async requestIncrease({ service_code: ServiceCode, quota_code: QuotaCode }, value) {
    try {
      const { RequestedQuota: created } = await client.send(
        new RequestServiceQuotaIncreaseCommand({ ServiceCode, QuotaCode, DesiredValue: value }),
      );
      return requestOf(created ?? {});
    } catch (error) {
      if (error instanceof ResourceAlreadyExistsException) return undefined;
      const isRefusal = error instanceof IllegalArgumentException
        || error instanceof InvalidResourceStateException
        || error instanceof NoSuchResourceException;
      throw isRefusal ? new ProviderRefusal(error.message, { cause: error }) : error;
    }
  },
  async findRequest(id) {
    const answer = await valueOnError(
      NoSuchResourceException, undefined, client.send(new GetRequestedServiceQuotaChangeCommand({ RequestId: id })),
    );
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
