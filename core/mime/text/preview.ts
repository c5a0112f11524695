import type { BodyPart } from '../parsed-email.ts';
import { bodyLists } from '../body/body-lists.ts';
import { decodeText } from '../encoding/charset.ts';
import { decodeTransferEncoding } from '../encoding/transfer-encoding.ts';
import { htmlToText } from './html-to-text.ts';
import { parseLimits } from '../parse-limits.ts';

/** Characters without a glyph, such as soft hyphens, zero-width spaces, direction marks and controls. */
const invisible = /\u00AD|\u034F|\u200B|[\u200E\u200F\u2060-\u2064\uFEFF]|\p{Cc}/gu;

/** Keeps a zero-width joiner only between two characters, because senders also use joiners as invisible padding. */
const withoutLooseJoiners = (text: string): string => text.replaceAll(/[\u200C\u200D]+/g, (joiners, offset: number) =>
  (/\S/.test(text[offset - 1] ?? '') && /\S/.test(text[offset + joiners.length] ?? '') ? joiners[0]! : ''));

/** The text on one line, with single spaces. */
const onOneLine = (text: string): string =>
  withoutLooseJoiners(text.replaceAll(/\s+/g, ' ').replaceAll(invisible, '')).replaceAll(/\s+/g, ' ').trim();

/** The text without lines quoted from another message, unless it has no other lines. */
const withoutQuotes = (text: string): string => {
  const own = text.split('\n').filter((line) => !line.startsWith('>')).join('\n');
  return own.trim() === '' ? text : own;
};

/** The text truncated to the length of a preview, never within a surrogate pair. */
const cutToPreview = (text: string): string => {
  if (text.length <= parseLimits.preview) return text;
  const lastUnit = text.charCodeAt(parseLimits.preview - 1);
  return text.slice(0, lastUnit >= 0xd800 && lastUnit <= 0xdbff ? parseLimits.preview - 1 : parseLimits.preview).trimEnd();
};

/**
 * Octets of HTML and of text that are read for each character of the preview. Invisible padding can be much longer than
 * the preview.
 */
const [htmlFactor, textFactor] = [8, 64];

const previewOfPart = (message: Buffer, part: BodyPart): string => {
  const { start, end } = part.range ?? { start: 0, end: 0 };
  const octets = decodeTransferEncoding(message.subarray(start, Math.min(end, start + parseLimits.previewSource)), part.encoding);
  const { text } = decodeText(octets, part.charset);
  const readable = part.type === 'text/html'
    ? htmlToText(text, htmlFactor * parseLimits.preview)
    : withoutQuotes(text.slice(0, textFactor * parseLimits.preview));
  return cutToPreview(onOneLine(readable));
};

/**
 * The beginning of the message's text (of its HTML, if it has no text) on one line of at most 256 characters (RFC 8621
 * §4.1.4).
 */
export const preview = (message: Buffer, structure: BodyPart): string => {
  const { textBody, htmlBody } = bodyLists(structure);
  const parts = [...textBody, ...htmlBody].filter((part) => part.type === 'text/plain' || part.type === 'text/html').slice(0, 4);
  for (const part of parts) {
    const text = previewOfPart(message, part);
    if (text !== '') return text;
  }
  return '';
};
