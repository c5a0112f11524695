import type { StoredDomain } from './domains.ts';

/**
 * The names of domains that SES has not verified.
 * @param verified verified identities at SES.
 * @param isFailed true: those whose verification failed, or that SES no longer has. False: those that still wait.
 */
export const unverifiedDomains = (domains: readonly StoredDomain[], verified: readonly string[], isFailed: boolean): string[] =>
  domains.filter(({ domain, state, verification_status: lastStatus }) =>
    state === 'ready' && !verified.includes(domain) && (lastStatus !== 'PENDING') === isFailed).map(({ domain }) => domain).toSorted();
