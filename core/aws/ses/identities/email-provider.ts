import type { SESStatus } from '../../../../contract/admin/status.ts';
import type { VerificationStatus } from '../../../../contract/admin/domains.ts';

/** A domain as the sending provider knows it now. */
export type DomainIdentity = {
  readonly verification_status: VerificationStatus;
  readonly dkim_status: VerificationStatus;
  readonly dkim_enabled: boolean;
  /** Three tokens once the provider has created them. Each is for a CNAME at `<token>._domainkey.<domain>`. */
  readonly dkimTokens: readonly string[];
  readonly mail_from_domain?: string;
  /** Whether the provider also reports bounces and complaints by mail to the sender. */
  readonly forwardsFeedback: boolean;
  /** Whether this deployment registered it. Another application may use an identity that it did not register. */
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
   * Sets the MAIL FROM subdomain, which bounces are sent to. While its DNS records are missing, mail is sent without
   * it.
   */
  setMailFrom(domain: string, mailFromDomain: string): Promise<void>;
  /** Stops reports of bounces and complaints by mail. They are still events of the configuration set. */
  stopFeedbackForwarding(domain: string): Promise<void>;
  /** Undefined when the provider does not know the domain. */
  findDomain(domain: string): Promise<DomainIdentity | undefined>;
  /** Removes the domain. An unknown domain is ignored. */
  removeDomain(domain: string): Promise<void>;
  /** The sending status and quotas of the AWS account. The reputation is read from metrics instead. */
  accountStatus(): Promise<Omit<SESStatus, 'reputation'>>;
};
