import {
  AlreadyExistsException, BadRequestException, CreateEmailIdentityCommand, DeleteEmailIdentityCommand, GetAccountCommand, GetEmailIdentityCommand,
  LimitExceededException, NotFoundException, PutEmailIdentityMailFromAttributesCommand, SESv2Client, type DkimAttributes, type GetEmailIdentityResponse,
} from '@aws-sdk/client-sesv2';
import { InvalidInput, LimitReached } from '../../runtime/domain-errors.ts';
import type { DomainIdentity, EmailProvider } from './email-provider.ts';
import { clientTimeouts } from '../client-timeouts.ts';
import { insteadOf, statusOf } from './ses-responses.ts';

const dkimOf = (dkim: DkimAttributes | undefined) => ({
  dkim_status: statusOf(dkim?.Status), dkim_enabled: dkim?.SigningEnabled ?? false, dkimTokens: dkim?.Tokens ?? [],
});

const identityOf = (found: GetEmailIdentityResponse): DomainIdentity => ({
  verification_status: statusOf(found.VerificationStatus ?? (found.VerifiedForSendingStatus ? 'SUCCESS' : undefined)),
  ...dkimOf(found.DkimAttributes),
  mail_from_domain: found.MailFromAttributes?.MailFromDomain || undefined,
});

/** Our error for what SES refuses for good; anything else as it is. */
const refusal = (error: unknown): unknown => {
  if (error instanceof BadRequestException) return new InvalidInput('the sending provider does not take this domain name');
  if (error instanceof LimitExceededException) return new LimitReached('the sending provider takes no more domains');
  return error;
};

/** Amazon SES by its API v2. Domains are verified by Easy DKIM. */
export const sesEmailProvider = (client = new SESv2Client(clientTimeouts)): EmailProvider => {
  const findDomain = async (domain: string): Promise<DomainIdentity | undefined> => {
    const found = await insteadOf(NotFoundException, undefined, client.send(new GetEmailIdentityCommand({ EmailIdentity: domain })));
    return found && identityOf(found);
  };

  return {
    findDomain,
    async createDomain(domain) {
      try {
        const made = await client.send(new CreateEmailIdentityCommand({ EmailIdentity: domain }));
        return { verification_status: made.VerifiedForSendingStatus ? 'SUCCESS' : 'PENDING', ...dkimOf(made.DkimAttributes) };
      } catch (error) {
        const existing = error instanceof AlreadyExistsException ? await findDomain(domain) : undefined;
        if (existing) return existing;
        throw refusal(error);
      }
    },
    async setMailFrom(domain, mailFromDomain) {
      await client.send(new PutEmailIdentityMailFromAttributesCommand({
        EmailIdentity: domain, MailFromDomain: mailFromDomain, BehaviorOnMxFailure: 'USE_DEFAULT_VALUE',
      })).catch((error: unknown) => {
        throw refusal(error);
      });
    },
    async removeDomain(domain) {
      await insteadOf(NotFoundException, undefined, client.send(new DeleteEmailIdentityCommand({ EmailIdentity: domain })));
    },
    async accountStatus() {
      const account = await client.send(new GetAccountCommand({}));
      const { Max24HourSend: max, SentLast24Hours: sent, MaxSendRate: rate } = account.SendQuota ?? {};
      return {
        production_access_enabled: account.ProductionAccessEnabled,
        sandbox: account.ProductionAccessEnabled === undefined ? undefined : !account.ProductionAccessEnabled,
        sending_enabled: account.SendingEnabled,
        enforcement_status: account.EnforcementStatus,
        quota: {
          max_24h_send: max,
          sent_last_24h: sent,
          // SES says -1 for a quota without a limit.
          remaining_24h_send: max === undefined || sent === undefined || max < 0 ? undefined : Math.max(0, max - sent),
          max_send_rate_per_second: rate,
        },
      };
    },
  };
};
