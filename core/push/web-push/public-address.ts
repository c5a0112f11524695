import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { pushSubscriptionLimits } from '../../../contract/jmap/push-subscription.ts';
import { emptyIfNoRecord, newResolver } from '../../runtime/public-dns.ts';

/** Whether the server may connect to an IP address. */
export type AddressRule = (address: string) => boolean;

/** The assigned IPv6 addresses (RFC 4291 §2.4). `range()` recognizes the special ranges among them. */
const globalUnicast = ipaddr.parseCIDR('2000::/3');

const isPublic = (address: ReturnType<typeof ipaddr.parse>): boolean =>
  address.range() === 'unicast' && (address.kind() === 'ipv4' || address.match(globalUnicast));

/**
 * Allows public unicast addresses only. Private, local, shared and reserved addresses are not allowed, nor IPv6
 * addresses that contain an IPv4 address (mapped, NAT64, 6to4, Teredo), which would circumvent the rule.
 * @param networks further ranges to allow: `10.1.0.0/16`.
 */
export const addressRule = (networks: readonly string[] = []): AddressRule => {
  const allowed = networks.map((network) => ipaddr.parseCIDR(network));
  return (text) => {
    if (isIP(text) === 0 || text.includes('%')) return false;
    const address = ipaddr.parse(text);
    return isPublic(address) || allowed.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
  };
};

/** The host of a URL, without the brackets of an IPv6 address. */
export const urlHost = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1');

/**
 * The error message for an invalid URL of a push subscription; undefined for a valid one. Host names are not resolved
 * here: each connection checks the addresses.
 */
export const pushUrlFault = (text: string, isAllowed: AddressRule): string | undefined => {
  const { maxSizeUrl, minPort } = pushSubscriptionLimits;
  const url = /^https:\/\//i.test(text) && Buffer.byteLength(text) <= maxSizeUrl ? URL.parse(text) : null;
  if (!url) return `must be an absolute URL that begins with https://, of ${maxSizeUrl} octets at most`;
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or a password';
  if (url.hash !== '') return 'must not have a fragment';
  if (url.port !== '' && Number(url.port) < minPort) return `must be at port 443, or at ${minPort} or above`;
  const host = urlHost(url);
  if (isIP(host) ? !isAllowed(host) : !/[^.]\.[^.]/.test(host) || /(^|\.)(localhost|local|internal|home\.arpa)\.?$/.test(host)) {
    return 'must be at a public host';
  }
  return undefined;
};

/**
 * Resolves a host name to its IP addresses; none when the name does not exist. @throws Error when DNS does not answer.
 */
export type ResolveAddresses = (hostName: string) => Promise<readonly string[]>;

const resolverOptions = {
  /** Timeout of one query in milliseconds. */
  timeout: 1_500,
  tries: 2,
};

/** @param servers DNS servers, as `host` or `host:port`; the system's own when empty. */
export const dnsAddressResolver = (servers: readonly string[] = []): ResolveAddresses => {
  const resolver = newResolver(servers, resolverOptions);
  return async (name) => (await Promise.all([emptyIfNoRecord(resolver.resolve4(name)), emptyIfNoRecord(resolver.resolve6(name))])).flat();
};
