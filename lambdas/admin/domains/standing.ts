import type { DomainIdentity } from '../../../core/aws/ses/email-provider.ts';
import type { Standing, StoredDomain } from '../../../core/directory/domains.ts';

/** What is kept of the provider's answer. A domain that the provider does not know any more can't be verified. */
export const standingOf = (identity: DomainIdentity | undefined): Standing => ({
  verification_status: identity?.verification_status ?? 'FAILED',
  dkim_status: identity?.dkim_status ?? 'FAILED',
  dkim_enabled: identity?.dkim_enabled ?? false,
  mail_from_domain: identity?.mail_from_domain,
});

/** How long a settled standing is taken as it is kept, in milliseconds. */
const settledFor = 3_600_000;

/** Verified and signed: it seldom changes from there. */
export const isSettled = ({ verification_status: verification, dkim_status: dkim }: Standing): boolean => verification === 'SUCCESS' && dkim === 'SUCCESS';

/** Whether a list must ask the provider again: SES answers about one such question a second, so what has settled is asked once an hour. */
export const isStale = (domain: StoredDomain, now: Date): boolean => !isSettled(domain) || now.getTime() - Date.parse(domain.standing_at) > settledFor;

/** The provider says something else than what is kept. */
export const hasMoved = (domain: StoredDomain, standing: Standing): boolean =>
  (['verification_status', 'dkim_status', 'dkim_enabled', 'mail_from_domain'] as const).some((name) => domain[name] !== standing[name]);
