import type { DomainIdentity, EmailProvider } from '../../../core/aws/ses/ses-email-provider.ts';
import type { Domains, ProviderStatus, StoredDomain } from '../../../core/directory/domains/domains.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { errorLogFields } from '../../../core/runtime/error-log-fields.ts';
import type { Log } from '../../../core/runtime/log.ts';

/**
 * The status to store for the provider's response. If the provider does not know the domain, its verification has
 * failed.
 */
export const providerStatus = (identity: DomainIdentity | undefined): ProviderStatus => ({
  verification_status: identity?.verification_status ?? 'FAILED',
  dkim_status: identity?.dkim_status ?? 'FAILED',
  dkim_enabled: identity?.dkim_enabled ?? false,
  mail_from_domain: identity?.mail_from_domain,
});

/**
 * Whether the domain is ready to send: it is verified, and its mail is signed by DKIM. The status seldom changes after
 * that.
 */
export const isVerified = ({ verification_status: verification, dkim_status: dkim }: ProviderStatus): boolean =>
  verification === 'SUCCESS' && dkim === 'SUCCESS';

/** Milliseconds for which the stored status of a verified domain is used without a call to the provider. */
const verifiedStatusLifetime = 3_600_000;

/**
 * Whether to ask the provider again. A verified domain is read once an hour, because SES allows one request a second.
 */
const isStale = (domain: StoredDomain, now: Date): boolean => !isVerified(domain) || now.getTime() - Date.parse(domain.standing_at) > verifiedStatusLifetime;

/** Whether the provider's status differs from the stored one. */
export const statusChanged = (domain: StoredDomain, status: ProviderStatus): boolean =>
  (['verification_status', 'dkim_status', 'dkim_enabled', 'mail_from_domain'] as const).some((name) => domain[name] !== status[name]);

type ReadDependencies = { readonly emailProvider: Pick<EmailProvider, 'findDomain'>; readonly clock: Clock; readonly log: Log };

/** The provider's status, if the stored status is stale. @returns undefined if it is not, or if the provider fails. */
export const readStaleStatus = async (stored: StoredDomain, { emailProvider, clock, log }: ReadDependencies): Promise<ProviderStatus | undefined> => {
  if (!isStale(stored, clock())) return undefined;
  try {
    return providerStatus(await emailProvider.findDomain(stored.domain));
  } catch (error) {
    log.warn("reading a domain's status from the provider failed", { domain_id: stored.id, ...errorLogFields(error) });
    return undefined;
  }
};

type StoreDependencies = { readonly domains: Pick<Domains, 'storeProviderStatus'>; readonly clock: Clock };

/** Stores the status that was read, if any. An unchanged status of a verified domain is stored too, with the time. */
export const storeStatus = async (stored: StoredDomain, status: ProviderStatus | undefined, { domains, clock }: StoreDependencies): Promise<StoredDomain> => {
  if (!status) return stored;
  if (statusChanged(stored, status) || isVerified(status)) await domains.storeProviderStatus(stored.id, status, clock());
  return { ...stored, ...status };
};
