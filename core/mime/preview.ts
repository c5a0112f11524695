import { bodyLists, isText } from './body/body-lists.ts';
import { decodePartText } from './encoding/charset.ts';
import { decodeTransferEncoding } from './encoding/transfer-encoding.ts';
import { htmlToText } from './html-to-text.ts';
import { parseLimits } from './parse-limits.ts';
import type { BodyPart } from './parsed-email.ts';

/** Characters without a glyph, such as soft hyphens, zero-width spaces, direction marks and controls. */
const invisible = /\u00AD|\u034F|\u200B|[\u200E\u200F\u2060-\u2064\uFEFF]|\p{Cc}/gu;

/** Keeps a zero-width joiner only between two characters, because senders also use joiners as invisible padding. */
const withoutLooseJoiners = (text: string): string =>
  text.replaceAll(/[\u200C\u200D]+/g, (joiners, offset: number) =>
    /\S/.test(text[offset - 1] ?? '') && /\S/.test(text[offset + joiners.length] ?? '') ? joiners[0]! : '',
  );

/** The text on one line, with single spaces. */
const onOneLine = (text: string): string => withoutLooseJoiners(text.replaceAll(/\s+/g, ' ').replaceAll(invisible, '')).replaceAll(/\s+/g, ' ').trim();

/** The text without lines quoted from another message, unless it has no other lines. */
const withoutQuotes = (text: string): string => {
  const own = text
    .split('\n')
    .filter((line) => !line.startsWith('>'))
    .join('\n');
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

/** The text of `text/enriched` (RFC 1896) without its commands. */
const withoutEnrichedCommands = (text: string): string =>
  text
    .replaceAll(/<param>[^<]{0,200}<\/param>/gi, '')
    .replaceAll(/<\/?[a-z][a-z-]{0,58}>/gi, '')
    .replaceAll('<<', '<');

/** What, where and why of the events in `text/calendar` (RFC 5545 §3.8.1). */
const textOfCalendar = (text: string): string =>
  text
    .replaceAll(/\r?\n[ \t]/g, '')
    .split(/\r?\n/)
    .flatMap((line) => /^(?:SUMMARY|LOCATION|DESCRIPTION)(?:;[^:]{0,500})?:(.*)$/i.exec(line)?.[1] ?? [])
    .map((value) => value.replaceAll(/\\n/gi, ' ').replaceAll(/\\([^])/g, '$1'))
    .join(' ');

const readers = new Map(
  Object.entries({
    'text/html': (text: string) => htmlToText(text, htmlFactor * parseLimits.preview),
    'text/enriched': withoutEnrichedCommands,
    'text/richtext': withoutEnrichedCommands,
    'text/calendar': textOfCalendar,
  }),
);

const previewOfPart = (message: Buffer, part: BodyPart): string => {
  const range = part.range ?? { start: 0, end: 0 };
  const octets = decodeTransferEncoding(message.subarray(range.start, Math.min(range.end, range.start + parseLimits.previewSource)), part.encoding);
  const { text } = decodePartText(octets, part);
  const start = part.type === 'text/html' ? text : text.slice(0, textFactor * parseLimits.preview);
  return cutToPreview(onOneLine((readers.get(part.type) ?? withoutQuotes)(start)));
};

/**
 * The beginning of the message's text on one line of at most 256 characters (RFC 8621 §4.1.4): of its HTML if it has no
 * text, and of a part of another text type if it has neither.
 */
export const preview = (message: Buffer, structure: BodyPart): string => {
  const { textBody, htmlBody, attachments } = bodyLists(structure);
  const shown = [...textBody, ...htmlBody].filter(isText);
  const others = attachments.filter((part) => part.type.startsWith('text/') && part.disposition !== 'attachment');
  for (const part of (shown.length > 0 ? shown : others).slice(0, 4)) {
    const text = previewOfPart(message, part);
    if (text !== '') return text;
  }
  return '';
};
