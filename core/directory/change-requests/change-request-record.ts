import type * as z from 'zod';
import {
  LambdaConcurrencyLimit,
  SESSendingLimit,
  type ChangeRequest,
  type ChangeRequestEvent,
  type ChangeRequestEventKind,
  type ChangeRequestType,
} from '../../../contract/admin/change-requests.ts';

/** The requested limits, possibly incomplete. */
export type RequestedLimits = {
  readonly ses_sending_limit?: Partial<z.input<typeof SESSendingLimit>>;
  readonly lambda_concurrency?: Partial<z.input<typeof LambdaConcurrencyLimit>>;
};

/** The requested value of the type's quota. Undefined if it was not given yet. */
export const requestedValue = (type: ChangeRequestType, { ses_sending_limit: ses, lambda_concurrency: lambda }: RequestedLimits): number | undefined =>
  ({
    SES_MAX_24H_SEND_INCREASE: ses?.desired_max_24h_send,
    SES_MAX_SEND_RATE_INCREASE: ses?.desired_max_send_rate_per_second,
    LAMBDA_CONCURRENCY_INCREASE: lambda?.desired_account_limit,
  })[type];

/** The fields that are missing before the request can be submitted. */
export const missingFields = (type: ChangeRequestType, { ses_sending_limit: ses, lambda_concurrency: lambda }: RequestedLimits): string[] => {
  const required: { readonly [Type in ChangeRequestType]: { readonly [name: string]: unknown } } = {
    SES_MAX_24H_SEND_INCREASE: { 'ses_sending_limit.use_case': ses?.use_case, 'ses_sending_limit.desired_max_24h_send': ses?.desired_max_24h_send },
    SES_MAX_SEND_RATE_INCREASE: {
      'ses_sending_limit.use_case': ses?.use_case,
      'ses_sending_limit.desired_max_send_rate_per_second': ses?.desired_max_send_rate_per_second,
    },
    LAMBDA_CONCURRENCY_INCREASE: { 'lambda_concurrency.reason': lambda?.reason, 'lambda_concurrency.desired_account_limit': lambda?.desired_account_limit },
  };
  return Object.entries(required[type]).flatMap(([name, value]) => (value === undefined ? [name] : []));
};

/** The worker's state of a request. Callers do not see it. */
export type WorkerState = {
  /**
   * The state of the submission. `due`: to be submitted. `begun`: it may have reached the provider. `sent`: the
   * provider has it.
   */
  readonly submission: 'due' | 'begun' | 'sent';
  /** The time at which the last submission began (RFC 3339). */
  readonly begun_at?: string;
  /** The pending decision: that of SES on production access, or that of Service Quotas on the quota. */
  readonly awaiting?: 'production-access' | 'quota';
  /** The numbers of consecutive failed checks, and of consecutive checks without a change. */
  readonly failures: number;
  readonly unchanged: number;
  /** The comment of an admin since the last submission. */
  readonly comment?: string;
};

/** A change request as it is stored. */
export type StoredChangeRequest = Omit<ChangeRequest, 'ses_sending_limit' | 'lambda_concurrency'> &
  RequestedLimits & {
    readonly work: WorkerState;
    /** The time of the worker's next check (RFC 3339). Undefined for a request that waits for an admin or is closed. */
    readonly due_at?: string;
    /** The number of writes of the record. Each write requires the version that was read. */
    readonly version: number;
    /** Number of its events. */
    readonly event_count: number;
  };

/** The request as the contract defines it. Requested limits are included only when they are complete. */
export const toChangeRequest = ({
  work: _work,
  due_at: _due,
  version: _version,
  event_count: _count,
  ses_sending_limit: ses,
  lambda_concurrency: lambda,
  ...request
}: StoredChangeRequest): ChangeRequest => {
  const [sesLimit, lambdaLimit] = [SESSendingLimit.safeParse(ses), LambdaConcurrencyLimit.safeParse(lambda)];
  return { ...request, ...(sesLimit.success && { ses_sending_limit: sesLimit.data }), ...(lambdaLimit.success && { lambda_concurrency: lambdaLimit.data }) };
};

/** The text of an event. */
export type EventText = { readonly message?: string; readonly details?: { readonly [name: string]: string } };

/** Maximum characters of an event's text; longer texts are truncated. */
const maxTextLength = 5000;

/** Removes mail addresses from a text (docs/specification.md#change-requests). */
export const withoutAddresses = (text: string): string =>
  text.replace(/(?<![^\s@<>()[\]",;:])[^\s@<>()[\]",;:]+@[^\s@<>()[\]",;:]+/gu, '(address)').slice(0, maxTextLength);

/** An event of a request's history, without mail addresses. */
export const eventOf = (
  id: string,
  requestId: string,
  at: string,
  kind: ChangeRequestEventKind,
  { message, details = {} }: EventText = {},
): ChangeRequestEvent => ({
  event_id: id,
  request_id: requestId,
  at,
  kind,
  ...(message !== undefined && { message: withoutAddresses(message) }),
  details: Object.fromEntries(Object.entries(details).map(([name, value]) => [name, withoutAddresses(value)])),
});
