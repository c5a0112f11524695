import * as z from 'zod';
import { message, method, service } from '../rpc/rpc.ts';
import { bool, count, enumeration, instant, list, reference } from '../values/fields.ts';

/** The completed steps to receiving mail. */
export const ReceivingReadiness = message('ReceivingReadiness', { has_domain: bool(), has_verified_domain: bool(), mx_configured: bool(), complete: bool() });

/** The completed steps to sending mail. */
export const SendingReadiness = message('SendingReadiness', {
  /** Whether the account is in the SES sandbox, so that SES delivers only to verified addresses. */
  sandbox: bool(),
  production_access_enabled: bool(),
  verified_identity_count: count(),
  has_verified_identity: bool(),
  complete: bool(),
});

/** Whether a test mail can be sent, and whether one was sent. */
export const TestReadiness = message('TestReadiness', { can_send_test: bool(), suggested_from_identity: z.string().optional(), complete: bool() });

/** A problem of the deployment, with its likely cause and the action for an operator. */
export const HealthIssue = message('HealthIssue', {
  type: z.string(),
  severity: z.enum(['INFO', 'WARNING', 'CRITICAL']),
  title: z.string(),
  likely_cause: z.string(),
  suggested_action: z.string().optional(),
});
export type HealthIssue = z.input<typeof HealthIssue>;

/** The number of users and accounts. */
export const IdentityReadiness = message('IdentityReadiness', { user_count: count(), account_count: count() });

/**
 * The steps to a working mail service, and whether each is complete. If a source fails, only its own section is
 * affected.
 */
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

/**
 * The outcome of a test mail. QUEUED: not sent yet. SENT: the provider accepted it. DELIVERED: the recipient's server
 * accepted it. BOUNCED: it was returned. COMPLAINED: the recipient reported it as spam. FAILED: it was not sent.
 */
export const TestMailStatus = enumeration('TestMailStatus', ['QUEUED', 'SENT', 'DELIVERED', 'BOUNCED', 'COMPLAINED', 'FAILED']);
export type TestMailStatus = z.output<typeof TestMailStatus>;

/** The service /setup (docs/specification.md#setup). */
export const setup = service({
  name: 'setup',
  summary: 'The steps that remain after a deployment.',
  methods: {
    GetReadiness: method({
      summary: 'Returns which steps to a working mail service are complete, and the problems of the deployment.',
      roles: ['HELPDESK', 'READ_ONLY'],
      request: {},
      response: { readiness: Readiness },
    }),
    GetSetupTestStatus: method({
      summary: 'Returns what became of a test mail, by the submission_id of SendTestEmail.',
      roles: ['READ_ONLY'],
      request: { submission_id: reference() },
      response: {
        submission_id: z.string(),
        status: TestMailStatus,
        recipient: z.string(),
        /** The provider's id; empty until the mail is sent. */
        message_id: z.string(),
        /** The last reply of the recipient's server, or the reason why the mail was not sent. */
        smtp_reply: z.string(),
        /** The time at which the provider accepted the mail. */
        sent_at: instant().optional(),
      },
      errors: ['not_found'],
    }),
    DismissWelcome: method({
      summary: 'Hides the welcome message of the console, or shows it again.',
      changes: true,
      request: { dismissed: bool() },
      response: {},
      errors: ['aborted'],
    }),
  },
});
