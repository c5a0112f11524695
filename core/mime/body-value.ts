import type { BodyPart } from './parsed-email.ts';
import { cutToOctets, decodeText } from './charset.ts';
import { decodeTransferEncoding } from './transfer-encoding.ts';

/** RFC 8621 §4.1.4. */
export type EmailBodyValue = { readonly value: string; readonly isEncodingProblem: boolean; readonly isTruncated: boolean };

/** The HTML cut before a tag that would be left open. */
const withoutOpenTag = (html: string): string => {
  const opening = html.lastIndexOf('<');
  return opening > html.lastIndexOf('>') ? html.slice(0, opening) : html;
};

/** Without the beginning of a character whose end was not read. */
const withoutSplitCharacter = (octets: Buffer): Buffer => {
  let end = octets.length;
  while (end > Math.max(0, octets.length - 4) && octets[end - 1]! >= 0x80) end -= 1;
  return octets.subarray(0, end);
};

/**
 * A text part as Email/get answers it in `bodyValues`: decoded, CRLF as LF.
 * @param body the octets of the part's range in the raw message, or the first of them: what is missing counts as truncated
 * @param maxOctets `maxBodyValueBytes`: octets of UTF-8 at most, never within a character nor, in HTML, within a tag; 0 for all of it
 */
export const bodyValue = (body: Buffer, part: BodyPart, maxOctets = 0): EmailBodyValue => {
  const isCut = part.range !== undefined && body.length < part.range.end - part.range.start;
  const octets = decodeTransferEncoding(body, part.encoding);
  const { text, isProblem } = decodeText(isCut ? withoutSplitCharacter(octets) : octets, part.charset);
  const whole = text.replaceAll('\r\n', '\n');
  const cut = maxOctets > 0 ? cutToOctets(whole, maxOctets) : whole;
  const isTruncated = isCut || cut.length < whole.length;
  const value = isTruncated && part.type === 'text/html' ? withoutOpenTag(cut) : cut;
  return { value, isEncodingProblem: isProblem || part.encoding === undefined, isTruncated };
};
