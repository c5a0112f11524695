import { NODATA, NOTFOUND } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { PreflightDns } from '../ports.ts';

/** Timeout of a DNS query in milliseconds, and number of attempts. */
const resolverTimeouts = { timeout: 2_000, tries: 2 };

/** Error codes for a name that does not exist, or has no record of the type. */
const noRecordCodes = new Set<unknown>([NOTFOUND, NODATA]);

const normalizeHost = (name: string): string => name.toLowerCase().replace(/\.$/, '');

/**
 * Awaits a query.
 * @returns an empty list when there is no such record.
 * @throws any other error of DNS.
 */
const orNone = async <T>(records: Promise<T[]>): Promise<T[]> => {
  try {
    return await records;
  } catch (error) {
    if (noRecordCodes.has((error as NodeJS.ErrnoException).code)) return [];
    throw error;
  }
};

/** A name and its ancestors with at least two labels. */
const withAncestors = (name: string): string[] => {
  const labels = name.split('.');
  return labels.slice(0, Math.max(1, labels.length - 1)).map((_, place) => labels.slice(place).join('.'));
};

/** {@link PreflightDns} by Node's resolver. @param servers `host` or `host:port`; empty for the system's own. */
export const nodePreflightDns = (servers: readonly string[] = []): PreflightDns => {
  const resolver = new Resolver(resolverTimeouts);
  if (servers.length > 0) resolver.setServers(servers);
  const closest = async <T>(name: string, lookup: (name: string) => Promise<T[]>): Promise<T[]> => {
    for (const each of withAncestors(name)) {
      const found = await orNone(lookup(each));
      if (found.length > 0) return found;
    }
    return [];
  };
  return {
    nameServers: async (name) => (await closest(name, (each) => resolver.resolveNs(each))).map(normalizeHost),
    mailExchangers: async (name) =>
      (await orNone(resolver.resolveMx(name))).map(({ priority, exchange }) => `${priority} ${normalizeHost(exchange)}`),
    async exists(name) {
      const found = await Promise.all([orNone(resolver.resolve4(name)), orNone(resolver.resolve6(name)), orNone(resolver.resolveCname(name))]);
      return found.flat().length > 0;
    },
    async certificateAuthorities(name) {
      const records = await closest(name, (each) => resolver.resolveCaa(each));
      const issuers = records.flatMap(({ issue }) => issue ?? []);
      return issuers.length > 0 ? issuers.map((issuer) => issuer.split(';')[0]!.trim()) : undefined;
    },
  };
};
