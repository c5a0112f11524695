import { NODATA, NOTFOUND } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { LookupType, PublicDns } from './public-dns.ts';

/** Milliseconds for a server's answer, and how often it is asked. */
const patience = { timeout: 2_000, tries: 2 };

const host = (name: string): string => name.toLowerCase().replace(/\.$/, '');

const lookups: { readonly [Type in LookupType]: (resolver: Resolver, name: string) => Promise<string[]> } = {
  CNAME: async (resolver, name) => (await resolver.resolveCname(name)).map(host),
  MX: async (resolver, name) => (await resolver.resolveMx(name)).map(({ priority, exchange }) => `${priority} ${host(exchange)}`),
  SRV: async (resolver, name) => (await resolver.resolveSrv(name)).map(({ priority, weight, port, name: target }) => `${priority} ${weight} ${port} ${host(target)}`),
  TXT: async (resolver, name) => (await resolver.resolveTxt(name)).map((chunks) => chunks.join('')),
};

/** There is no such name, or it has no record of the type. */
const none = new Set<unknown>([NOTFOUND, NODATA]);

/** @param servers `host` or `host:port`; none: the system's own. */
export const nodeDns = (servers: readonly string[] = []): PublicDns => {
  const resolver = new Resolver(patience);
  if (servers.length > 0) resolver.setServers(servers);
  return {
    async lookup(name, type) {
      try {
        return await lookups[type](resolver, name);
      } catch (error) {
        return none.has((error as NodeJS.ErrnoException).code) ? [] : undefined;
      }
    },
  };
};
