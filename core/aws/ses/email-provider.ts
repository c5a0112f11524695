import type { SESStatus } from '../../../contract/admin/status.ts';
import type { VerificationStatus } from '../../../contract/admin/domains.ts';

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

/**
 * Domains at the sending provider, and our account there. Adapter: `ses-email-provider.ts`; the fake in `test/fakes/`
 * passes the same suite.
 */
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
