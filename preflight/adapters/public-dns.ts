import { emptyIfNoRecord, newResolver, normalizeHost } from '../../core/runtime/public-dns.ts';

/** A name and its ancestors with at least two labels. */
const withAncestors = (name: string): string[] => {
  const labels = name.split('.');
  return labels.slice(0, Math.max(1, labels.length - 1)).map((_, place) => labels.slice(place).join('.'));
};

/**
 * Public DNS by Node's resolver. Names are in lower case without a trailing dot.
 * @param servers `host` or `host:port`; empty for the system's own.
 */
export const nodePreflightDns = (servers: readonly string[] = []) => {
  const resolver = newResolver(servers);
  const closest = async <T>(name: string, lookup: (name: string) => Promise<T[]>): Promise<T[]> => {
    for (const each of withAncestors(name)) {
      const found = await emptyIfNoRecord(lookup(each));
      if (found.length > 0) return found;
    }
    return [];
  };
  return {
    /** The name servers of the closest ancestor that has name servers. */
    nameServers: async (name: string) => (await closest(name, (each) => resolver.resolveNs(each))).map(normalizeHost),
    /** Mail exchangers, as `10 mx.example.com`. */
    mailExchangers: async (name: string) =>
      (await emptyIfNoRecord(resolver.resolveMx(name))).map(({ priority, exchange }) => `${priority} ${normalizeHost(exchange)}`),
    /** Whether the name has an address or is an alias. */
    async exists(name: string) {
      const found = await Promise.all([
        emptyIfNoRecord(resolver.resolve4(name)),
        emptyIfNoRecord(resolver.resolve6(name)),
        emptyIfNoRecord(resolver.resolveCname(name)),
      ]);
      return found.flat().length > 0;
    },
    /** The certificate authorities that the closest CAA records allow (RFC 8659); undefined without such records. */
    async certificateAuthorities(name: string) {
      const records = await closest(name, (each) => resolver.resolveCaa(each));
      const issuers = records.flatMap(({ issue }) => issue ?? []);
      return issuers.length > 0 ? issuers.map((issuer) => issuer.split(';')[0]!.trim()) : undefined;
    },
  };
};
