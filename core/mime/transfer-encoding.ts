import type { ContentTransferEncoding } from './parsed-email.ts';

/**
 * Content-Transfer-Encodings undone (RFC 2045 §6.7, §6.8). Total and linear: what is not of the encoding is skipped or kept as it stands, and
 * a body that was cut decodes up to the cut. Decoding a prefix gives a prefix of the decoding, but for its last few octets, so a large
 * part can be read in pieces.
 */

/** Value of each octet as a base64 digit: 0–63, {@link padding} for `=`, {@link foreign} for anything else. URL-safe digits count too. */
const foreign = 255;
const padding = 254;
const digitValues = (() => {
  const values = new Uint8Array(256).fill(foreign);
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  for (let value = 0; value < 64; value += 1) values[alphabet.charCodeAt(value)] = value;
  values[0x2d] = 62;
  values[0x5f] = 63;
  values[0x3d] = padding;
  return values;
})();

/** Writes the decoding to `target`, or only counts without one. Padding ends a group; another may follow, as concatenating programs write. */
const base64 = (source: Uint8Array, target: Uint8Array | undefined): number => {
  let written = 0;
  let bits = 0;
  let digits = 0;
  for (let at = 0; at < source.length; at += 1) {
    const value = digitValues[source[at]!]!;
    if (value === foreign) continue;
    if (value === padding) {
      bits = digits = 0;
      continue;
    }
    bits = ((bits << 6) | value) & 0xffff;
    digits += 1;
    if (digits === 1) continue;
    if (target) target[written] = bits >> (8 - 2 * digits);
    written += 1;
    if (digits === 4) digits = 0;
  }
  return written;
};

const hexValue = (octet: number | undefined): number => {
  if (octet === undefined) return -1;
  if (octet >= 0x30 && octet <= 0x39) return octet - 0x30;
  const letter = octet | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
};

/** Where the line break at `at` ends; `at` itself when there is none. */
const afterBreak = (source: Uint8Array, at: number): number => {
  if (source[at] === 0x0a) return at + 1;
  return source[at] === 0x0d && source[at + 1] === 0x0a ? at + 2 : at;
};

/** The first octet from `at` on that is neither space nor tab. */
const afterBlanks = (source: Uint8Array, at: number): number => {
  let next = at;
  while (source[next] === 0x20 || source[next] === 0x09) next += 1;
  return next;
};

/** Blanks before a line break are what some relay added and go (RFC 2045 §6.7 rule 3); before anything else they stay. */
const quotedPrintable = (source: Uint8Array, target: Uint8Array | undefined): number => {
  let written = 0;
  const write = (octet: number): void => {
    if (target) target[written] = octet;
    written += 1;
  };
  for (let at = 0; at < source.length;) {
    const octet = source[at]!;
    if (octet === 0x3d) {
      const end = afterBlanks(source, at + 1);
      const next = afterBreak(source, end);
      const [high, low] = [hexValue(source[at + 1]), hexValue(source[at + 2])];
      if (next > end || end === source.length) at = next;
      else if (high >= 0 && low >= 0) {
        write((high << 4) | low);
        at += 3;
      } else {
        write(octet);
        at += 1;
      }
    } else if (octet === 0x20 || octet === 0x09) {
      const end = afterBlanks(source, at);
      if (end < source.length && afterBreak(source, end) === end) for (; at < end; at += 1) write(source[at]!);
      at = end;
    } else {
      write(octet);
      at += 1;
    }
  }
  return written;
};

/** The body of a part decoded; of an unknown encoding (undefined), as it stands. */
export const decodeTransferEncoding = (body: Buffer, encoding: ContentTransferEncoding | undefined): Buffer => {
  if (encoding === undefined || encoding === 'identity') return body;
  const target = Buffer.allocUnsafe(encoding === 'base64' ? Math.ceil((body.length * 3) / 4) + 3 : body.length);
  return target.subarray(0, (encoding === 'base64' ? base64 : quotedPrintable)(body, target));
};

/** Octets of what {@link decodeTransferEncoding} gives, without making it. */
export const decodedSize = (body: Buffer, encoding: ContentTransferEncoding | undefined): number => {
  if (encoding === undefined || encoding === 'identity') return body.length;
  return (encoding === 'base64' ? base64 : quotedPrintable)(body, undefined);
};

/** What a Content-Transfer-Encoding field says; undefined for one that nobody can undo. */
export const parseTransferEncoding = (value: string | undefined): ContentTransferEncoding | undefined => {
  const word = (value ?? '').replaceAll(/\([^()]*\)/g, '').trim().toLowerCase();
  if (word === 'base64' || word === 'quoted-printable') return word;
  return ['', '7bit', '8bit', 'binary'].includes(word) ? 'identity' : undefined;
};
