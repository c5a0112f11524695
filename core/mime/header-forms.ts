import { addressParser, decodeWords } from 'postal-mime';
import type { EmailAddress } from './parsed-email.ts';
import { decodeUnlabeledText } from './charset.ts';
import { parseDateTime } from './date-time.ts';
import type { HeaderField } from './header-fields.ts';
import { parseLimits } from './parse-limits.ts';

/** The forms in which a client may ask for a header field (RFC 8621 §4.1.2). Each takes any octets; null where the RFC says so. */

/** Addresses of a group, or with `name` null those between groups (RFC 8621 §4.1.2.4). */
export type EmailAddressGroup = { readonly name: string | null; readonly addresses: readonly EmailAddress[] };

/** RFC 8621 §4.1.2.1: as it stands; octets that are not UTF-8 are U+FFFD, NUL is dropped. */
export const asRaw = (field: HeaderField): string => field.value.toString('utf8').replaceAll('\0', '');

/** The value on one line: folding undone, no NUL, and octets that say nothing about their charset guessed at. */
const unfolded = (field: HeaderField): string =>
  decodeUnlabeledText(field.value.subarray(0, parseLimits.fieldValue)).text.replaceAll('\0', '').replaceAll(/\r?\n(?=[ \t])/g, '').replaceAll(/[\r\n]/g, ' ').replace(/^[ \t]+/, '');

/** RFC 8621 §4.1.2.2: unfolded, encoded words (RFC 2047) decoded, in Unicode's composed form. */
export const asText = (field: HeaderField): string => decodeWords(unfolded(field)).replaceAll('\0', '').normalize('NFC');

/** What the parser found, as JMAP writes it: what is no address is kept as one, so that a client has something to show. */
const addressOf = ({ name, address }: { readonly name: string; readonly address?: string | undefined }): EmailAddress => {
  const cleanName = name.trim().normalize('NFC');
  return address ? { name: cleanName || null, email: address } : { name: null, email: cleanName };
};

/** RFC 8621 §4.1.2.4: groups by their names, and runs of addresses that are in none. */
export const asGroupedAddresses = (field: HeaderField): EmailAddressGroup[] => {
  const groups: { readonly name: string | null; readonly addresses: EmailAddress[] }[] = [];
  let loose: EmailAddress[] | undefined;
  for (const entry of addressParser(unfolded(field))) {
    if (entry.group) {
      groups.push({ name: entry.name.trim().normalize('NFC') || null, addresses: entry.group.map(addressOf) });
      loose = undefined;
    } else {
      if (!loose) groups.push({ name: null, addresses: loose = [] });
      loose.push(addressOf(entry));
    }
  }
  return groups;
};

/** RFC 8621 §4.1.2.3: every address, those of groups too. */
export const asAddresses = (field: HeaderField): EmailAddress[] => asGroupedAddresses(field).flatMap(({ addresses }) => addresses);

/** RFC 8621 §4.1.2.5: message ids without their brackets; a single one that lacks them counts. Null when there is none. */
export const asMessageIds = (field: HeaderField): string[] | null => {
  const value = unfolded(field).trim();
  const ids = [...value.matchAll(/<([^<>]+)>/g)].map(([, id]) => id!.replaceAll(/\s/g, '')).filter((id) => id !== '');
  if (ids.length > 0) return ids;
  return /^[^\s<>@,;]+@[^\s<>@,;]+$/.test(value) ? [value] : null;
};

/** RFC 8621 §4.1.2.6: with the offset that was stated. */
export const asDate = (field: HeaderField): string | null => parseDateTime(unfolded(field))?.text ?? null;

/** RFC 8621 §4.1.2.7: the URLs of a List-… field (RFC 2369). Null when there is none. */
export const asURLs = (field: HeaderField): string[] | null => {
  const urls = [...unfolded(field).matchAll(/<([^<>]+)>/g)].map(([, url]) => url!.replaceAll(/\s/g, '')).filter((url) => url !== '');
  return urls.length > 0 ? urls : null;
};

/** The Date field's time, for sorting and for the record; undefined when there is none that can be read. */
export const parseDateField = (field: HeaderField | undefined) => field && parseDateTime(unfolded(field));
