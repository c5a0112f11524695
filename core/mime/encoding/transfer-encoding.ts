import { carriageReturn, lineFeed } from '../lines.ts';
import type { ContentTransferEncoding } from '../parsed-email.ts';

/**
 * Content-Transfer-Encoding (RFC 2045 §6). The decoders accept any octets in linear time: octets that the encoding does
 * not allow are skipped (base64) or kept (quoted-printable). A prefix of a body decodes to a prefix of the content,
 * except for the last few octets.
 */

const notADigit = 255;
const padding = 254;

/**
 * The base64 digit of each octet: 0–63, {@link padding} for `=`, else {@link notADigit}. URL-safe digits are accepted.
 */
const digitValues = (() => {
  const values = new Uint8Array(256).fill(notADigit);
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  for (let value = 0; value < 64; value += 1) values[alphabet.charCodeAt(value)] = value;
  values[0x2d] = 62;
  values[0x5f] = 63;
  values[0x3d] = padding;
  return values;
})();

/**
 * Decodes base64 (RFC 2045 §6.8) into `target`. Without a target, only the length is computed. Another group may follow
 * padding, because some programs concatenate encoded texts.
 * @returns the number of decoded octets.
 */
const decodeBase64 = (source: Uint8Array, target: Uint8Array | undefined): number => {
  let written = 0;
  let bits = 0;
  let digits = 0;
  for (let index = 0; index < source.length; index += 1) {
    const value = digitValues[source[index]!]!;
    if (value === notADigit) continue;
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

const space = 0x20;
const tab = 0x09;
const equalsSign = 0x3d;

/** The position after the line break at `position`; `position` itself when there is none. */
const afterLineBreak = (source: Uint8Array, position: number): number => {
  if (source[position] === lineFeed) return position + 1;
  return source[position] === carriageReturn && source[position + 1] === lineFeed ? position + 2 : position;
};

/** The first position at or after `position` with neither a space nor a tab. */
const afterBlanks = (source: Uint8Array, position: number): number => {
  let next = position;
  while (source[next] === space || source[next] === tab) next += 1;
  return next;
};

/**
 * Decodes quoted-printable into `target`. Without a target, only the length is computed. Blanks before a line break are
 * removed, because a relay added them (RFC 2045 §6.7 rule 3).
 * @returns the number of decoded octets.
 */
const decodeQuotedPrintable = (source: Uint8Array, target: Uint8Array | undefined): number => {
  let written = 0;
  /** The number of decoded octets, without trailing blanks. */
  let kept = 0;
  for (let position = 0; position < source.length;) {
    const octet = source[position]!;
    let value = octet;
    position += 1;
    if (octet === equalsSign) {
      const blanksEnd = afterBlanks(source, position);
      const next = afterLineBreak(source, blanksEnd);
      if (next > blanksEnd || blanksEnd === source.length) {
        kept = written;
        position = next;
        continue;
      }
      const [high, low] = [hexValue(source[position]), hexValue(source[position + 1])];
      if (high >= 0 && low >= 0) {
        value = (high << 4) | low;
        position += 2;
      }
    } else if (octet === lineFeed || (octet === carriageReturn && source[position] === lineFeed)) {
      written = kept;
    }
    if (target) target[written] = value;
    written += 1;
    if (octet !== space && octet !== tab) kept = written;
  }
  return kept;
};

/** Decodes the body of a part. A body in an unknown encoding (undefined) is returned unchanged. */
export const decodeTransferEncoding = (body: Buffer, encoding: ContentTransferEncoding | undefined): Buffer => {
  if (encoding === undefined || encoding === 'identity') return body;
  if (encoding === 'base64') {
    const target = Buffer.allocUnsafe(Math.ceil((body.length * 3) / 4) + 3);
    return target.subarray(0, decodeBase64(body, target));
  }
  const target = Buffer.allocUnsafe(body.length);
  return target.subarray(0, decodeQuotedPrintable(body, target));
};

/** The length of the result of {@link decodeTransferEncoding}, without decoding into memory. */
export const decodedSize = (body: Buffer, encoding: ContentTransferEncoding | undefined): number => {
  if (encoding === undefined || encoding === 'identity') return body.length;
  return encoding === 'base64' ? decodeBase64(body, undefined) : decodeQuotedPrintable(body, undefined);
};
