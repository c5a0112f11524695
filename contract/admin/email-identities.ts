import * as z from 'zod';
import { message, method, service } from '../rpc/rpc.ts';
import { emailAddress, instant, list, newEmailAddress, nextPage, paging } from '../values/fields.ts';

/** A single sender address. The status on the wire keeps its prefix (docs/specification.md#email-identities). */
export const EmailIdentity = message('EmailIdentity', {
  email: z.string(),
  verification_status: z.enum(['VERIFICATION_STATUS_PENDING', 'VERIFICATION_STATUS_SUCCESS', 'VERIFICATION_STATUS_FAILED']),
  identity_id: z.string(),
  created_at: instant(),
});
export type EmailIdentity = z.input<typeof EmailIdentity>;

/** The service /email-identities (docs/specification.md#email-identities). */
export const emailIdentities = service({
  name: 'email-identities',
  summary: 'Single sender addresses, verified by a link that the provider mails to them.',
  methods: {
    AddEmailIdentity: method({
      summary: 'Registers the address with the sending provider, which sends it a verification mail.',
      changes: true,
      request: { email: newEmailAddress() },
      response: { identity: EmailIdentity },
      errors: ['already_exists', 'aborted', 'resource_exhausted'],
    }),
    ListEmailIdentities: method({
      summary: 'Lists the registered addresses with their verification status.',
      roles: ['HELPDESK', 'READ_ONLY'],
      request: paging({ max: 100, default: 50 }),
      response: { identities: list(EmailIdentity), ...nextPage },
    }),
    RemoveEmailIdentity: method({
      summary: 'Removes the address. This cannot be undone. An address that another application registered in SES stays: failed_precondition.',
      changes: true,
      request: { email: emailAddress() },
      response: {},
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
    ResendVerificationEmail: method({
      summary: 'Makes the provider send the verification mail again.',
      changes: true,
      request: { email: emailAddress() },
      response: {},
      errors: ['not_found', 'failed_precondition', 'aborted', 'resource_exhausted'],
    }),
  },
});
