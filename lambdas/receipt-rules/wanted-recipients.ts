import { receiptRuleQuotas } from '../../contract/deployment/receipt-rules.ts';
import { domainOf } from '../../contract/values/mail-address.ts';
import type { ReceivingDirectory } from '../../core/directory/aliases/receiving-addresses.ts';

/**
 * Rules that stay free, so that old and new rules fit into one rule set. Rules that list domains return to listing
 * addresses when twice as many would be free, so that rules do not switch back and forth.
 */
const freeRules = 20;

/** Maximum addresses, active or not, up to which this number of rules lists addresses. */
export const maxListedAddresses = (maxRules: number): number => Math.max(0, maxRules - freeRules) * receiptRuleQuotas.recipientsPerRule;

/** Maximum domains whose addresses the rules list. */
const maxListedDomains = 1_900;

/**
 * Addresses with characters that SES certainly accepts in a rule's recipients. RFC 5322 allows more characters in a
 * local part.
 */
const plainAddress = /^[a-z0-9._+-]+@/;

/** `listsDomains`: whether the rules currently list only domains. `maxRules`: maximum rules of the deployment. */
type RulesNow = { readonly listsDomains: boolean; readonly maxRules: number };

/**
 * The recipients of the receipt rules: the active addresses of domains that receive, or these domains when there are
 * too many addresses. A domain with an address in unusual characters is listed as a domain.
 */
export const wantedRecipients = async (directory: ReceivingDirectory, { listsDomains, maxRules }: RulesNow): Promise<Set<string>> => {
  const domains = await directory.domains();
  const addressCount = domains.reduce((sum, domain) => sum + domain.addressCount, 0);
  const names = new Set(domains.map(({ domain }) => domain));
  const maxAddresses = maxListedAddresses(listsDomains ? maxRules - freeRules : maxRules);
  if (addressCount > maxAddresses || names.size > maxListedDomains) return names;
  if (addressCount === 0) return new Set();
  const addresses = (await directory.activeAddresses()).filter((address) => names.has(domainOf(address)));
  const unusual = new Set(addresses.filter((address) => !plainAddress.test(address)).map(domainOf));
  return new Set([...unusual, ...addresses.filter((address) => !unusual.has(domainOf(address)))]);
};
