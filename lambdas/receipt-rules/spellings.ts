import { domainOf, localPartOf } from '../../contract/values/mail-address.ts';

/**
 * The spellings in which addresses are listed: all of them, in lower case only, or in lower case and one address in one
 * more spelling, which shows whether SES keeps the case.
 */
export type Spellings = 'all' | 'lower-case' | 'trial';

/** Maximum spellings of an address. */
export const maxSpellings = 4;

/**
 * The ways in which people write an address in lower case: `ada.lovelace@`, `Ada.lovelace@`, `Ada.Lovelace@` and
 * `ADA.LOVELACE@`. AWS documents nowhere whether a receipt rule compares the case of local parts.
 */
export const spellingsOf = (address: string): string[] => {
  const local = localPartOf(address);
  const capitalised = local.charAt(0).toUpperCase() + local.slice(1);
  const words = local.replaceAll(/(?<![a-z0-9])[a-z]/g, (letter) => letter.toUpperCase());
  return [...new Set([local, capitalised, words, local.toUpperCase()])].map((each) => `${each}@${domainOf(address)}`);
};

/** Whether it is another spelling than that in lower case. */
export const isOtherSpelling = (recipient: string): boolean => recipient !== recipient.toLowerCase();
