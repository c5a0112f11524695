import type { Domain } from './domain-records.ts';

type DomainState = Pick<Domain, 'verification_status' | 'dkim_status' | 'send_enabled' | 'receive_enabled'>;

/** Whether SES has verified a domain, so that mail can be sent from it (docs/specification.md#domains). */
export const canSend = ({ verification_status: status, dkim_status: dkim, send_enabled: sends }: DomainState): boolean =>
  status === 'SUCCESS' && dkim === 'SUCCESS' && sends;

/** Whether the domain's accounts can send and receive. */
export const hasMailboxes = (domain: DomainState): boolean => canSend(domain) && domain.receive_enabled;

/** Whether one of the domains receives the mail of the address, in lower case, so that no code and no password is mailed there. */
export const isReceivedHere = (email: string, domains: readonly Pick<Domain, 'domain' | 'receive_enabled'>[]): boolean =>
  domains.some(({ domain, receive_enabled: receives }) => receives && email.endsWith(`@${domain}`));

/**
 * Whether everything that the domain needs is in place. `dns_validation` is present only in responses to requests with
 * DNS validation.
 */
export const isLive = ({ verification_status: status, dns_validation: validation }: Domain): boolean =>
  status === 'SUCCESS' && validation?.required_valid === true;
