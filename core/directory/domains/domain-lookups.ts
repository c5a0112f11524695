import type { Clock } from '../../runtime/clock.ts';
import { mapConcurrently } from '../../runtime/map-concurrently.ts';
import type { PublicDns } from '../../runtime/public-dns.ts';

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

export type LookupDependencies = { readonly dns: PublicDns; readonly clock: Clock; readonly mailDomain: string };

/**
 * Looks up the records of one type of these domains, for a limited time. It never throws.
 * @param judge tells the outcome from the values of a domain.
 * @returns the names of the domains with an outcome. `failed`: the lookup failed. `skipped`: the time was over.
 */
export const lookUpDomains = async <Outcome extends string>(
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
