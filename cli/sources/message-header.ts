import { parseDateTime } from '../../core/mime/date.ts';
import { maxReceivedFields } from '../../core/mime/message-header.ts';
import { statableDate } from './mail-source.ts';

/** Maximum octets of a message in which header fields are searched. */
const maxHeaderOctets = 256 * 1024;

/** Header fields by lower-case name, unfolded and in their order. Octets that are not UTF-8 are read as Latin-1. */
export type HeaderFields = { readonly get: (name: string) => readonly string[] };

const newline = 0x0a;
const carriageReturn = 0x0d;

/**
 * The offset after the blank line that ends the header. Undefined when these octets do not contain that line.
 * @param from an offset at which the search starts: no blank line ends before it.
 */
export const headerEnd = (content: Buffer, from = 0): number | undefined => {
  if (from === 0 && content[0] === newline) return 1;
  if (from === 0 && content[0] === carriageReturn && content[1] === newline) return 2;
  // One search, line by line. A separate search for each kind of blank line would read on after the first one.
  for (let at = content.indexOf(newline, from); at >= 0; at = content.indexOf(newline, at + 1)) {
    if (content[at + 1] === newline) return at + 2;
    if (content[at + 1] === carriageReturn && content[at + 2] === newline) return at + 3;
  }
  return undefined;
};

const decode = (octets: Buffer): string => {
  const text = octets.toString('utf8');
  return text.includes('\uFFFD') ? octets.toString('latin1') : text;
};

export const headerFields = (content: Buffer): HeaderFields => {
  const head = content.subarray(0, maxHeaderOctets);
  const lines = decode(head.subarray(0, headerEnd(head) ?? head.length)).split(/\r?\n/);
  const fields = new Map<string, string[]>();
  let current: string[] | undefined;
  for (const line of lines) {
    const folded = /^[ \t]/.test(line);
    const [, name, value = ''] = folded ? [] : (/^([!-9;-~]+)[ \t]*:(.*)$/.exec(line) ?? []);
    if (folded && current) current[current.length - 1] += line;
    else if (name === undefined) current = undefined;
    else {
      current = fields.get(name.toLowerCase()) ?? [];
      fields.set(name.toLowerCase(), current);
      current.push(value);
    }
  }
  return { get: (name) => (fields.get(name) ?? []).map((value) => value.trim()) };
};

const field = /^[!-9;-~]+[ \t]*:/;

/** Fields of which every message has some. Text that is no message may have lines such as `Note: …`. */
const knownField = /^(?:from|to|cc|subject|date|sender|received|return-path|delivered-to|message-id|mime-version|content-type|reply-to)[ \t]*:/i;

const linesOf = (text: string): string[] => text.split(/\r?\n/);

/** The lines at the beginning of a file, without the byte order mark of UTF-8. */
const firstLines = (content: Buffer): string[] =>
  linesOf(
    content
      .subarray(0, 4000)
      .toString('latin1')
      .replace(/^\u00EF\u00BB\u00BF/, ''),
  );

/** Whether lines begin with a header: fields that every message has, and nothing else before the first blank line. */
const beginWithHeader = (lines: readonly string[]): boolean => {
  const end = lines.findIndex((line) => !field.test(line) && !/^[ \t]/.test(line));
  return field.test(lines[0] ?? '') && lines.slice(0, end < 0 ? lines.length : end).filter((line) => knownField.test(line)).length >= 2;
};

/** Whether octets begin with the header of a message: with at least two of the fields that messages have. */
export const beginsWithHeader = (octets: Buffer): boolean => beginWithHeader(linesOf(octets.toString('latin1')));

/**
 * Whether the content is a message by its beginning: a field, or a header after one line that a program has damaged or
 * put there, and blank lines.
 */
export const beginsLikeMessage = (content: Buffer): boolean => {
  const [first = '', ...others] = firstLines(content);
  if (field.test(first)) return true;
  return beginWithHeader(
    others.slice(
      Math.max(
        0,
        others.findIndex((line) => line.trim() !== ''),
      ),
    ),
  );
};

/** Whether the content is an mbox by its beginning. */
export const beginsLikeMbox = (content: Buffer): boolean =>
  firstLines(content)
    .find((line) => line.trim() !== '')
    ?.startsWith('From ') === true;

const dateOf = (text: string): Date | undefined => statableDate(new Date(parseDateTime(text)?.time ?? NaN));

/**
 * The time at which a message was received: the date of the newest Received field that has one, else of the Date field,
 * else `otherwise`, or now when that is no date either. They are read like those of received mail.
 */
export const receivedDate = (fields: HeaderFields, otherwise: Date): Date => {
  for (const value of fields.get('received').slice(0, maxReceivedFields)) {
    const date = dateOf(/;([^;]*)$/.exec(value)?.[1] ?? '');
    if (date) return date;
  }
  return dateOf(fields.get('date')[0] ?? '') ?? statableDate(otherwise) ?? new Date();
};

/**
 * The only Message-ID of a message, without its brackets. Undefined when it has none, several, or one with other
 * syntax.
 */
export const plainMessageId = (content: Buffer): string | undefined => {
  const [value, another] = headerFields(content).get('message-id');
  return another === undefined ? /^<([^<>\s"()\\,;:[\]]+)>$/.exec(value ?? '')?.[1] : undefined;
};
