import {
  AlreadyExistsException, BadRequestException, CreateEmailIdentityCommand, DeleteEmailIdentityCommand,
  GetAccountCommand, GetEmailIdentityCommand,
  LimitExceededException, NotFoundException, PutEmailIdentityFeedbackAttributesCommand, PutEmailIdentityMailFromAttributesCommand,
  SESv2Client, type DkimAttributes, type GetEmailIdentityResponse,
} from '@aws-sdk/client-sesv2';
import type { VerificationStatus } from '../../../../contract/admin/domains.ts';
import { InvalidInput, LimitReached } from '../../../runtime/domain-errors.ts';
import { clientTimeouts } from '../../client/client-timeouts.ts';
import { valueOnError } from '../../client/provider-errors.ts';
import { deploymentTag } from '../../../../contract/deployment/sending.ts';
import type { DomainIdentity, EmailProvider } from './email-provider.ts';

/** Maps SES's verification status: every status that is not final is PENDING. */
export const verificationStatus = (
  status: string | undefined,
): VerificationStatus => (status === 'SUCCESS' || status === 'FAILED' ? status : 'PENDING');

const dkimOf = (dkim: DkimAttributes | undefined) => ({
  dkim_status: verificationStatus(dkim?.Status), dkim_enabled: dkim?.SigningEnabled ?? false, dkimTokens: dkim?.Tokens ?? [],
});

const identityOf = (found: GetEmailIdentityResponse, deployment: string): DomainIdentity => ({
  isOwn: (found.Tags ?? []).some(({ Key: key, Value: value }) => key === deploymentTag && value === deployment),
  verification_status: verificationStatus(found.VerificationStatus ?? (found.VerifiedForSendingStatus ? 'SUCCESS' : undefined)),
  ...dkimOf(found.DkimAttributes),
  mail_from_domain: found.MailFromAttributes?.MailFromDomain || undefined,
  forwardsFeedback: found.FeedbackForwardingStatus ?? true,
});

/** Maps permanent refusals of SES to domain errors, and keeps other errors. */
const toDomainError = (error: unknown): unknown => {
  if (error instanceof BadRequestException) return new InvalidInput('the sending provider refuses this domain name');
  if (error instanceof LimitExceededException) return new LimitReached('the sending provider\'s limit of domains is reached');
  return error;
};

/**
 * {@link EmailProvider} in Amazon SES (API v2). Domains are verified by Easy DKIM.
 * @param deployment the value of the tag on identities that this deployment registers. A caller that registers and
 * removes none passes nothing.
 */
export const sesEmailProvider = (deployment = '', client = new SESv2Client(clientTimeouts)): EmailProvider => {
  const findDomain = async (domain: string): Promise<DomainIdentity | undefined> => {
    const identity = await valueOnError(NotFoundException, undefined, client.send(new GetEmailIdentityCommand({ EmailIdentity: domain })));
    return identity && identityOf(identity, deployment);
  };

  return {
    findDomain,
    async createDomain(domain) {
      try {
        const created = await client.send(new CreateEmailIdentityCommand({
          EmailIdentity: domain, Tags: [{ Key: deploymentTag, Value: deployment }],
        }));
        return {
          isOwn: true, verification_status: created.VerifiedForSendingStatus ? 'SUCCESS' : 'PENDING', ...dkimOf(created.DkimAttributes),
          // SES's default for a new identity.
          forwardsFeedback: true,
        };
      } catch (error) {
        const existing = error instanceof AlreadyExistsException ? await findDomain(domain) : undefined;
        if (existing) return existing;
        throw toDomainError(error);
      }
    },
    async setMailFrom(domain, mailFromDomain) {
      await client.send(new PutEmailIdentityMailFromAttributesCommand({
        EmailIdentity: domain, MailFromDomain: mailFromDomain, BehaviorOnMxFailure: 'USE_DEFAULT_VALUE',
      })).catch((error: unknown) => {
        throw toDomainError(error);
      });
    },
    async stopFeedbackForwarding(domain) {
      await client.send(new PutEmailIdentityFeedbackAttributesCommand({ EmailIdentity: domain, EmailForwardingEnabled: false }));
    },
    async removeDomain(domain) {
      await valueOnError(NotFoundException, undefined, client.send(new DeleteEmailIdentityCommand({ EmailIdentity: domain })));
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
          // SES returns -1 for no limit.
          remaining_24h_send: max === undefined || sent === undefined || max < 0 ? undefined : Math.max(0, max - sent),
          max_send_rate_per_second: rate,
        },
      };
    },
  };
};
