import { inboundHost } from '../../../contract/deployment/sending.ts';
import type { StoredDomain } from './domains.ts';
import type { PublicDns } from '../../runtime/public-dns.ts';
import type { Clock } from '../../runtime/clock.ts';
import { mapConcurrently } from '../../runtime/concurrency/map-concurrently.ts';

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

type Dependencies = { readonly dns: PublicDns; readonly clock: Clock; readonly mailDomain: string; readonly region: string };

/** Looks up the MX records of the domains that receive mail, for a limited time. It never throws. */
export const lookUpMx = async (
  domains: readonly StoredDomain[], { dns, clock, mailDomain, region }: Dependencies,
): Promise<MxLookups> => {
  const began = clock().getTime();
  const names = inTurns(domains.filter((domain) => domain.receive_enabled).map(({ domain }) => domain).toSorted(), mailDomain, began);
  const host = inboundHost(region);
  const outcomes = await mapConcurrently(names, async (name): Promise<keyof MxLookups> => {
    if (clock().getTime() - began >= timeToBegin) return 'skipped';
    const values = await dns.lookup(name, 'MX');
    if (!values) return 'failed';
    return values.some((value) => value.split(' ').at(-1) === host) ? 'here' : 'elsewhere';
  }, { atOnce: lookupsAtOnce });
  const having = (wanted: keyof MxLookups) => names.filter((_, index) => outcomes[index] === wanted);
  return { here: having('here'), elsewhere: having('elsewhere'), failed: having('failed'), skipped: having('skipped') };
};
