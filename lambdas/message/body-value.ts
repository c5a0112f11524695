import type { BodyPart } from '../store/mail/records.ts';
import { cutToOctets, decodeText } from './charset.ts';
import { decode } from './decode.ts';

/** RFC 8621 §4.1.4. */
export type EmailBodyValue = { readonly value: string; readonly isEncodingProblem: boolean; readonly isTruncated: boolean };

/** The HTML cut before a tag that would be left open. */
const withoutOpenTag = (html: string): string => {
  const opening = html.lastIndexOf('<');
  return opening > html.lastIndexOf('>') ? html.slice(0, opening) : html;
};

/**
 * A text part as Email/get answers it in `bodyValues`: decoded, CRLF as LF.
 * @param body the octets of the part's range in the raw message
 * @param maxOctets `maxBodyValueBytes`: octets of UTF-8 at most, never within a character nor, in HTML, within a tag; 0 for all of it
 */
export const bodyValue = (body: Buffer, part: BodyPart, maxOctets = 0): EmailBodyValue => {
  const { text, isProblem } = decodeText(decode(body, part.encoding), part.charset);
  const whole = text.replaceAll('\r\n', '\n');
  const cut = maxOctets > 0 ? cutToOctets(whole, maxOctets) : whole;
  const isTruncated = cut.length < whole.length;
  const value = isTruncated && part.type === 'text/html' ? withoutOpenTag(cut) : cut;
  return { value, isEncodingProblem: isProblem || part.encoding === undefined, isTruncated };
};
