import type { DomainIdentity, EmailProvider } from '../../core/aws/ses/ses-email-provider.ts';
import { InvalidInput } from '../../core/runtime/domain-errors.ts';

/** An {@link EmailProvider} in memory. */
type MemoryEmailProvider = EmailProvider & {
  /** Registers a domain as another application of the AWS account would. */
  registerForeign(domain: string, attributes?: Partial<DomainIdentity>): void;
  /** Sets the domain's verification and DKIM status to SUCCESS. */
  verify(domain: string): void;
  /** The number of calls by operation. */
  readonly calls: { readonly [operation: string]: number };
};

const newIdentity = (domain: string): DomainIdentity => ({
  isOwn: true,
  verification_status: 'PENDING',
  dkim_status: 'PENDING',
  dkim_enabled: true,
  forwardsFeedback: true,
  dkimTokens: [1, 2, 3].map((index) => `token${index}${domain.length}`),
});

export const memoryEmailProvider = (): MemoryEmailProvider => {
  const domains = new Map<string, DomainIdentity>();
  const calls: { [operation: string]: number } = {};
  const count = (operation: string) => {
    calls[operation] = (calls[operation] ?? 0) + 1;
  };
  return {
    calls,
    registerForeign(domain, attributes = {}) {
      domains.set(domain, { ...newIdentity(domain), isOwn: false, ...attributes });
    },
    verify(domain) {
      const identity = domains.get(domain);
      if (identity) domains.set(domain, { ...identity, verification_status: 'SUCCESS', dkim_status: 'SUCCESS' });
    },
    async createDomain(domain) {
      count('createDomain');
      if (domain === 'refused.test') throw new InvalidInput('the sending provider refuses this domain name');
      const identity = domains.get(domain) ?? newIdentity(domain);
      domains.set(domain, identity);
      return identity;
    },
    async setMailFrom(domain, mailFromDomain) {
      count('setMailFrom');
      const identity = domains.get(domain);
      if (!identity) throw new Error('no such identity');
      domains.set(domain, { ...identity, mail_from_domain: mailFromDomain });
    },
    async stopFeedbackForwarding(domain) {
      count('stopFeedbackForwarding');
      const identity = domains.get(domain);
      if (!identity) throw new Error('no such identity');
      domains.set(domain, { ...identity, forwardsFeedback: false });
    },
    async findDomain(domain) {
      count('findDomain');
      return domains.get(domain);
    },
    async removeDomain(domain) {
      count('removeDomain');
      if (domains.get(domain)?.isOwn) domains.delete(domain);
    },
    async accountStatus() {
      count('accountStatus');
      return {
        production_access_enabled: true,
        sandbox: false,
        sending_enabled: true,
        enforcement_status: 'HEALTHY',
        quota: { max_24h_send: 200, sent_last_24h: 50, remaining_24h_send: 150, max_send_rate_per_second: 1 },
      };
    },
  };
};
