import type { BodyPart } from './parsed-email.ts';
import { bodyLists } from './body-lists.ts';
import { decodeText } from './charset.ts';
import { decodeTransferEncoding } from './transfer-encoding.ts';
import { htmlToText } from './html-to-text.ts';
import { parseLimits } from './parse-limits.ts';

/** Soft hyphens, grapheme joiners, zero-width spaces, direction marks, byte order marks and control characters: nobody sees them. */
const invisible = /\u00AD|\u034F|\u200B|[\u200E\u200F\u2060-\u2064\uFEFF]|\p{Cc}/gu;

/** Joiners matter between two characters; senders also fill previews with them. */
const withoutLooseJoiners = (text: string): string => text.replaceAll(/[\u200C\u200D]+/g, (run, at: number) =>
  (/\S/.test(text[at - 1] ?? '') && /\S/.test(text[at + run.length] ?? '') ? run[0]! : ''));

/** As one line: blanks and line breaks are one space. */
const onOneLine = (text: string): string =>
  withoutLooseJoiners(text.replaceAll(/\s+/g, ' ').replaceAll(invisible, '')).replaceAll(/\s+/g, ' ').trim();

/** Lines that quote another message say nothing new, unless there is nothing else. */
const withoutQuotes = (text: string): string => {
  const own = text.split('\n').filter((line) => !line.startsWith('>')).join('\n');
  return own.trim() === '' ? text : own;
};

/** Cut to what a preview may have, never within a surrogate pair. */
const cut = (text: string): string => {
  if (text.length <= parseLimits.preview) return text;
  const lastUnit = text.charCodeAt(parseLimits.preview - 1);
  return text.slice(0, lastUnit >= 0xd800 && lastUnit <= 0xdbff ? parseLimits.preview - 1 : parseLimits.preview).trimEnd();
};

const previewOf = (message: Buffer, part: BodyPart): string => {
  const { start, end } = part.range ?? { start: 0, end: 0 };
  const octets = decodeTransferEncoding(message.subarray(start, Math.min(end, start + parseLimits.previewSource)), part.encoding);
  const { text } = decodeText(octets, part.charset);
  // Invisible filler may be many times as long as what is to be seen.
  const readable = part.type === 'text/html' ? htmlToText(text, 8 * parseLimits.preview) : withoutQuotes(text.slice(0, 64 * parseLimits.preview));
  return cut(onOneLine(readable));
};

/** The beginning of what the message says, on one line of at most 256 characters (RFC 8621 §4.1.4): of its text, else of its HTML. */
export const preview = (message: Buffer, structure: BodyPart): string => {
  const { textBody, htmlBody } = bodyLists(structure);
  const parts = [...textBody, ...htmlBody].filter((part) => part.type === 'text/plain' || part.type === 'text/html').slice(0, 4);
  for (const part of parts) {
    const found = previewOf(message, part);
    if (found !== '') return found;
  }
  return '';
};
