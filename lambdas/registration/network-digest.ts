import { createHash } from 'node:crypto';

const groupsOf = (part: string): string[] => part.split(':').filter((group) => group !== '');

/** The first 64 bits of an IPv6 address, which are one network (RFC 4291 §2.5.4): four groups without leading zeros. */
const prefixOf = (address: string): string => {
  const [start = '', end = ''] = address.split('::');
  const zeros = Array.from({ length: 8 - groupsOf(start).length - groupsOf(end).length }, () => '0');
  const groups = [...groupsOf(start), ...zeros, ...groupsOf(end)];
  return groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16)).join(':');
};

/**
 * The network of an IP address, as four hexadecimal digits: that of an IPv4 address, or of the first 64 bits of an IPv6
 * address. So few digits tell the callers of a day apart, but nobody finds an address by them.
 */
export const networkDigest = (address: string): string =>
  createHash('sha256').update(address.includes('.') ? address : prefixOf(address)).digest('hex').slice(0, 4);
