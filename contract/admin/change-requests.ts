import * as z from 'zod';
import { message, method, requestMessage, service } from '../rpc/rpc.ts';
import { bool, count, decimal, enumeration, instant, integer, list, listOf, newEmailAddress, nextPage, paging, reference, text } from '../values/fields.ts';

export const ChangeRequestType = enumeration('ChangeRequestType', ['SES_MAX_24H_SEND_INCREASE', 'SES_MAX_SEND_RATE_INCREASE', 'LAMBDA_CONCURRENCY_INCREASE']);
export type ChangeRequestType = z.output<typeof ChangeRequestType>;

/** The status of a change request. A request is open until it has one of the last four statuses. */
export const ChangeRequestStatus = enumeration('ChangeRequestStatus', [
  'ACCEPTED',
  'SUBMITTED',
  'IN_PROGRESS',
  'WAITING_ON_PROVIDER',
  'ACTION_REQUIRED',
  'SUCCEEDED',
  'REJECTED',
  'FAILED',
  'CANCELED',
]);
export type ChangeRequestStatus = z.output<typeof ChangeRequestStatus>;

/** The behaviour of CreateChangeRequest while a request of the same type is open. */
export const ConflictBehavior = enumeration('ConflictBehavior', ['RETURN_EXISTING_OPEN', 'FAIL_IF_OPEN', 'ALLOW_DUPLICATE']);

export const ChangeRequestEventKind = enumeration('ChangeRequestEventKind', [
  'CREATED',
  'SUBMITTED',
  'PROVIDER_UPDATED',
  'SUPPORT_CASE_OPENED',
  'ACTION_REQUIRED',
  'USER_PROVIDED_INFO',
  'APPROVED',
  'REJECTED',
  'SUCCEEDED',
  'FAILED',
  'CANCELED',
  'COMMENT',
]);
export type ChangeRequestEventKind = z.output<typeof ChangeRequestEventKind>;

/** The identifiers of the request at AWS. */
export const AWSReference = message('AWSReference', {
  region: z.string(),
  service_code: z.string(),
  quota_code: z.string(),
  quota_name: z.string(),
  service_quotas_request_id: z.string().optional(),
  console_url: z.string().optional(),
  requested_value: decimal().optional(),
});

/** A requested sending limit of SES: mails in 24 hours and mails a second. */
export const SESSendingLimit = message('SESSendingLimit', {
  use_case: z.string(),
  desired_max_24h_send: count().optional(),
  desired_max_send_rate_per_second: count().optional(),
  website_url: z.string().optional(),
  contact_email: z.string().optional(),
});

/** A requested limit of Lambda concurrency. */
export const LambdaConcurrencyLimit = message('LambdaConcurrencyLimit', {
  desired_account_limit: count(),
  reason: z.string(),
  contact_email: z.string().optional(),
});

/** A long-running operational request (docs/specification.md#change-requests). */
export const ChangeRequest = message('ChangeRequest', {
  request_id: z.string(),
  type: ChangeRequestType,
  status: ChangeRequestStatus,
  created_at: instant(),
  updated_at: instant(),
  closed_at: instant().optional(),
  aws_reference: AWSReference.optional(),
  summary: z.string().optional(),
  last_error: z.string().optional(),
  /** The payload of the request's type. */
  ses_sending_limit: SESSendingLimit.optional(),
  lambda_concurrency: LambdaConcurrencyLimit.optional(),
});
export type ChangeRequest = z.input<typeof ChangeRequest>;

/** An entry of a request's history, to which entries are only added. It never contains a contact address. */
export const ChangeRequestEvent = message('ChangeRequestEvent', {
  event_id: z.string(),
  request_id: z.string(),
  at: instant(),
  kind: ChangeRequestEventKind,
  message: z.string().optional(),
  details: z.record(z.string(), z.string()).default({}),
});
export type ChangeRequestEvent = z.input<typeof ChangeRequestEvent>;

const largest = 1_000_000_000;
const useCase = () => text({ min: 1, max: 5000, lines: true });
const sesFields = {
  desired_max_24h_send: integer({ min: 1, max: largest }).optional(),
  desired_max_send_rate_per_second: integer({ min: 1, max: largest }).optional(),
  website_url: z
    .url({ protocol: /^https?$/ })
    .refine((value) => value.length <= 1000, { error: 'must be at most 1000 characters' })
    .meta({ maxLength: 1000 })
    .optional(),
  contact_email: newEmailAddress().optional(),
};
const desiredAccountLimit = () => integer({ min: 1, max: 1_000_000 });

/**
 * The payload that a request of each type needs, and its field with the requested value. Both are required in
 * CreateChangeRequest.
 */
