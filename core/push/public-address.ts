import { NODATA, NOTFOUND } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { pushSubscriptionLimits } from '../../contract/jmap/push-subscription.ts';

/** Whether we may connect to an address, written as an IP literal. */
export type AddressRule = (address: string) => boolean;

/** IPv6 addresses that are given to somebody (RFC 4291 §2.4); within them `range()` knows what is special. */
const globalUnicast = ipaddr.parseCIDR('2000::/3');

const isPublic = (address: ReturnType<typeof ipaddr.parse>): boolean =>
  address.range() === 'unicast' && (address.kind() === 'ipv4' || address.match(globalUnicast));

/**
 * Public unicast addresses and no others: nothing private, local, shared, reserved, and nothing that stands for an IPv4 address within an IPv6 one
 * (mapped, NAT64, 6to4, Teredo), which would lead around the rule.
 * @param networks `10.1.0.0/16`: ranges that are allowed besides.
 */
export const addressRule = (networks: readonly string[] = []): AddressRule => {
  const allowed = networks.map((network) => ipaddr.parseCIDR(network));
  return (text) => {
    if (isIP(text) === 0 || text.includes('%')) return false;
    const address = ipaddr.parse(text);
    return isPublic(address) || allowed.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
  };
};

/** The host of a URL without the brackets of an IPv6 literal. WHATWG's parser has made every other spelling of an IPv4 address four decimals already. */
export const urlHost = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1');

/**
 * What is wrong with a URL to push to as far as it can be told without asking DNS, in words; undefined when nothing is.
 * Where a name leads is found out and judged at each connection.
 */
export const pushUrlFault = (text: string, isAllowed: AddressRule): string | undefined => {
  const { maxSizeUrl, minPort } = pushSubscriptionLimits;
  const url = /^https:\/\//i.test(text) && Buffer.byteLength(text) <= maxSizeUrl ? URL.parse(text) : null;
  if (!url) return `must be an absolute URL that begins with https://, of ${maxSizeUrl} octets at most`;
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or a password';
  if (url.hash !== '') return 'must not have a fragment';
  if (url.port !== '' && Number(url.port) < minPort) return `must be at port 443, or at ${minPort} or above`;
  const host = urlHost(url);
  if (isIP(host) ? !isAllowed(host) : !/[^.]\.[^.]/.test(host) || /(^|\.)(localhost|local|internal|home\.arpa)\.?$/.test(host)) return 'must be at a public host';
  return undefined;
};

/** The addresses of a host name. @throws Error when it could not be learned. */
export type ResolveAddresses = (hostName: string) => Promise<readonly string[]>;

/** Milliseconds for a server's answer, and how often it is asked. */
const patience = { timeout: 1_500, tries: 2 };

/** There is no such name, or it has no record of the type. */
const none = new Set<unknown>([NOTFOUND, NODATA]);

/** @param servers `host` or `host:port`; none: the system's own. */
export const dnsAddressResolver = (servers: readonly string[] = []): ResolveAddresses => {
  const resolver = new Resolver(patience);
  if (servers.length > 0) resolver.setServers(servers);
  const orNone = async (lookup: Promise<string[]>): Promise<string[]> => {
    try {
      return await lookup;
    } catch (error) {
      if (none.has((error as NodeJS.ErrnoException).code)) return [];
      throw error;
    }
  };
  return async (name) => (await Promise.all([orNone(resolver.resolve4(name)), orNone(resolver.resolve6(name))])).flat();
};
