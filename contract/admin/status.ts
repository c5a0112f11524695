import * as z from 'zod';
import { bool, count, decimal } from '../fields.ts';
import { message, method, service } from '../rpc.ts';

/** What SES allows and has seen in the last 24 hours (GetAccount). Counts are of recipients. */
export const SESQuota = message('SESQuota', {
  max_24h_send: decimal().optional(),
  sent_last_24h: decimal().optional(),
  remaining_24h_send: decimal().optional(),
  max_send_rate_per_second: decimal().optional(),
});

/** Shares between 0 and 1 of the mail of late, as SES reckons them; absent while SES has no figure. */
export const SESReputation = message('SESReputation', {
  bounce_rate: decimal().optional(),
  complaint_rate: decimal().optional(),
});

/** The deployment's standing with SES. Everything is absent while SES can't be asked. */
export const SESStatus = message('SESStatus', {
  production_access_enabled: bool().optional(),
  /** SES's own sandbox: mail goes to verified addresses only. */
  sandbox: bool().optional(),
  sending_enabled: bool().optional(),
  /** HEALTHY, PROBATION or SHUTDOWN, as SES spells it. */
  enforcement_status: z.string().optional(),
  quota: SESQuota,
  reputation: SESReputation,
});
export type SESStatus = z.input<typeof SESStatus>;

/** How many Lambdas may run at once in this region. Everything is absent while Lambda can't be asked. */
export const LambdaConcurrency = message('LambdaConcurrency', {
  account_limit: count().optional(),
  unreserved_concurrency: count().optional(),
  /** The limit is so low that mail and calls could be throttled by each other. */
  near_limit: bool().optional(),
  warning: z.string().optional(),
});
export type LambdaConcurrency = z.input<typeof LambdaConcurrency>;

/** The deployment at a glance (docs/choices.md §2 "Status"); a source that fails leaves its own part empty. */
export const Status = message('Status', {
  aws_account_id: z.string().optional(),
  aws_region: z.string().optional(),
  /** Primary address of the person who calls; absent for a machine. */
  caller_email: z.string().optional(),
  ses: SESStatus,
  lambda_concurrency: LambdaConcurrency,
});
export type Status = z.input<typeof Status>;

/** Spec: Status. */
export const status = service({
  name: 'status',
  summary: 'Whether the service answers, and how it stands with its provider.',
  methods: {
    Ping: method({
      summary: 'Answers. Needs an admin principal and no particular scope.',
      request: {},
      response: {},
      needsScope: false,
    }),
    GetStatus: method({
      summary: 'Standing with SES and Lambda. A source that fails degrades its own part only.',
      request: {},
      response: { status: Status },
    }),
  },
});
