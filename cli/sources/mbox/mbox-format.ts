import { parseDateTime } from '../../../core/mime/date.ts';
import { statableDate } from '../mail-source.ts';

/** The ways to quote body lines that begin with `From ` in an mbox (docs/moving-in.md#mbox-files). */
export const mboxQuotings = ['mboxrd', 'mboxo', 'none'] as const;
export type MboxQuoting = (typeof mboxQuotings)[number];

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const two = (value: number): string => String(value).padStart(2, '0');

/** A time in UTC in the form of C's asctime: `Sat Nov 21 08:38:00 2026`. */
const asctime = (date: Date): string =>
  `${weekdays[date.getUTCDay()]} ${months[date.getUTCMonth()]} ${String(date.getUTCDate()).padStart(2)} ` +
  `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())} ${date.getUTCFullYear()}`;

/** The line that begins a message in an mbox, without its line end (RFC 4155). */
export const fromLine = (receivedAt: Date, sender = 'MAILER-DAEMON'): string => `From ${sender} ${asctime(receivedAt)}`;

const clock = String.raw`\d{1,2}:\d{2}(?::\d{2})?`;
const dateForm = new RegExp(String.raw`(?:${months.join('|')})[a-z]*\s+\d{1,2}\s+${clock}\s+(?:(?:[A-Z]{3,5}|[+-]\d{4})\s+)?\d{4}(?:\s+[+-]\d{4})?`);

const wholeFromLine = new RegExp(String.raw`^From \S+ +(?:(?:${weekdays.join('|')})\w*,?\s+)?${dateForm.source}\s*$`);

/** Whether a line that begins with `From ` has a time and a year, as separator lines have. */
export const isDatedFromLine = (line: string): boolean => line.startsWith('From ') && /\d{1,2}:\d{2}/.test(line) && /\b(?:19|20)\d{2}\b/.test(line);

/** Whether a line is a whole separator line: `From`, a sender, and the date in the form of C's asctime. */
export const isWholeFromLine = (line: string): boolean => wholeFromLine.test(line);

/** Whether a line is a separator line without a date, as some programs write it: `From`, and at most a sender. */
export const isUndatedFromLine = (line: string): boolean => /^From (?:-|[^\s@]+@[^\s@]+|MAILER-DAEMON)?\s*$/.test(line);

/**
 * The date in the line that begins a message, in UTC unless the line names a zone. Undefined for a line without a date,
 * and for a line of Mozilla, whose date is that of writing the file.
 */
export const fromLineDate = (line: string): Date | undefined => {
  if (line.startsWith('From - ')) return undefined;
  const parsed = parseDateTime(dateForm.exec(line)?.[0] ?? line.replace(/^From \S*/, ''));
  return parsed && statableDate(new Date(parsed.time));
};

const unquote = (content: Buffer, pattern: RegExp): Buffer =>
  content.includes('>From ') ? Buffer.from(content.toString('latin1').replaceAll(pattern, '$1'), 'latin1') : content;

/** The message with its quoted lines restored. */
export const unquoteMessage = (content: Buffer, quoting: MboxQuoting): Buffer => {
  if (quoting === 'none') return content;
  return unquote(content, quoting === 'mboxrd' ? /(?<![^\n])>(>*From )/g : /(?<![^\n])>(From )/g);
};

/** Quotes a message for an mboxrd: each line that begins with `From `, or with such a quoted line, gets a `>`. */
export const quoteMessage = (content: Buffer): Buffer =>
  content.includes('From ') ? Buffer.from(content.toString('latin1').replaceAll(/(?<![^\n])(>*From )/g, '>$1'), 'latin1') : content;
