import { carriageReturn, lineFeed, maxLineOctets } from '../lines.ts';

/** Encodes the bodies of parts with a Content-Transfer-Encoding (RFC 2045 §6). */

export type EncodedBody = { readonly encoding: '7bit' | '8bit' | 'binary' | 'quoted-printable' | 'base64'; readonly octets: Buffer };

/** Maximum octets of a line in quoted-printable and base64 (RFC 2045 §6.7, §6.8). */
const maxEncodedLine = 76;

/** Whether octets without NUL up to a maximum are in CRLF lines of at most 998 octets. */
const isInLines = (octets: Buffer, maxOctet: number): boolean => {
  let lineStart = 0;
  for (let index = 0; index < octets.length; index += 1) {
    const octet = octets[index]!;
    if (octet === 0 || octet > maxOctet) return false;
    if (octet === lineFeed) return false;
    if (octet === carriageReturn) {
      if (octets[index + 1] !== lineFeed || index - lineStart > maxLineOctets) return false;
      index += 1;
      lineStart = index + 1;
    }
  }
  return octets.length - lineStart <= maxLineOctets;
};

/** Whether octets may be sent unencoded (RFC 2045 §2.7): ASCII without NUL, in CRLF lines of at most 998 octets. */
export const is7bit = (octets: Buffer): boolean => isInLines(octets, 127);

/** Whether the type is one whose parts may be neither base64 nor quoted-printable (RFC 2045 §6.4; RFC 6532 §3.7). */
export const isMessageType = (type: string): boolean => type.startsWith('message/') && !type.startsWith('message/global');

/** Base64 (RFC 2045 §6.8) in lines of 76 characters. The last line also has a line break. */
export const base64Text = (octets: Buffer): Buffer => {
  const text = octets.toString('base64');
  const lines = Math.ceil(text.length / maxEncodedLine);
  const target = Buffer.allocUnsafe(text.length + 2 * lines);
  for (let line = 0, written = 0; line < lines; line += 1) {
    written += target.write(`${text.slice(line * maxEncodedLine, (line + 1) * maxEncodedLine)}\r\n`, written, 'latin1');
  }
  return target;
};

const hexDigits = Buffer.from('0123456789ABCDEF');
const [space, tab, equalsSign] = [0x20, 0x09, 0x3d];

const isLineBreak = (octets: Buffer, index: number): boolean => octets[index] === carriageReturn && octets[index + 1] === lineFeed;

/**
 * Whether quoted-printable keeps the octet unencoded. A blank at the end of a line is encoded, because relays remove
 * such blanks.
 */
const isLiteral = (octets: Buffer, index: number): boolean => {
  const octet = octets[index]!;
  if (octet === space || octet === tab) return index + 1 < octets.length && !isLineBreak(octets, index + 1);
  return octet > space && octet < 127 && octet !== equalsSign;
};

/** Quoted-printable (RFC 2045 §6.7) of text whose lines end with CRLF. Any other CR or LF is encoded. */
export const quotedPrintableText = (octets: Buffer): Buffer => {
  const target = Buffer.allocUnsafe(octets.length * 3 + Math.ceil((octets.length * 3) / (maxEncodedLine - 3)) * 3);
  let written = 0;
  let lineLength = 0;
  for (let index = 0; index < octets.length; index += 1) {
    if (isLineBreak(octets, index)) {
      written += target.write('\r\n', written, 'latin1');
      lineLength = 0;
      index += 1;
      continue;
    }
    const literal = isLiteral(octets, index);
    const width = literal ? 1 : 3;
    // The last column is kept for the `=` of a soft line break.
    if (lineLength + width > maxEncodedLine - 1) {
      written += target.write('=\r\n', written, 'latin1');
      lineLength = 0;
    }
    const octet = octets[index]!;
    if (literal) {
      target[written] = octet;
    } else {
      target[written] = equalsSign;
      target[written + 1] = hexDigits[octet >> 4]!;
      target[written + 2] = hexDigits[octet & 15]!;
    }
    written += width;
    lineLength += width;
  }
  return target.subarray(0, written);
};

/**
 * Whether quoted-printable is shorter. It adds two octets for each encoded octet; base64 adds a third to all octets.
 */
export const isMostlyAscii = (octets: Buffer): boolean => {
  let encoded = 0;
  for (const octet of octets) if (octet > 126 || octet === equalsSign) encoded += 1;
  return encoded * 6 <= octets.length;
};

/** The prefix of every boundary. Neither quoted-printable nor base64 can contain it (RFC 2045 §6.7). */
export const boundaryPrefix = '=_';

/** Whether a line of the text could be mistaken for a delimiter of the enclosing message. */
const hasDelimiter = (text: string): boolean => /(?:^|\n)--=_/.test(text);

/** Encodes a text in UTF-8, with CRLF line ends, in the shortest encoding that its media type allows. */
export const encodeText = (text: string, type: string): EncodedBody => {
  const octets = Buffer.from(text.replaceAll(/\r?\n/g, '\r\n'));
  if (isMessageType(type)) return encodeOctets(octets, type);
  if (is7bit(octets) && !hasDelimiter(text)) return { encoding: '7bit', octets };
  return isMostlyAscii(octets) ? { encoding: 'quoted-printable', octets: quotedPrintableText(octets) } : { encoding: 'base64', octets: base64Text(octets) };
};

/**
 * Encodes octets in base64, so that they arrive unchanged. A message within a message is not encoded (RFC 2046 §5.2.1);
 * when the way needs 7bit, the sender converts it inside.
 */
export const encodeOctets = (octets: Buffer, type: string): EncodedBody => {
  if (!isMessageType(type)) return { encoding: 'base64', octets: base64Text(octets) };
  return { encoding: is7bit(octets) ? '7bit' : isInLines(octets, 255) ? '8bit' : 'binary', octets };
};
