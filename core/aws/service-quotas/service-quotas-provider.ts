import {
  GetRequestedServiceQuotaChangeCommand, IllegalArgumentException, InvalidResourceStateException, NoSuchResourceException, paginateListRequestedServiceQuotaChangeHistoryByQuota,
  RequestServiceQuotaIncreaseCommand, ResourceAlreadyExistsException, ServiceQuotasClient, type RequestedServiceQuotaChange,
} from '@aws-sdk/client-service-quotas';
import { clientTimeouts } from '../client-timeouts.ts';
import { ProviderRefusal } from '../provider-refusal.ts';
import type { QuotaProvider, QuotaRequest } from './quota-provider.ts';

const requestOf = ({ Id: id, Status: status, DesiredValue: requestedValue, Created: createdAt, CaseId: caseId }: RequestedServiceQuotaChange): QuotaRequest => {
  if (id === undefined || status === undefined || requestedValue === undefined) throw new Error('Service Quotas tells of a request without its id, status or value');
  return { id, status, requestedValue, createdAt: createdAt ?? new Date(0), ...(caseId !== undefined && { caseId }) };
};

/** AWS Service Quotas, for the account and region of this deployment. */
export const serviceQuotasProvider = (client = new ServiceQuotasClient(clientTimeouts)): QuotaProvider => ({
  async requestIncrease({ service_code: ServiceCode, quota_code: QuotaCode }, value) {
    try {
      const { RequestedQuota: made } = await client.send(new RequestServiceQuotaIncreaseCommand({ ServiceCode, QuotaCode, DesiredValue: value }));
      return requestOf(made ?? {});
    } catch (error) {
      if (error instanceof ResourceAlreadyExistsException) return undefined;
      if (error instanceof IllegalArgumentException || error instanceof InvalidResourceStateException || error instanceof NoSuchResourceException) throw new ProviderRefusal(error.message, { cause: error });
      throw error;
    }
  },
  async findRequest(id) {
    try {
      const { RequestedQuota: found } = await client.send(new GetRequestedServiceQuotaChangeCommand({ RequestId: id }));
      return found && requestOf(found);
    } catch (error) {
      if (error instanceof NoSuchResourceException) return undefined;
      throw error;
    }
  },
  async listRequests({ service_code: ServiceCode, quota_code: QuotaCode }) {
    const found: QuotaRequest[] = [];
    for await (const page of paginateListRequestedServiceQuotaChangeHistoryByQuota({ client }, { ServiceCode, QuotaCode })) found.push(...(page.RequestedQuotas ?? []).map(requestOf));
    return found.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  },
});
