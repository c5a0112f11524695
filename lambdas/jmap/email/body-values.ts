import { furtherLimits } from '../../../contract/jmap/core.ts';
import { cutToOctets, decodeText } from '../../message/charset.ts';
import { decode } from '../../message/decode.ts';
import type { BodyPart } from '../../store/mail/records.ts';
import type { Range, RawMessage } from './raw-message.ts';

/** RFC 8621 §4.1.4 EmailBodyValue */
export type BodyValue = { readonly value: string; readonly isEncodingProblem: boolean; readonly isTruncated: boolean };

/** Octets of UTF-8 that a value has at most: as asked for, but never more than an answer can carry. */
const mostOctets = (asked: number): number => Math.min(asked || furtherLimits.maxSizeBodyValue, furtherLimits.maxSizeBodyValue);

/** Octets in the raw message that so many octets of text can take: quoted-printable triples, and soft line breaks cost something. */
const rawOctets = (octets: number): number => octets * 4 + 1024;

/** The range to read for a part's value: no more of a large part than will be shown. */
export const valueRange = (part: BodyPart, asked: number): Range => {
  const { start, end } = part.range!;
  return { start, end: Math.min(end, start + rawOctets(mostOctets(asked))) };
};

/** Cuts HTML before a tag that the cut would split (RFC 8621 §4.2). */
const outsideTags = (html: string): string => {
  const open = html.lastIndexOf('<');
  return open > html.lastIndexOf('>') ? html.slice(0, open) : html;
};

/** Without the beginning of a character whose end was not read. */
const withoutSplitCharacter = (octets: Buffer): Buffer => {
  let end = octets.length;
  while (end > Math.max(0, octets.length - 4) && octets[end - 1]! >= 0x80) end -= 1;
  return octets.subarray(0, end);
};

/** The text of a part: decoded, with line feeds, cut to the octets asked for (0: all that can be sent). */
export const bodyValue = (part: BodyPart, raw: RawMessage, asked: number): BodyValue => {
  const range = valueRange(part, asked);
  const isCut = range.end < part.range!.end;
  const octets = decode(raw.bytes(range), part.encoding);
  const { text, isProblem } = decodeText(isCut ? withoutSplitCharacter(octets) : octets, part.charset);
  const whole = text.replaceAll('\r\n', '\n');
  const most = mostOctets(asked);
  const isTruncated = isCut || Buffer.byteLength(whole) > most;
  const cut = isTruncated ? cutToOctets(whole, most) : whole;
  return {
    value: isTruncated && part.type === 'text/html' ? outsideTags(cut) : cut,
    isEncodingProblem: isProblem || part.encoding === undefined,
    isTruncated,
  };
};
