import { receiptRuleQuotas, type ReceiptRuleRecipients } from '../../contract/deployment/receipt-rule-set.ts';
import { domainOf, localPartOf } from '../../contract/values/mail-address.ts';
import type { ReceivingDirectory } from '../../core/directory/aliases/receiving-addresses.ts';

/**
 * The spellings in which addresses are listed: all of them, in lower case only, or in lower case and one address in one
 * more spelling, which shows whether SES keeps the case.
 */
export type Spellings = 'all' | 'lower-case' | 'trial';

/** Maximum spellings of an address. */
const maxSpellings = 4;

/**
 * The ways in which people write an address in lower case: `ada.lovelace@`, `Ada.lovelace@`, `Ada.Lovelace@` and
 * `ADA.LOVELACE@`. AWS documents nowhere whether a receipt rule compares the case of local parts.
 */
const spellingsOf = (address: string): string[] => {
  const local = localPartOf(address);
  const capitalised = local.charAt(0).toUpperCase() + local.slice(1);
  const words = local.replaceAll(/(?<![a-z0-9])[a-z]/g, (letter) => letter.toUpperCase());
  return [...new Set([local, capitalised, words, local.toUpperCase()])].map((each) => `${each}@${domainOf(address)}`);
};

/** Whether it is another spelling than that in lower case. */
export const isOtherSpelling = (recipient: string): boolean => recipient !== recipient.toLowerCase();

/**
 * Rules that stay free, so that old and new rules fit into one rule set. Rules that list domains return to listing
 * addresses when twice as many would be free, so that rules do not switch back and forth.
 */
const freeRules = 20;

/** Maximum addresses, active or not, up to which this number of rules lists addresses. */
export const maxListedAddresses = (maxRules: number, spellings: Spellings): number =>
  Math.floor((Math.max(0, maxRules - freeRules) * receiptRuleQuotas.recipientsPerRule) / (spellings === 'all' ? maxSpellings : 1));

/** Maximum domains whose addresses the rules list. */
const maxListedDomains = 1_900;

/**
 * Addresses with characters that SES certainly accepts in a rule's recipients. RFC 5322 allows more characters in a
 * local part.
 */
const plainAddress = /^[a-z0-9._+-]+@/;

type RulesNow = {
  /** Whether the rules currently list only domains. */
  readonly listsDomains: boolean;
  /** Maximum rules of the deployment. */
  readonly maxRules: number;
  /** The deployment's setting `receiptRules`. */
  readonly setting: ReceiptRuleRecipients;
  readonly spellings: Spellings;
};

/**
 * The recipients of the receipt rules: the active addresses of domains that receive, or these domains. A domain with a
 * catch-all, or with an address in unusual characters, is listed as a domain.
 */
export const wantedRecipients = async (directory: ReceivingDirectory, { listsDomains, maxRules, setting, spellings }: RulesNow): Promise<Set<string>> => {
  const domains = await directory.domains();
  const addressCount = domains.reduce((sum, domain) => sum + domain.addressCount, 0);
  const names = new Set(domains.map(({ domain }) => domain));
  // Rules that list domains do not tell whether SES keeps the case, so that addresses must fit in all their spellings.
  const maxAddresses = listsDomains ? maxListedAddresses(maxRules - freeRules, 'all') : maxListedAddresses(maxRules, spellings);
  if (setting === 'domains' || addressCount > maxAddresses || names.size > maxListedDomains) return names;
  if (names.size === 0) return new Set();
  const addresses = (await directory.activeAddresses(names)).filter((address) => names.has(domainOf(address)));
  const catchAlls = domains.flatMap(({ domain, hasCatchAll }) => (hasCatchAll ? [domain] : []));
  const whole = new Set([...catchAlls, ...addresses.filter((address) => !plainAddress.test(address)).map(domainOf)]);
  const usual = addresses.filter((address) => !whole.has(domainOf(address)));
  const trial = spellings === 'trial' ? usual.flatMap((address) => spellingsOf(address)[1] ?? []).slice(0, 1) : [];
  return new Set([...whole, ...(spellings === 'all' ? usual.flatMap(spellingsOf) : usual), ...trial]);
};
