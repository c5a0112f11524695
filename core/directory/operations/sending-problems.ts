import { sendingQuotaUse, type SESStatus } from '../../../contract/admin/status.ts';
import type { ProblemName } from '../../../contract/admin/problems.ts';

type SendingAccount = Omit<SESStatus, 'reputation'>;

type SendingProblem = Extract<ProblemName, 'SES_SANDBOX' | 'SENDING_PAUSED' | 'SES_ENFORCEMENT' | 'QUOTA_NEARLY_USED'>;

type Rule = (account: SendingAccount, isOpen: boolean) => boolean;

/** The problems of the AWS account at SES. Each begins and ends by these rules. @param isOpen whether it has begun. */
export const sendingProblems: Readonly<Record<SendingProblem, Rule>> = {
  SES_SANDBOX: ({ sandbox }) => sandbox === true,
  SENDING_PAUSED: ({ sending_enabled: isEnabled }) => isEnabled === false,
  SES_ENFORCEMENT: ({ enforcement_status: status = 'HEALTHY' }) => status !== 'HEALTHY',
  QUOTA_NEARLY_USED: ({ quota: { max_24h_send: max = 0, sent_last_24h: sent = 0 } }, isOpen) =>
    max > 0 && sent / max >= (isOpen ? sendingQuotaUse.end : sendingQuotaUse.begin),
};
