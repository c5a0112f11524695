import type { ReceivingDirectory } from '../../core/directory/aliases/receiving-addresses.ts';

/**
 * Up to this many addresses, active or not, the rules list addresses. It leaves 2,000 of SES's 20,000 recipients, so
 * that addresses can be added before domains or other addresses are removed.
 */
export const maxListedAddresses = 18_000;

/** Rules that list domains go back to addresses below this number, so that they do not change back and forth. */
const fewAddresses = 16_000;

/**
 * Maximum domains of which the rules list addresses. Old and new rules fit into a rule set while it changes from
 * addresses to domains or back.
 */
const maxListedDomains = 1_900;

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);

/** Addresses that SES surely accepts as a recipient of a rule. RFC 5322 allows more characters in a local part. */
const plainAddress = /^[a-z0-9._+-]+@/;

/**
 * The recipients of the receipt rules: the active addresses of domains that receive, or these domains when there are
 * too many addresses. A domain with an address in unusual characters is listed as a domain.
 * @param listsDomains whether the rules list only domains now.
 */
export const wantedRecipients = async (directory: ReceivingDirectory, listsDomains: boolean): Promise<Set<string>> => {
  const domains = await directory.domains();
  const addressCount = domains.reduce((sum, domain) => sum + domain.addressCount, 0);
  const names = new Set(domains.map(({ domain }) => domain));
  if (addressCount > (listsDomains ? fewAddresses : maxListedAddresses) || names.size > maxListedDomains) return names;
  if (addressCount === 0) return new Set();
  const addresses = (await directory.activeAddresses()).filter((address) => names.has(domainOf(address)));
  const unusual = new Set(addresses.filter((address) => !plainAddress.test(address)).map(domainOf));
  return new Set([...unusual, ...addresses.filter((address) => !unusual.has(domainOf(address)))]);
};
