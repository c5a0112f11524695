import { inboundHost } from '../../../contract/deployment/sending.ts';
import { lookUpDomains, type LookupDependencies } from './domain-lookups.ts';
import type { StoredDomain } from './domains.ts';

/** The results of MX lookups for the domains that receive mail. Each list has names of domains. */
export type MxLookups = {
  /** Domains with an MX record that names SES in this region. */
  readonly here: readonly string[];
  /** Domains whose MX records name other servers. */
  readonly elsewhere: readonly string[];
  /** Domains whose lookup failed. */
  readonly failed: readonly string[];
  /** Domains that were not looked up, because the time was over. */
  readonly skipped: readonly string[];
};

/** Looks up the MX records of the domains that receive mail, for a limited time. It never throws. */
export const lookUpMx = async (
  domains: readonly StoredDomain[],
  { region, ...dependencies }: LookupDependencies & { readonly region: string },
): Promise<MxLookups> => {
  const names = domains.filter((domain) => domain.receive_enabled).map(({ domain }) => domain);
  const host = inboundHost(region);
  const having = await lookUpDomains(names, 'MX', (values) => (values.some((value) => value.split(' ').at(-1) === host) ? 'here' : 'elsewhere'), dependencies);
  return { here: having('here'), elsewhere: having('elsewhere'), failed: having('failed'), skipped: having('skipped') };
};
