import { domainToUnicode } from 'node:url';
import { isLocalPart, parseDomainName, withLeastQuotes } from '../../../contract/values/mail-address.ts';

/** An envelope address in the form that SES accepts, or the reason why the address is invalid. */
type SmtpAddress = { readonly address: string } | { readonly reason: string };

/** Maximum characters of an SMTP address (RFC 5321 §4.5.3.1.3, without the angle brackets). */
const maxAddressLength = 254;

/** A quoted local part (RFC 5321 §4.1.2), with its quotes. */
const quotedLocalPart = /^"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*"$/;
const maxLocalPartLength = 64;

/**
 * Whether each label of a domain equals its A-label, or its U-label in any letter case and Unicode form (RFC 5890
 * §2.3.2.1). Full-width letters, other full stops and invisible characters are not allowed: a parser would map them to
 * a different name than the visible one, and other programs refuse them.
 */
const isUnmapped = (given: string, domain: string): boolean => {
  const labels = domain.split('.');
  const givenLabels = given.toLowerCase().normalize('NFC').split('.');
  return givenLabels.length === labels.length && givenLabels.every((label, index) => label === labels[index] || label === domainToUnicode(labels[index]!));
};

/**
 * Parses an envelope address: a Mailbox of RFC 5321 §4.1.2 with a domain name. The domain is returned as A-labels in
 * lower case, the local part in the given letter case with as few quotes as possible. SES does not support SMTPUTF8
 * (RFC 6531).
 */
export const parseSmtpAddress = (given: string): SmtpAddress => {
  const at = given.lastIndexOf('@');
  const [localPart, givenDomain] = [withLeastQuotes(given.slice(0, Math.max(at, 0))), given.slice(at + 1)];
  const domain = parseDomainName(givenDomain);
  if (/\p{Cc}/u.test(given)) return { reason: 'it has a control character' };
  if (/[^\x20-\x7e]/.test(localPart)) return { reason: 'Amazon SES cannot send to a local part beyond ASCII (SMTPUTF8)' };
  if (domain === undefined) return { reason: 'its domain is not a name of two labels or more' };
  if (!isUnmapped(givenDomain, domain)) return { reason: 'its domain has characters that no domain name has (RFC 5891)' };
  const isValid = isLocalPart(localPart) || (quotedLocalPart.test(localPart) && localPart.length <= maxLocalPartLength);
  const address = `${localPart}@${domain}`;
  return isValid && address.length <= maxAddressLength ? { address } : { reason: 'it is not an address of RFC 5321' };
};

/** Whether two addresses are the same. Letter case, quotes, and A-labels or U-labels make no difference. */
export const isSameAddress = (one: string, other: string): boolean => {
  const [first, second] = [parseSmtpAddress(one), parseSmtpAddress(other)];
  return 'address' in first && 'address' in second && first.address.toLowerCase() === second.address.toLowerCase();
};
