import { randomUUID } from 'node:crypto';
import { openStateFile } from '../../state/state-file.ts';

/** The status of a request (RequestedServiceQuotaChange.Status). */
export const quotaRequestStatuses = ['PENDING', 'CASE_OPENED', 'APPROVED', 'DENIED', 'CASE_CLOSED', 'NOT_APPROVED', 'INVALID_REQUEST'] as const;
export type QuotaRequestStatus = (typeof quotaRequestStatuses)[number];

export type QuotaRequest = {
  readonly id: string;
  readonly serviceCode: string;
  readonly quotaCode: string;
  readonly value: number;
  readonly created: number;
  status: QuotaRequestStatus;
  caseId?: string;
  lastUpdated: number;
};

/** The quotas that can be raised, with the values of a new AWS account with production access. */
export const quotas: {
  readonly [code: string]: { readonly serviceCode: string; readonly serviceName: string; readonly name: string; readonly value: number };
} = {
  'L-804C8AE8': { serviceCode: 'ses', serviceName: 'Amazon Simple Email Service (Amazon SES)', name: 'Sending quota', value: 50_000 },
  'L-CDEF9B6B': { serviceCode: 'ses', serviceName: 'Amazon Simple Email Service (Amazon SES)', name: 'Sending rate', value: 14 },
  'L-B99A9384': { serviceCode: 'lambda', serviceName: 'AWS Lambda', name: 'Concurrent executions', value: 10 },
};

/**
 * Multiples of the current value: a request up to the first one is approved, up to the second one it gets a support
 * case, above that it is denied.
 */
const approvedUpToFactor = 10;
const caseUpToFactor = 1000;

const statusBySize = (value: number, applied: number): QuotaRequestStatus => {
  if (value <= approvedUpToFactor * applied) return 'APPROVED';
  return value <= caseUpToFactor * applied ? 'CASE_OPENED' : 'DENIED';
};

export type QuotaRequests = {
  readonly all: () => readonly QuotaRequest[];
  appliedValue(quotaCode: string): number;
  create(serviceCode: string, quotaCode: string, value: number): Promise<QuotaRequest>;
  /** Reads a request. At the first read it is pending; the second read decides the request by its size. */
  review(id: string): Promise<QuotaRequest | undefined>;
  /** Decides a request as AWS staff would. @returns false when the request does not exist. */
  decide(id: string, status: QuotaRequestStatus): Promise<boolean>;
};

/** Opens the requests of a sandbox. An approved request takes effect immediately. */
export const openQuotaRequests = async (path: string): Promise<QuotaRequests> => {
  const file = await openStateFile<{ requests: (QuotaRequest & { looks: number })[] }>(path, { requests: [] });
  const { requests } = file.value;
  const appliedValue = (code: string): number =>
    requests.filter(({ quotaCode, status }) => quotaCode === code && status === 'APPROVED').at(-1)?.value ?? quotas[code]?.value ?? 0;
  const decide = async (id: string, status: QuotaRequestStatus): Promise<boolean> => {
    const request = requests.find((one) => one.id === id);
    if (!request) return false;
    Object.assign(request, { status, lastUpdated: Date.now(), ...(status === 'CASE_OPENED' && { caseId: String(request.created) }) });
    await file.save();
    return true;
  };
  return {
    all: () => requests,
    appliedValue,
    decide,
    async create(serviceCode, quotaCode, value) {
      const now = Date.now();
      const request = {
        id: randomUUID().replaceAll('-', '') + randomUUID().slice(0, 8),
        serviceCode,
        quotaCode,
        value,
        created: now,
        lastUpdated: now,
        status: 'PENDING' as const,
        looks: 0,
      };
      requests.push(request);
      await file.save();
      return request;
    },
    async review(id) {
      const request = requests.find((one) => one.id === id);
      if (request?.status !== 'PENDING') return request;
      request.looks++;
      await file.save();
      if (request.looks > 1) await decide(id, statusBySize(request.value, appliedValue(request.quotaCode)));
      return request;
    },
  };
};
