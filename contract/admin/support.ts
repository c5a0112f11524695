import * as z from 'zod';
import { message, method, service } from '../rpc/rpc.ts';
import { bool, enumeration, instant, integer, list, listOf, reference, text, timestamp } from '../values/fields.ts';

/**
 * A support tier: the data that a supporter may read. DIAG: diagnostics. CONFIG_READ: also configuration. Each tier is
 * an IAM role of the deployment.
 */
export const RoleTier = enumeration('RoleTier', ['DIAG', 'CONFIG_READ']);
export type RoleTier = z.output<typeof RoleTier>;

/** Limits and defaults of the seconds for which access lasts (docs/specification.md#support). */
export const activation = { min: 300, max: 604_800, defaultOnOpen: 259_200, defaultOnReactivation: 86_400 } as const;

/** A support case. It grants access while it is open, to the allowed tiers, until active_until. */
export const SupportCase = message('SupportCase', {
  case_id: z.string(),
  /** The external id in the role's trust policy, which is equal to case_id. */
  external_id: z.string(),
  status: z.enum(['open', 'closed']),
  subject: z.string(),
  description: z.string().optional(),
  allowed_tiers: list(RoleTier),
  active_until: instant(),
  opened_at: instant(),
  opened_by: z.string(),
  closed_at: instant().optional(),
  closed_by: z.string().optional(),
});
export type SupportCase = z.input<typeof SupportCase>;

/** An assumption of a support role for a case. */
export const SupportRoleAssumption = message('SupportRoleAssumption', {
  event_id: z.string(),
  event_time: instant(),
  assuming_principal: z.string(),
  role_session_name: z.string(),
  source_ip_address: z.string(),
  role_assumed: z.string(),
  external_id: z.string().optional(),
});

const allowedTiers = () => listOf(RoleTier, { max: 10 });
const activationSeconds = () => integer(activation).optional();

/** The service /support (docs/specification.md#support). */
export const support = service({
  name: 'support',
  summary: 'Support cases and role-based support access.',
  methods: {
    OpenSupportCase: method({
      summary: 'Opens a case. Without tiers it grants no access until SetSupportCaseTiers sets some.',
      changes: true,
      request: {
        subject: text({ max: 512 }),
        description: text({ min: 0, max: 10_000, lines: true }).optional(),
        allowed_tiers: allowedTiers(),
        /** Seconds for which access lasts. Default: {@link activation}.defaultOnOpen. */
        activation_seconds: activationSeconds(),
      },
      response: { case_id: z.string() },
      errors: ['failed_precondition', 'aborted'],
    }),
    CloseSupportCase: method({
      summary: 'Closes the case and revokes access at once, running sessions included. Closing a closed case does nothing.',
      changes: true,
      request: { case_id: reference() },
      response: {},
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
    ListSupportCases: method({ summary: 'Lists all cases.', request: {}, response: { cases: list(SupportCase) } }),
    SetSupportCaseTiers: method({
      summary:
        'Replaces the tiers of an open case. An empty list revokes access without closing the case. A removed tier loses ' +
        'access at once, running sessions included.',
      changes: true,
      request: {
        case_id: reference(),
        allowed_tiers: allowedTiers(),
        /**
         * Seconds for which access lasts from now. Default: an active case keeps its window, and a lapsed case gets
         * {@link activation}.defaultOnReactivation.
         */
        activation_seconds: activationSeconds(),
      },
      response: { case: SupportCase },
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
    SetSupportCaseActiveUntil: method({
      summary: 'Extends access to at most 7 days from now, or ends it with a time that is not in the future. Sessions end with access.',
      changes: true,
      request: { case_id: reference(), active_until: timestamp() },
      response: { case: SupportCase },
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
    ListSupportRoleAssumptions: method({
      summary: 'Lists the role assumptions of the case: archived and live events together, each once.',
      request: { case_id: reference() },
      response: {
        assumptions: list(SupportRoleAssumption),
        /** False when the live lookup failed, or may lack events, which arrive up to about 15 minutes late. */
        live_lookup_complete: bool(),
      },
      errors: ['not_found'],
    }),
  },
});
