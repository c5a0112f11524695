import { emptyIfNoRecord, newResolver, normalizeHost } from '../../core/runtime/public-dns.ts';
import type { PreflightDns } from '../ports.ts';

/** A name and its ancestors with at least two labels. */
const withAncestors = (name: string): string[] => {
  const labels = name.split('.');
  return labels.slice(0, Math.max(1, labels.length - 1)).map((_, place) => labels.slice(place).join('.'));
};

/** {@link PreflightDns} by Node's resolver. @param servers `host` or `host:port`; empty for the system's own. */
export const nodePreflightDns = (servers: readonly string[] = []): PreflightDns => {
  const resolver = newResolver(servers);
  const closest = async <T>(name: string, lookup: (name: string) => Promise<T[]>): Promise<T[]> => {
    for (const each of withAncestors(name)) {
      const found = await emptyIfNoRecord(lookup(each));
      if (found.length > 0) return found;
    }
    return [];
  };
  return {
    nameServers: async (name) => (await closest(name, (each) => resolver.resolveNs(each))).map(normalizeHost),
    mailExchangers: async (name) =>
      (await emptyIfNoRecord(resolver.resolveMx(name))).map(({ priority, exchange }) => `${priority} ${normalizeHost(exchange)}`),
    async exists(name) {
      const found = await Promise.all([emptyIfNoRecord(resolver.resolve4(name)), emptyIfNoRecord(resolver.resolve6(name)), emptyIfNoRecord(resolver.resolveCname(name))]);
      return found.flat().length > 0;
    },
    async certificateAuthorities(name) {
      const records = await closest(name, (each) => resolver.resolveCaa(each));
      const issuers = records.flatMap(({ issue }) => issue ?? []);
      return issuers.length > 0 ? issuers.map((issuer) => issuer.split(';')[0]!.trim()) : undefined;
    },
  };
};
