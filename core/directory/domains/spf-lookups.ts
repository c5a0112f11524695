import { lookUpDomains, type LookupDependencies } from './domain-lookups.ts';
import type { StoredDomain } from './domains.ts';
import { allowsSes, isSpf } from './spf-policy.ts';

/**
 * Finds the domains that send and whose SPF policy does not allow SES, such as that of a former mail service. A domain
 * without a policy is none of them. Lookups that fail, and those for which there is no time, find nothing.
 */
export const findForeignSpf = async (domains: readonly StoredDomain[], dependencies: LookupDependencies): Promise<readonly string[]> => {
  const names = domains.filter(({ send_enabled: sends, spf_mode: mode }) => sends && mode !== 'OFF').map(({ domain }) => domain);
  const having = await lookUpDomains(
    names,
    'TXT',
    (values) => {
      const policies = values.filter(isSpf);
      return policies.length === 0 || policies.some(allowsSes) ? 'fine' : 'foreign';
    },
    dependencies,
  );
  return having('foreign');
};
