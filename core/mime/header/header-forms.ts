import { addressParser } from 'postal-mime';
import type { EmailAddress } from '../parsed-email.ts';
import { decodeUnlabeledText } from '../encoding/charset.ts';
import { parseDateTime, type ParsedDateTime } from './date-time.ts';
import { decodeEncodedWords, withWebCharsets } from '../encoding/encoded-words.ts';
import type { HeaderField } from './header-fields.ts';
import { parseLimits } from '../parse-limits.ts';

/** The forms of a header field (RFC 8621 §4.1.2). Each accepts any octets, and returns null where the RFC says so. */

/** The addresses of a group; `name` is null for consecutive addresses outside of groups (RFC 8621 §4.1.2.4). */
export type EmailAddressGroup = { readonly name: string | null; readonly addresses: readonly EmailAddress[] };

/** The Raw form (RFC 8621 §4.1.2.1): the octets decoded as UTF-8, with U+FFFD for invalid ones and without NUL. */
export const asRaw = (field: HeaderField): string => field.value.toString('utf8').replaceAll('\0', '');

/**
 * The value on one line, without NUL and leading blanks. Raw 8-bit octets are read as UTF-8, or else as Windows-1252.
 */
const unfolded = (field: HeaderField): string =>
  decodeUnlabeledText(field.value.subarray(0, parseLimits.fieldValue)).text
    .replaceAll('\0', '').replaceAll(/\r?\n(?=[ \t])/g, '').replaceAll(/[\r\n]/g, ' ').replace(/^[ \t]+/, '');

/**
 * The Text form (RFC 8621 §4.1.2.2): unfolded, with encoded words (RFC 2047) decoded, in Unicode normalization form C.
 */
export const asText = (field: HeaderField): string => decodeEncodedWords(unfolded(field)).normalize('NFC');

/** A name on one line, without control characters, in Unicode normalization form C. */
const displayName = (name: string): string => name.replaceAll('\t', ' ').replaceAll(/\p{Cc}/gu, '').trim().normalize('NFC');

/**
 * An entry of the address parser as an EmailAddress. Text without an address is also returned, so that a client can
 * show it.
 */
const addressOf = ({ name, address }: { readonly name: string; readonly address?: string | undefined }): EmailAddress => {
  const cleanName = displayName(name);
  return address ? { name: cleanName || null, email: address } : { name: null, email: cleanName };
};

/** Quoted strings, comments and angle brackets. An unclosed one extends to the end of the text. */
const enclosed = /"(?:[^"\\]|\\[^])*"?|\((?:[^()\\]|\\[^])*\)?|<[^>]*>?/;
const enclosedOrGroup = new RegExp(`${enclosed.source}|:[^;]*`, 'g');
const enclosedOrColon = new RegExp(`${enclosed.source}|:`, 'g');

/**
 * The address list with a limited number of nested groups, which RFC 5322 §3.4 does not allow. In further groups the
 * colon becomes a blank, because the address parser parses a group's text again for each nested group.
 */
const withoutNestedGroups = (addressList: string): string => addressList.replaceAll(enclosedOrGroup, (group) => {
  if (!group.startsWith(':')) return group;
  let colons = -1;
  return group.replaceAll(enclosedOrColon, (token) => {
    if (token === ':') colons += 1;
    return token === ':' && colons > parseLimits.nestedGroups ? ' ' : token;
  });
});

/**
 * The GroupedAddresses form (RFC 8621 §4.1.2.4): the groups, and the addresses between them as groups without a name.
 */
export const asGroupedAddresses = (field: HeaderField): EmailAddressGroup[] => {
  const groups: { readonly name: string | null; readonly addresses: EmailAddress[] }[] = [];
  let ungrouped: EmailAddress[] | undefined;
  for (const entry of addressParser(withoutNestedGroups(withWebCharsets(unfolded(field))))) {
    if (entry.group) {
      groups.push({ name: displayName(entry.name) || null, addresses: entry.group.map(addressOf) });
      ungrouped = undefined;
    } else {
      if (!ungrouped) groups.push({ name: null, addresses: ungrouped = [] });
      ungrouped.push(addressOf(entry));
    }
  }
  return groups;
};

/** The Addresses form (RFC 8621 §4.1.2.3): all addresses, including those of groups. */
export const asAddresses = (field: HeaderField): EmailAddress[] => asGroupedAddresses(field).flatMap(({ addresses }) => addresses);

/** The position of the parenthesis that ends the comment at `start` or begins another one in it; else the end of the text. */
const commentLimit = (value: string, start: number): number => {
  let position = start + 1;
  while (position < value.length && value[position] !== '(' && value[position] !== ')') position += value[position] === '\\' ? 2 : 1;
  return Math.min(position, value.length);
};

/** The texts in angle brackets, without blanks. Comments are skipped. Each character is read at most twice. */
const inBrackets = (value: string): string[] => {
  const texts: string[] = [];
  /** The end of the last comment that is not closed. Escaped parentheses within it begin no comment that is closed. */
  let unclosed = 0;
  for (let position = 0; position < value.length; position += 1) {
    if (value[position] === '(' && position >= unclosed) {
      const limit = commentLimit(value, position);
      if (value[limit] === ')') position = limit;
      else unclosed = limit;
    } else if (value[position] === '<') {
      const start = position + 1;
      while (position + 1 < value.length && value[position + 1] !== '<' && value[position + 1] !== '>') position += 1;
      if (value[position + 1] === '>') texts.push(value.slice(start, position + 1).replaceAll(/\s/g, ''));
    }
  }
  return texts.filter((text) => text !== '');
};

/**
 * The MessageIds form (RFC 8621 §4.1.2.5): the message ids without their brackets, which a single id may lack. Null
 * when there is none.
 */
export const asMessageIds = (field: HeaderField): string[] | null => {
  const value = unfolded(field).trim();
  const ids = inBrackets(value);
  if (ids.length > 0) return ids;
  return /^[^\s<>@,;]+@[^\s<>@,;]+$/.test(value) ? [value] : null;
};

/** The Date form (RFC 8621 §4.1.2.6): the date with the UTC offset of the field. Null when it cannot be parsed. */
export const asDate = (field: HeaderField): string | null => parseDateTime(unfolded(field))?.text ?? null;

/** The URLs form (RFC 8621 §4.1.2.7): the URLs of a List-* field (RFC 2369). Null when there is none. */
export const asURLs = (field: HeaderField): string[] | null => {
  const urls = inBrackets(unfolded(field));
  return urls.length > 0 ? urls : null;
};

/** The date of a Date field; undefined when the field is missing or cannot be parsed. */
export const parseDateField = (field: HeaderField | undefined): ParsedDateTime | undefined => field && parseDateTime(unfolded(field));
