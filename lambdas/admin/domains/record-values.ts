import type { LookupType } from '../../../core/dns/public-dns.ts';

/** Octets of one string of a TXT record (RFC 1035 §3.3). */
const longestString = 255;

const host = (value: string): string => value.toLowerCase().replace(/\.$/, '');

/** The octets of a text that a zone file can't say in plain: quotes, backslashes and what is not printable ASCII, in octal as Route 53 reads it. */
const octet = (code: number): string => {
  const character = String.fromCodePoint(code);
  if (character === '"' || character === '\\') return `\\${character}`;
  return code >= 0x20 && code < 0x7f ? character : `\\${code.toString(8).padStart(3, '0')}`;
};

const quoted = (text: string): string => {
  const octets = [...Buffer.from(text)];
  const strings = Array.from({ length: Math.max(1, Math.ceil(octets.length / longestString)) }, (_, index) => octets.slice(index * longestString, (index + 1) * longestString));
  return strings.map((string) => `"${string.map(octet).join('')}"`).join(' ');
};

const unquoted = (value: string): string => {
  const strings = [...value.matchAll(/"((?:[^"\\]|\\.)*)"/gs)].map((match) => match[1] ?? '');
  const octets = (strings.length === 0 ? [value] : strings).join('').replaceAll(/\\([0-7]{3}|.)/gs, (_, escaped: string) =>
    (escaped.length === 3 ? String.fromCodePoint(Number.parseInt(escaped, 8)) : escaped));
  // Octets beyond ASCII are UTF-8 if they are anything.
  return Buffer.from(octets, 'latin1').toString();
};

/** A value as a zone file writes it, in the one form that `PublicDns` tells: hosts in lower case without a dot at the end, a TXT as one text. */
export const plainValue = (type: LookupType, value: string): string => {
  if (type === 'TXT') return unquoted(value);
  return host(value.trim().replace(/\s+/g, ' '));
};

/** The other way: a value as a zone file writes it (RFC 1035 §5.1). */
export const zoneFileValue = (type: LookupType, value: string): string => (type === 'TXT' ? quoted(value) : `${value}.`);
