import { inboundHost } from '../../../contract/deployment/sending.ts';
import type { Clock } from '../../runtime/clock.ts';
import { mapConcurrently } from '../../runtime/map-concurrently.ts';
import type { PublicDns } from '../../runtime/public-dns.ts';
import type { StoredDomain } from './domains.ts';
import { allowsSes, isSpf } from './spf-policy.ts';

/** Maximum concurrent lookups. */
const lookupsAtOnce = 25;

/**
 * Milliseconds after which no further lookup begins. Even with the timeouts of the last lookups, the call ends well
 * within its Lambda's time.
 */
const timeToBegin = 5_000;

const minute = 60_000;

/**
 * The deployment's own domain, then the other domains. The first of these changes each minute, so that all are looked
 * up over time.
 */
const inTurns = (names: readonly string[], mailDomain: string, now: number): readonly string[] => {
  const others = names.filter((name) => name !== mailDomain);
  const begin = (Math.floor(now / minute) * lookupsAtOnce) % Math.max(1, others.length);
  return [...names.filter((name) => name === mailDomain), ...others.slice(begin), ...others.slice(0, begin)];
};

type LookupDependencies = { readonly dns: PublicDns; readonly clock: Clock; readonly mailDomain: string };

/**
 * Looks up the records of one type of these domains, for a limited time. It never throws.
 * @param judge tells the outcome from the values of a domain.
 * @returns the names of the domains with an outcome. `failed`: the lookup failed. `skipped`: the time was over.
 */
const lookUpDomains = async <Outcome extends string>(
  domains: readonly string[],
  type: 'MX' | 'TXT',
  judge: (values: readonly string[]) => Outcome,
  { dns, clock, mailDomain }: LookupDependencies,
): Promise<(outcome: Outcome | 'failed' | 'skipped') => readonly string[]> => {
  const began = clock().getTime();
  const names = inTurns(domains.toSorted(), mailDomain, began);
  const outcomes = await mapConcurrently(
    names,
    async (name) => {
      if (clock().getTime() - began >= timeToBegin) return 'skipped';
      const values = await dns.lookup(name, type);
      return values ? judge(values) : 'failed';
    },
    { atOnce: lookupsAtOnce },
  );
  return (wanted) => names.filter((_, index) => outcomes[index] === wanted);
};

/** The results of MX lookups for the domains that receive mail. Each list has names of domains. */
type MxLookups = {
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
