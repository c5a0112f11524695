import type { SESStatus } from '../../../contract/admin/status.ts';
import type { VerificationStatus } from '../../../contract/admin/domains.ts';

/** A domain as the sending provider knows it now. */
export type DomainIdentity = {
  readonly verification_status: VerificationStatus;
  readonly dkim_status: VerificationStatus;
  readonly dkim_enabled: boolean;
  /** Three, once the provider has made them; `<token>._domainkey.<domain>` is to be a CNAME. */
  readonly dkimTokens: readonly string[];
  readonly mail_from_domain?: string;
};

/** Who sends our mail. Adapter: `ses-email-provider.ts`; the fake in `test/fakes/` passes the same suite. */
export type EmailProvider = {
  /**
   * Registers a domain; one that is there already is answered as it is.
   * @throws InvalidInput for a name that the provider does not take, LimitReached when it takes no more domains.
   */
  createDomain(domain: string): Promise<DomainIdentity>;
  /** Sets the subdomain that bounces come back to; mail goes out without it while its records are missing. */
  setMailFrom(domain: string, mailFromDomain: string): Promise<void>;
  /** Undefined when the provider does not know the domain. */
  findDomain(domain: string): Promise<DomainIdentity | undefined>;
  /** Nothing when the provider does not know the domain. */
  removeDomain(domain: string): Promise<void>;
  /** How the AWS account stands with the provider; its reputation is told by metrics. */
  accountStatus(): Promise<Omit<SESStatus, 'reputation'>>;
};