export const requestPayloads = {
  SES_MAX_24H_SEND_INCREASE: { name: 'ses_sending_limit', limit: 'desired_max_24h_send' },
  SES_MAX_SEND_RATE_INCREASE: { name: 'ses_sending_limit', limit: 'desired_max_send_rate_per_second' },
  LAMBDA_CONCURRENCY_INCREASE: { name: 'lambda_concurrency', limit: 'desired_account_limit' },
} as const satisfies { readonly [Type in ChangeRequestType]: object };

/** The payloads of CreateChangeRequest. A request has the payload of its type ({@link requestPayloads}). */
const payload = {
  ses_sending_limit: requestMessage({ use_case: useCase(), ...sesFields }, 'NewSESSendingLimit').optional(),
  lambda_concurrency: requestMessage(
    { desired_account_limit: desiredAccountLimit(), reason: useCase(), contact_email: newEmailAddress().optional() },
    'NewLambdaConcurrencyLimit',
  ).optional(),
};

/** The payload of ProvideChangeRequestInfo: the same fields, all optional. */
const furtherInformation = {
  ses_sending_limit: requestMessage({ use_case: useCase().optional(), ...sesFields }, 'FurtherSESSendingLimit').optional(),
  lambda_concurrency: requestMessage(
    { desired_account_limit: desiredAccountLimit().optional(), reason: useCase().optional(), contact_email: newEmailAddress().optional() },
    'FurtherLambdaConcurrencyLimit',
  ).optional(),
  comment: requestMessage({ text: useCase() }, 'ChangeRequestComment').optional(),
};

/** Days for which an idempotency key is kept. */
export const idempotencyKeyDays = 30;

/** The service /change-requests (docs/specification.md#change-requests). */
export const changeRequests = service({
  name: 'change-requests',
  summary: 'Long-running operational requests such as quota increases. A provider decides on them within minutes to days.',
  methods: {
    CreateChangeRequest: method({
      summary:
        'Creates a request, or by default returns the open one of the same type. The payload of the type is required, with the ' +
        'limit that the type asks for.',
      changes: true,
      request: {
        type: ChangeRequestType,
        /** A second call with the same key within {@link idempotencyKeyDays} returns the same request. */
        idempotency_key: text({ max: 128 }).optional(),
        conflict_behavior: ConflictBehavior.default('RETURN_EXISTING_OPEN'),
        ...payload,
      },
      response: { request: ChangeRequest, reused_existing_open: bool() },
      errors: ['already_exists', 'aborted'],
    }),
    GetChangeRequest: method({
      summary: 'Returns a request.',
      roles: ['READ_ONLY'],
      request: { request_id: reference() },
      response: { request: ChangeRequest },
      errors: ['not_found'],
    }),
    ListChangeRequests: method({
      summary: 'Lists requests, newest first.',
      roles: ['READ_ONLY'],
      request: { ...paging({ max: 200, default: 20 }), type: ChangeRequestType.optional(), status: listOf(ChangeRequestStatus, { max: 20 }) },
      response: { requests: list(ChangeRequest), ...nextPage },
    }),
    ListChangeRequestEvents: method({
      summary: "Lists a request's history, oldest first.",
      roles: ['READ_ONLY'],
      request: { request_id: reference(), ...paging({ max: 500, default: 50 }) },
      response: { events: list(ChangeRequestEvent), ...nextPage },
      errors: ['not_found'],
    }),
    ProvideChangeRequestInfo: method({
      summary: 'Gives information for a request in ACTION_REQUIRED, which is then submitted again.',
      changes: true,
      request: { request_id: reference(), ...furtherInformation },
      response: { request: ChangeRequest },
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
    CancelChangeRequest: method({
      summary: 'Cancels an open request.',
      changes: true,
      request: {
        request_id: reference(),
        /** The reason, which is stored for the audit trail. */
        reason: text({ max: 1000, lines: true }).optional(),
      },
      response: { request: ChangeRequest },
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
  },
});

/** A quota of an AWS service, by its codes at Service Quotas. */
export type Quota = { readonly service_code: string; readonly quota_code: string; readonly quota_name: string };

/**
 * The AWS quota whose increase a request of each type asks for (Amazon SES and AWS Lambda endpoints and quotas, AWS
 * General Reference).
 */
export const quotas: { readonly [Type in ChangeRequestType]: Quota } = {
  SES_MAX_24H_SEND_INCREASE: { service_code: 'ses', quota_code: 'L-804C8AE8', quota_name: 'Sending quota' },
  SES_MAX_SEND_RATE_INCREASE: { service_code: 'ses', quota_code: 'L-CDEF9B6B', quota_name: 'Sending rate' },
  LAMBDA_CONCURRENCY_INCREASE: { service_code: 'lambda', quota_code: 'L-B99A9384', quota_name: 'Concurrent executions' },
};
