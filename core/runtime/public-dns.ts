import { NODATA, NOTFOUND } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { codeOf } from '../../contract/values/thrown.ts';

/** The record types that are looked up. */
export type LookupType = 'CNAME' | 'MX' | 'TXT' | 'SRV';

/** Looks up records in public DNS. Adapter: {@link nodePublicDns}; fake: `test/fakes/memory-public-dns.ts`. */
export type PublicDns = {
  /**
   * Returns the values of a name's records of one type: the target of a CNAME, an MX as `10 host`, an SRV as `priority
   * weight port host`, a TXT as one text. Host names are in lower case without a trailing dot.
   * @returns an empty list when there are no records; undefined when the lookup failed.
   */
  lookup(name: string, type: LookupType): Promise<readonly string[] | undefined>;
};

/** Milliseconds within which a DNS server must respond, and maximum attempts. */
const resolverTimeouts = { timeout: 2_000, tries: 2 };

/** The name in lower case without a trailing dot. */
export const normalizeHost = (name: string): string => name.toLowerCase().replace(/\.$/, '');

const lookups: { readonly [Type in LookupType]: (resolver: Resolver, name: string) => Promise<string[]> } = {
  CNAME: async (resolver, name) => (await resolver.resolveCname(name)).map(normalizeHost),
  MX: async (resolver, name) => (await resolver.resolveMx(name)).map(({ priority, exchange }) => `${priority} ${normalizeHost(exchange)}`),
  SRV: async (resolver, name) =>
    (await resolver.resolveSrv(name)).map(({ priority, weight, port, name: target }) => `${priority} ${weight} ${port} ${normalizeHost(target)}`),
  TXT: async (resolver, name) => (await resolver.resolveTxt(name)).map((chunks) => chunks.join('')),
};

/** Codes for a name that does not exist, or has no record of the type. */
const noRecordCodes = new Set<unknown>([NOTFOUND, NODATA]);

/**
 * Awaits the records of a query.
 * @returns an empty list when there is no such record.
 * @throws Error when DNS does not answer.
 */
export const emptyIfNoRecord = async <T>(records: Promise<T[]>): Promise<T[]> => {
  try {
    return await records;
  } catch (error) {
    if (noRecordCodes.has(codeOf(error))) return [];
    throw error;
  }
};

/** Node's resolver. @param servers `host` or `host:port`; empty for the servers of the system. */
export const newResolver = (servers: readonly string[], timeouts = resolverTimeouts): Resolver => {
  const resolver = new Resolver(timeouts);
  if (servers.length > 0) resolver.setServers(servers);
  return resolver;
};

/** {@link PublicDns} over Node's resolver. @param servers as of {@link newResolver}. */
export const nodePublicDns = (servers: readonly string[] = []): PublicDns => {
  const resolver = newResolver(servers);
  return {
    async lookup(name, type) {
      try {
        return await emptyIfNoRecord(lookups[type](resolver, name));
      } catch {
        return undefined;
      }
    },
  };
};
