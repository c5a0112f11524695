import {
  AlreadyExistsException,
  BadRequestException,
  CreateEmailIdentityCommand,
  DeleteEmailIdentityCommand,
  GetAccountCommand,
  GetEmailIdentityCommand,
  LimitExceededException,
  NotFoundException,
  PutEmailIdentityFeedbackAttributesCommand,
  PutEmailIdentityMailFromAttributesCommand,
  SESv2Client,
  type DkimAttributes,
  type GetEmailIdentityResponse,
} from '@aws-sdk/client-sesv2';
import type { VerificationStatus } from '../../../contract/admin/domains.ts';
import type { SESStatus } from '../../../contract/admin/status.ts';
import { deploymentTag } from '../../../contract/deployment/sending.ts';
import { FailedPrecondition, InvalidInput, LimitReached } from '../../runtime/domain-errors.ts';
import { namingErrors, clientTimeouts } from '../../runtime/sdk-client.ts';
import { valueOnError } from '../provider-errors.ts';

/** The current state of a domain at the sending provider. */
export type DomainIdentity = {
  readonly verification_status: VerificationStatus;
  readonly dkim_status: VerificationStatus;
  readonly dkim_enabled: boolean;
  /** Three tokens, once the provider has created them. Each is part of a CNAME at `<token>._domainkey.<domain>`. */
  readonly dkimTokens: readonly string[];
  readonly mail_from_domain?: string;
  /** Whether the provider also reports bounces and complaints by mail to the sender. */
  readonly forwardsFeedback: boolean;
  /**
   * Whether this deployment registered the domain. Another application may use a domain that this deployment did not
   * register.
   */
  readonly isOwn: boolean;
};

/** Domains at the sending provider, and our account there. The fake in `test/fakes/` passes the same suite. */
export type EmailProvider = {
  /**
   * Registers a domain and marks it as registered by this deployment. An existing domain is returned unchanged.
   * @throws InvalidInput for a name that the provider refuses, LimitReached at the provider's limit of domains.
   */
  createDomain(domain: string): Promise<DomainIdentity>;
  /**
   * Sets the MAIL FROM subdomain, to which bounces are sent. Mail is sent without the subdomain until its DNS records
   * exist.
   */
  setMailFrom(domain: string, mailFromDomain: string): Promise<void>;
  /** Stops SES from mailing reports of bounces and complaints. The configuration set still publishes them as events. */
  stopFeedbackForwarding(domain: string): Promise<void>;
  /** Finds a domain. @returns undefined when the provider does not know the domain. */
  findDomain(domain: string): Promise<DomainIdentity | undefined>;
  /** Removes the domain. An unknown domain is ignored, and the domain of another application stays. */
  removeDomain(domain: string): Promise<void>;
  /** Reads the sending status and quotas of the AWS account. The reputation is read from metrics instead. */
  accountStatus(): Promise<Omit<SESStatus, 'reputation'>>;
};

/** Maps SES's verification status. Every status that may still change becomes PENDING. */
export const verificationStatus = (status: string | undefined): VerificationStatus => (status === 'SUCCESS' || status === 'FAILED' ? status : 'PENDING');

/** Whether the deployment registered the identity. Its role may change and delete no other identity. */
export const isTagged = ({ Tags: tags = [] }: Pick<GetEmailIdentityResponse, 'Tags'>, deployment: string): boolean =>
  tags.some(({ Key: key, Value: value }) => key === deploymentTag && value === deployment);

/** The refusal to change or delete an identity without the deployment's tag. It says how an operator gives it the tag. */
export const foreignIdentity = (name: string, deployment: string): FailedPrecondition =>
  new FailedPrecondition(
    `SES in this AWS account has an identity ${name} that this deployment did not register. Another application may use it, so it ` +
      `stays unchanged. If it belongs to this deployment, give it the tag ${deploymentTag}=${deployment} with aws sesv2 tag-resource`,
  );

const dkimOf = (dkim: DkimAttributes | undefined) => ({
  dkim_status: verificationStatus(dkim?.Status),
  dkim_enabled: dkim?.SigningEnabled ?? false,
  dkimTokens: dkim?.Tokens ?? [],
});

const identityOf = (found: GetEmailIdentityResponse, deployment: string): DomainIdentity => ({
  isOwn: isTagged(found, deployment),
  verification_status: verificationStatus(found.VerificationStatus ?? (found.VerifiedForSendingStatus ? 'SUCCESS' : undefined)),
  ...dkimOf(found.DkimAttributes),
  mail_from_domain: found.MailFromAttributes?.MailFromDomain || undefined,
  forwardsFeedback: found.FeedbackForwardingStatus ?? true,
});

/** Maps an error of a permanent refusal by SES to a domain error. Other errors are returned unchanged. */
const toDomainError = (error: unknown): unknown => {
  if (error instanceof BadRequestException) return new InvalidInput('the sending provider refuses this domain name');
  if (error instanceof LimitExceededException) return new LimitReached("the sending provider's limit of domains is reached");
  return error;
};

/**
 * {@link EmailProvider} in Amazon SES (API v2). Domains are verified by Easy DKIM.
 * @param deployment the value of the tag on identities that this deployment registers. A caller that neither registers
 * nor removes domains leaves it out.
 */
export const sesEmailProvider = (deployment = '', client = namingErrors(new SESv2Client(clientTimeouts))): EmailProvider => {
  const findDomain = async (domain: string): Promise<DomainIdentity | undefined> => {
    const identity = await valueOnError(NotFoundException, undefined, client.send(new GetEmailIdentityCommand({ EmailIdentity: domain })));
    return identity && identityOf(identity, deployment);
  };

  return {
    findDomain,
    async createDomain(domain) {
      try {
        const created = await client.send(new CreateEmailIdentityCommand({ EmailIdentity: domain, Tags: [{ Key: deploymentTag, Value: deployment }] }));
        return {
          isOwn: true,
          verification_status: created.VerifiedForSendingStatus ? 'SUCCESS' : 'PENDING',
          ...dkimOf(created.DkimAttributes),
          // This is SES's default for a new identity.
          forwardsFeedback: true,
        };
      } catch (error) {
        const existing = error instanceof AlreadyExistsException ? await findDomain(domain) : undefined;
        if (existing) return existing;
        throw toDomainError(error);
      }
    },
    async setMailFrom(domain, mailFromDomain) {
      await client
        .send(
          new PutEmailIdentityMailFromAttributesCommand({ EmailIdentity: domain, MailFromDomain: mailFromDomain, BehaviorOnMxFailure: 'USE_DEFAULT_VALUE' }),
        )
        .catch((error: unknown) => {
          throw toDomainError(error);
        });
    },
    async stopFeedbackForwarding(domain) {
      await client.send(new PutEmailIdentityFeedbackAttributesCommand({ EmailIdentity: domain, EmailForwardingEnabled: false }));
    },
    async removeDomain(domain) {
      const identity = await findDomain(domain);
      if (identity?.isOwn) await valueOnError(NotFoundException, undefined, client.send(new DeleteEmailIdentityCommand({ EmailIdentity: domain })));
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
          // SES returns -1 when there is no limit.
          remaining_24h_send: max === undefined || sent === undefined || max < 0 ? undefined : Math.max(0, max - sent),
          max_send_rate_per_second: rate,
        },
      };
    },
  };
};
