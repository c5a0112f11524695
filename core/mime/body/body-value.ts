import { decodePartText } from '../encoding/charset.ts';
import { decodeTransferEncoding } from '../encoding/transfer-encoding.ts';
import type { BodyPart } from '../parsed-email.ts';
import { cutToOctets } from '../text-limits.ts';

/** The EmailBodyValue of RFC 8621 §4.1.4. */
export type EmailBodyValue = { readonly value: string; readonly isEncodingProblem: boolean; readonly isTruncated: boolean };

/** The HTML without an incomplete tag at its end. */
const withoutCutTag = (html: string): string => {
  const opening = html.lastIndexOf('<');
  return opening > html.lastIndexOf('>') ? html.slice(0, opening) : html;
};

/** The octets without an incomplete multi-octet character at the end. */
const withoutCutCharacter = (octets: Buffer): Buffer => {
  let end = octets.length;
  while (end > Math.max(0, octets.length - 4) && octets[end - 1]! >= 0x80) end -= 1;
  return octets.subarray(0, end);
};

/**
 * The value of a text part as Email/get returns it in `bodyValues`: decoded, with CRLF as LF.
 * @param body the octets of the part's range in the raw message, or a prefix of them. For a prefix, the value is
 * truncated.
 * @param maxOctets `maxBodyValueBytes`: maximum octets of UTF-8. The value ends neither within a character nor, in
 * HTML, within a tag. 0: no limit.
 */
export const bodyValue = (body: Buffer, part: BodyPart, maxOctets = 0): EmailBodyValue => {
  const isPartial = part.range !== undefined && body.length < part.range.end - part.range.start;
  const octets = decodeTransferEncoding(body, part.encoding);
  const { text, isEncodingProblem } = decodePartText(isPartial ? withoutCutCharacter(octets) : octets, part);
  const whole = text.replaceAll('\r\n', '\n');
  const cut = maxOctets > 0 ? cutToOctets(whole, maxOctets) : whole;
  const isTruncated = isPartial || cut.length < whole.length;
  const value = isTruncated && part.type === 'text/html' ? withoutCutTag(cut) : cut;
  return { value, isEncodingProblem: isEncodingProblem || part.encoding === undefined, isTruncated };
};
