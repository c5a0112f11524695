import { randomUUID } from 'node:crypto';
import { openStateFile } from '../state-file.ts';

/** What Service Quotas says of a request (RequestedServiceQuotaChange.Status). */
export const statuses = ['PENDING', 'CASE_OPENED', 'APPROVED', 'DENIED', 'CASE_CLOSED', 'NOT_APPROVED', 'INVALID_REQUEST'] as const;
export type Status = (typeof statuses)[number];

export type QuotaRequest = {
  readonly id: string; readonly serviceCode: string; readonly quotaCode: string; readonly value: number; readonly created: number;
  status: Status; caseId?: string; lastUpdated: number;
};

/** Quotas that can be raised here, with what applies to a new AWS account that may send mail. */
export const quotas: { readonly [code: string]: { readonly serviceCode: string; readonly serviceName: string; readonly name: string; readonly value: number } } = {
  'L-804C8AE8': { serviceCode: 'ses', serviceName: 'Amazon Simple Email Service (Amazon SES)', name: 'Sending quota', value: 50_000 },
  'L-CDEF9B6B': { serviceCode: 'ses', serviceName: 'Amazon Simple Email Service (Amazon SES)', name: 'Sending rate', value: 14 },
  'L-B99A9384': { serviceCode: 'lambda', serviceName: 'AWS Lambda', name: 'Concurrent executions', value: 10 },
};

/** Up to so many times what applies, AWS says yes by itself; above, people look at it; far above, it says no. */
const grantedByItself = 10;
const deniedByItself = 1000;

const verdictOn = (value: number, applied: number): Status => {
  if (value <= grantedByItself * applied) return 'APPROVED';
  return value <= deniedByItself * applied ? 'CASE_OPENED' : 'DENIED';
};

export type QuotaRequests = {
  readonly all: () => readonly QuotaRequest[];
  valueOf(quotaCode: string): number;
  make(serviceCode: string, quotaCode: string, value: number): Promise<QuotaRequest>;
  /** What becomes of a request when somebody looks at it: it is under review at the first look; at the next it is approved, in a case or denied, by its size. */
  look(id: string): Promise<QuotaRequest | undefined>;
  /** What people at AWS decide. @returns false for a request that is not there. */
  decide(id: string, status: Status): Promise<boolean>;
};

/** Opens the requests of a sandbox; an approved one applies at once. */
export const openQuotaRequests = async (path: string): Promise<QuotaRequests> => {
  const file = await openStateFile<{ requests: (QuotaRequest & { looks: number })[] }>(path, { requests: [] });
  const { requests } = file.value;
  const valueOf = (code: string): number => requests.filter(({ quotaCode, status }) => quotaCode === code && status === 'APPROVED').at(-1)?.value ?? quotas[code]?.value ?? 0;
  const decide = async (id: string, status: Status): Promise<boolean> => {
    const request = requests.find((one) => one.id === id);
    if (!request) return false;
    Object.assign(request, { status, lastUpdated: Date.now(), ...(status === 'CASE_OPENED' && { caseId: String(request.created) }) });
    await file.save();
    return true;
  };
  return {
    all: () => requests,
    valueOf,
    decide,
    async make(serviceCode, quotaCode, value) {
      const now = Date.now();
      const request = { id: randomUUID().replaceAll('-', '') + randomUUID().slice(0, 8), serviceCode, quotaCode, value, created: now, lastUpdated: now, status: 'PENDING' as const, looks: 0 };
      requests.push(request);
      await file.save();
      return request;
    },
    async look(id) {
      const request = requests.find((one) => one.id === id);
      if (request?.status !== 'PENDING') return request;
      request.looks++;
      await file.save();
      if (request.looks > 1) await decide(id, verdictOn(request.value, valueOf(request.quotaCode)));
      return request;
    },
  };
};
