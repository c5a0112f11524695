import { quotas } from '../../contract/admin/change-requests.ts';
import { ProviderRefusal } from '../../core/aws/provider-errors.ts';
import type { QuotaProvider, QuotaRequest, QuotaRequestStatus } from '../../core/aws/service-quotas-provider.ts';
import { nextFault } from './next-fault.ts';

/** A {@link QuotaProvider} in memory. */
type MemoryQuotaProvider = QuotaProvider & {
  /** Sets the status of a request. */
  decide(id: string, status: QuotaRequestStatus): void;
  /** All requests, in order. */
  readonly requests: readonly (QuotaRequest & { readonly quotaCode: string })[];
  /** Makes the next call throw this error, before or after its work. */
  failNext(error: Error, when?: 'before' | 'after'): void;
  /** The number of calls by operation. */
  readonly calls: { readonly [operation: string]: number };
};

/** The current values, by quota code. */
const currentValues = new Map([
  [quotas.SES_MAX_24H_SEND_INCREASE.quota_code, 50_000],
  [quotas.SES_MAX_SEND_RATE_INCREASE.quota_code, 14],
  [quotas.LAMBDA_CONCURRENCY_INCREASE.quota_code, 10],
]);

export const memoryQuotaProvider = (now: () => Date = () => new Date()): MemoryQuotaProvider => {
  const requests: (QuotaRequest & { quotaCode: string })[] = [];
  const calls: { [operation: string]: number } = {};
  const { failNext, withFault } = nextFault();
  const call = <T>(operation: string, work: () => T): Promise<T> => {
    calls[operation] = (calls[operation] ?? 0) + 1;
    return withFault(work);
  };
  const isOpen = ({ status }: QuotaRequest) => status === 'PENDING' || status === 'CASE_OPENED';
  const toQuotaRequest = ({ quotaCode: _code, ...request }: QuotaRequest & { quotaCode: string }): QuotaRequest => request;
  return {
    requests,
    calls,
    failNext,
    decide(id, status) {
      const index = requests.findIndex((one) => one.id === id);
      requests[index] = { ...requests[index]!, status, ...(status === 'CASE_OPENED' && { caseId: `case-${id}` }) };
    },
    requestIncrease: ({ quota_code: quotaCode }, value) =>
      call('requestIncrease', () => {
        if (value <= (currentValues.get(quotaCode) ?? Infinity)) {
          throw new ProviderRefusal('You must provide a quota value greater than the current quota value');
        }
        if (requests.some((one) => one.quotaCode === quotaCode && isOpen(one))) return undefined;
        const created = { id: `quota-request-${requests.length + 1}`, status: 'PENDING' as const, requestedValue: value, createdAt: now(), quotaCode };
        requests.push(created);
        return toQuotaRequest(created);
      }),
    findRequest: (id) => call('findRequest', () => requests.filter((one) => one.id === id).map(toQuotaRequest)[0]),
    listRequests: ({ quota_code: quotaCode }) =>
      call('listRequests', () =>
        requests
          .filter((one) => one.quotaCode === quotaCode)
          .map(toQuotaRequest)
          .toReversed(),
      ),
  };
};
