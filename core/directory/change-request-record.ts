import type * as z from 'zod';
import {
  LambdaConcurrencyLimit, SESSendingLimit, type ChangeRequest, type ChangeRequestEvent, type ChangeRequestEventKind, type ChangeRequestType,
} from '../../contract/admin/change-requests.ts';

/** What an admin wants, as far as it was said. */
export type RequestedLimits = {
  readonly ses_sending_limit?: Partial<z.input<typeof SESSendingLimit>>;
  readonly lambda_concurrency?: Partial<z.input<typeof LambdaConcurrencyLimit>>;
};

/** The value that the quota of the type is to have; undefined while nobody said. */
export const requestedValue = (type: ChangeRequestType, { ses_sending_limit: ses, lambda_concurrency: lambda }: RequestedLimits): number | undefined => ({
  SES_MAX_24H_SEND_INCREASE: ses?.desired_max_24h_send,
  SES_MAX_SEND_RATE_INCREASE: ses?.desired_max_send_rate_per_second,
  LAMBDA_CONCURRENCY_INCREASE: lambda?.desired_account_limit,
})[type];

/** The fields without which a request can't be submitted, and that nobody gave yet. */
export const missingFields = (type: ChangeRequestType, { ses_sending_limit: ses, lambda_concurrency: lambda }: RequestedLimits): string[] => {
  const needed: { readonly [Type in ChangeRequestType]: { readonly [name: string]: unknown } } = {
    SES_MAX_24H_SEND_INCREASE: { 'ses_sending_limit.use_case': ses?.use_case, 'ses_sending_limit.desired_max_24h_send': ses?.desired_max_24h_send },
    SES_MAX_SEND_RATE_INCREASE: { 'ses_sending_limit.use_case': ses?.use_case, 'ses_sending_limit.desired_max_send_rate_per_second': ses?.desired_max_send_rate_per_second },
    LAMBDA_CONCURRENCY_INCREASE: { 'lambda_concurrency.reason': lambda?.reason, 'lambda_concurrency.desired_account_limit': lambda?.desired_account_limit },
  };
  return Object.entries(needed[type]).flatMap(([name, value]) => (value === undefined ? [name] : []));
};

/** What the worker knows of its own work on a request; no caller sees it. */
export type WorkerState = {
  /** `due`: to be submitted. `begun`: it may have reached the provider, or not. `sent`: the provider has it. */
  readonly submission: 'due' | 'begun' | 'sent';
  /** When the last submission was begun (RFC 3339). */
  readonly begun_at?: string;
  /** Whose answer is awaited: SES's review of production access, or Service Quotas' of the quota. */
  readonly awaiting?: 'production-access' | 'quota';
  /** Times in a row that the provider could not be asked, and that it had nothing new to say. */
  readonly failures: number;
  readonly unchanged: number;
  /** What an admin said in words since the last submission. */
  readonly comment?: string;
};

/** A request as it is kept. */
export type StoredChangeRequest = Omit<ChangeRequest, 'ses_sending_limit' | 'lambda_concurrency'> & RequestedLimits & {
  readonly work: WorkerState;
  /** When the worker looks at it next (RFC 3339); none for a request that waits for an admin or is over. */
  readonly due_at?: string;
  /** Counts the writes of the record: who writes says which version it read. */
  readonly version: number;
  /** Events so far. */
  readonly event_count: number;
};

/** What a caller sees; what was wanted once it was said completely. */
export const toChangeRequest = ({ work: _work, due_at: _due, version: _version, event_count: _count, ses_sending_limit: ses, lambda_concurrency: lambda, ...request }: StoredChangeRequest): ChangeRequest => {
  const [sesLimit, lambdaLimit] = [SESSendingLimit.safeParse(ses), LambdaConcurrencyLimit.safeParse(lambda)];
  return { ...request, ...(sesLimit.success && { ses_sending_limit: sesLimit.data }), ...(lambdaLimit.success && { lambda_concurrency: lambdaLimit.data }) };
};

/** What an event says besides when, of which request and which kind. */
export type EventText = { readonly message?: string; readonly details?: { readonly [name: string]: string } };

/** Characters of an event's text that are kept. */
const longestText = 5000;

/** Text without mail addresses: a contact address never enters the events (docs/specification.md#change-requests). */
export const withoutAddresses = (text: string): string => text.replace(/[^\s@<>()[\]",;:]+@[^\s@<>()[\]",;:]+/gu, '(address)').slice(0, longestText);

/** An event of a request's history, free of addresses whatever it is given. */
export const eventOf = (id: string, requestId: string, at: string, kind: ChangeRequestEventKind, { message, details = {} }: EventText = {}): ChangeRequestEvent => ({
  event_id: id, request_id: requestId, at, kind,
  ...(message !== undefined && { message: withoutAddresses(message) }),
  details: Object.fromEntries(Object.entries(details).map(([name, value]) => [name, withoutAddresses(value)])),
});
