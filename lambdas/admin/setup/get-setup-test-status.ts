import { setup as contract, type TestMailStatus } from '../../../contract/admin/setup.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { notFound } from '../../../core/rpc/rpc-error.ts';
import { deliveryStatusOf, failureOf, type DeliveryFacts } from '../../../core/sending/submission/delivery-status.ts';
import type { SubmissionPart } from '../../../core/sending/submission/submission.ts';
import type { Submissions } from '../../../core/sending/submission/submissions.ts';

export type TestStatusDependencies = { readonly submissions: Pick<Submissions, 'findPart'> };

const statusOf = ({ state }: SubmissionPart, facts: DeliveryFacts): TestMailStatus => {
  const failure = failureOf(facts);
  if (failure && [facts.withheld, facts.refused, facts.unconfirmed].includes(failure)) return 'FAILED';
  if (facts.complained) return 'COMPLAINED';
  const { delivered } = deliveryStatusOf(facts);
  if (delivered === 'queued') return state === 'sent' ? 'SENT' : state === 'failed' ? 'FAILED' : 'QUEUED';
  return delivered === 'yes' ? 'DELIVERED' : 'BOUNCED';
};

/**
 * Implements GetSetupTestStatus. A submission of an account is not_found, because it is not a test mail of an operator.
 */
export const getSetupTestStatus = ({ submissions }: TestStatusDependencies) =>
  adminMethod(contract.methods.GetSetupTestStatus, {
    prefetch: ({ submission_id }) => submissions.findPart({ submission_id, part: 0 }),
    run: async ({ submission_id }, _call, found) => {
      const recipient = found?.part.recipients[0];
      if (!found || !recipient || found.submission.account_id !== undefined) throw notFound('test mail');
      const { part } = found;
      return {
        submission_id,
        status: statusOf(part, recipient.facts),
        recipient: recipient.address,
        message_id: part.sent?.provider_message_id ?? '',
        smtp_reply: deliveryStatusOf(recipient.facts).smtp_reply,
        sent_at: part.sent?.at,
      };
    },
  });
