import * as z from 'zod';
import { bool, count, list } from '../fields.ts';
import { message, method, service } from '../rpc.ts';

export const ReceivingReadiness = message('ReceivingReadiness', { has_domain: bool(), has_verified_domain: bool(), mx_configured: bool(), complete: bool() });

export const SendingReadiness = message('SendingReadiness', {
  /** SES's own sandbox: mail goes to verified addresses only. */
  sandbox: bool(),
  production_access_enabled: bool(),
  verified_identity_count: count(),
  has_verified_identity: bool(),
  complete: bool(),
});

export const TestReadiness = message('TestReadiness', { can_send_test: bool(), suggested_from_identity: z.string().optional(), complete: bool() });

export const HealthIssue = message('HealthIssue', {
  type: z.string(),
  severity: z.enum(['INFO', 'WARNING', 'CRITICAL']),
  title: z.string(),
  likely_cause: z.string(),
  suggested_action: z.string().optional(),
});
export type HealthIssue = z.input<typeof HealthIssue>;

export const IdentityReadiness = message('IdentityReadiness', { user_count: count(), account_count: count() });

/** How far the deployment is from a working mail service; a source that fails degrades its own section only. */
export const Readiness = message('Readiness', {
  complete: bool(),
  welcome_dismissed: bool(),
  receiving: ReceivingReadiness,
  sending: SendingReadiness,
  test: TestReadiness,
  health_issues: list(HealthIssue),
  identity: IdentityReadiness,
});
export type Readiness = z.input<typeof Readiness>;

/** Silences §2 "Setup". */
export const setup = service({
  name: 'setup',
  summary: 'What is left to do after a deployment.',
  methods: {
    GetReadiness: method({
      summary: 'How far the deployment is from a working mail service.',
      request: {},
      response: { readiness: Readiness },
    }),
    DismissWelcome: method({
      summary: 'Hides the welcome, or shows it again.',
      changes: true,
      request: { dismissed: bool() },
      response: {},
      errors: ['aborted'],
    }),
  },
});
