import { normalizeHost, type LookupType } from '../../../core/runtime/public-dns.ts';

/** Maximum octets of one character string of a TXT record (RFC 1035 §3.3). */
const maxStringLength = 255;

/** Escapes quotes and backslashes, and writes octets that are not printable ASCII in octal, as Route 53 reads them. */
const escapeOctet = (code: number): string => {
  const character = String.fromCodePoint(code);
  if (character === '"' || character === '\\') return `\\${character}`;
  return code >= 0x20 && code < 0x7f ? character : `\\${code.toString(8).padStart(3, '0')}`;
};

const quoteText = (text: string): string => {
  const octets = [...Buffer.from(text)];
  const strings = Array.from(
    { length: Math.max(1, Math.ceil(octets.length / maxStringLength)) },
    (_, index) => octets.slice(index * maxStringLength, (index + 1) * maxStringLength),
  );
  return strings.map((string) => `"${string.map(escapeOctet).join('')}"`).join(' ');
};

const unquoteText = (value: string): string => {
  const strings = [...value.matchAll(/"((?:[^"\\]|\\.)*)(?:"|\\?$)/gs)].map((match) => match[1] ?? '');
  const octets = (strings.length === 0 ? [value] : strings).join('').replaceAll(/\\([0-7]{3}|.)/gs, (_, escaped: string) =>
    (escaped.length === 3 ? String.fromCodePoint(Number.parseInt(escaped, 8)) : escaped));
  // Octets beyond ASCII are read as UTF-8.
  return Buffer.from(octets, 'latin1').toString();
};

/** Decodes a zone file's value into the form of `PublicDns`. */
export const decodeZoneFileValue = (type: LookupType, value: string): string => {
  if (type === 'TXT') return unquoteText(value);
  return normalizeHost(value.trim().replace(/\s+/g, ' '));
};

/** Encodes a value as a zone file writes it (RFC 1035 §5.1). */
export const encodeZoneFileValue = (type: LookupType, value: string): string => (type === 'TXT' ? quoteText(value) : `${value}.`);
