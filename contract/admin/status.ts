import * as z from 'zod';
import { message, method, service } from '../rpc/rpc.ts';
import { bool, count, decimal, instant, list, nextPage, paging } from '../values/fields.ts';
import { Problem } from './problems.ts';
import { AdminRole } from './users.ts';

/** The sending quota and its use in the last 24 hours, from SES GetAccount. SES counts recipients, not messages. */
export const SESQuota = message('SESQuota', {
  max_24h_send: decimal().optional(),
  sent_last_24h: decimal().optional(),
  remaining_24h_send: decimal().optional(),
  max_send_rate_per_second: decimal().optional(),
});

/**
 * The bounce and complaint rates that SES calculates, as fractions from 0 to 1. Absent while SES publishes no rate, and when
 * the AWS account sent fewer than 100 messages in two weeks.
 */
export const SESReputation = message('SESReputation', { bounce_rate: decimal().optional(), complaint_rate: decimal().optional() });

/**
 * The rates at which SES reviews an account, and may pause its sending
 * (https://docs.aws.amazon.com/ses/latest/dg/reputationdashboardmessages.html).
 */
export const reputationLimits = { bounce_rate: { review: 0.05, pause: 0.1 }, complaint_rate: { review: 0.001, pause: 0.005 } } as const satisfies {
  readonly [Rate in keyof z.output<typeof SESReputation>]-?: object;
};

/** The SES account status. The fields are absent if the call to SES fails. */
export const SESStatus = message('SESStatus', {
  production_access_enabled: bool().optional(),
  /** Whether the account is in the SES sandbox, so that SES delivers only to verified addresses. */
  sandbox: bool().optional(),
  sending_enabled: bool().optional(),
  /** The enforcement status of SES: HEALTHY, PROBATION or SHUTDOWN. */
  enforcement_status: z.string().optional(),
  quota: SESQuota,
  reputation: SESReputation,
});
export type SESStatus = z.input<typeof SESStatus>;

/** The limits on concurrent Lambda invocations in this region. The fields are absent if the call to Lambda fails. */
export const LambdaConcurrency = message('LambdaConcurrency', {
  account_limit: count().optional(),
  unreserved_concurrency: count().optional(),
  /** Whether the limit is so low that incoming mail and API calls may throttle each other. */
  near_limit: bool().optional(),
  warning: z.string().optional(),
});
export type LambdaConcurrency = z.input<typeof LambdaConcurrency>;

/** The status of the deployment. If a source fails, only its own part is empty (docs/specification.md#status). */
export const Status = message('Status', {
  aws_account_id: z.string().optional(),
  aws_region: z.string().optional(),
  /** Primary address of the calling user; absent for a headless client. */
  caller_email: z.string().optional(),
  ses: SESStatus,
  lambda_concurrency: LambdaConcurrency,
});
export type Status = z.input<typeof Status>;

/** The caller: a user, or a headless client, which has no name and no address. */
export const Caller = message('Caller', {
  /** The id of the user, or the client id. */
  principal_id: z.string(),
  name: z.string().optional(),
  email: z.string().optional(),
  admin_role: AdminRole,
});

/** The service /status (docs/specification.md#status). */
export const status = service({
  name: 'status',
  summary: 'Whether the service responds, the status of the AWS account at SES and Lambda, and the problems of the deployment.',
  methods: {
    Ping: method({
      summary: 'Returns an empty response. The caller must be an admin; no particular scope is needed.',
      roles: ['HELPDESK', 'READ_ONLY'],
      request: {},
      response: {},
      needsScope: false,
    }),
    GetCaller: method({ summary: 'Returns who calls, and in which role.', roles: ['HELPDESK', 'READ_ONLY'], request: {}, response: { caller: Caller } }),
    GetStatus: method({
      summary: 'Returns the SES account status and the Lambda concurrency limits. If a source fails, only its own part is empty.',
      roles: ['HELPDESK', 'READ_ONLY'],
      request: {},
      response: { status: Status },
    }),
    ListProblems: method({
      summary: 'Lists the problems of the deployment, ordered by name and subject.',
      roles: ['HELPDESK', 'READ_ONLY'],
      request: paging({ max: 100, default: 50 }),
      response: {
        problems: list(Problem),
        /** The begin of the last complete run of the watch, which runs every 5 minutes. Absent before the first. */
        watched_at: instant().optional(),
        /** Whether the caller gets mail when a problem begins or ends. */
        is_subscribed: bool(),
        /** Whether anybody is notified: a subscribed admin, or the address of the setting `alarmEmail`. */
        is_anybody_notified: bool(),
        ...nextPage,
      },
    }),
    SubscribeToProblems: method({
      summary: 'Subscribes the calling admin to mail about problems, or ends the subscription.',
      changes: true,
      roles: ['HELPDESK'],
      request: { subscribed: bool() },
      response: {},
      errors: ['failed_precondition', 'aborted'],
    }),
  },
});
