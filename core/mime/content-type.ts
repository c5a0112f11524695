import { decodeText, decodeUnlabeledText } from './encoding/charset.ts';
import { decodeWordsInName } from './encoding/encoded-words.ts';
import type { HeaderField } from './header-fields.ts';
import { parseLimits } from './parse-limits.ts';
import type { ContentTransferEncoding } from './parsed-email.ts';
import { OctetBudget } from './text-limits.ts';
import { trimmed } from './trim.ts';

/**
 * A structured MIME field such as `text/plain; charset=utf-8` (RFC 2045 §5.1, RFC 2183 §2), with names in lower case.
 */
export type ContentField = { readonly value: string; readonly parameters: ReadonlyMap<string, string> };

/** One parameter before continuations such as `name*0*` (RFC 2231 §3) are joined. */
type Parameter = { readonly name: string; readonly value: string };

const blank = /[\s\0]/;

/** A position in the text of a field, which only increases. */
type Cursor = { readonly text: string; position: number };

/** The position after the comment at `start`, which may contain others (RFC 5322 §3.2.2). -1: it is not closed. */
const commentEnd = (text: string, start: number): number => {
  for (let [depth, position] = [0, start]; position < text.length; position += 1) {
    const character = text[position];
    if (character === '(') depth += 1;
    else if (character === ')' && depth === 1) return position + 1;
    else if (character === ')') depth -= 1;
    else if (character === '\\') position += 1;
  }
  return -1;
};

/** Skips blanks and comments. @returns whether all comments are closed. An unclosed comment extends to the end. */
const skipBlanks = (cursor: Cursor): boolean => {
  const { text } = cursor;
  while (cursor.position < text.length) {
    if (text[cursor.position] === '(') {
      const end = commentEnd(text, cursor.position);
      cursor.position = end < 0 ? text.length : end;
      if (end < 0) return false;
    } else if (blank.test(text[cursor.position]!)) cursor.position += 1;
    else return true;
  }
  return true;
};

/** Reads up to the first of the given characters or a comment, without trailing blanks. */
const readUntil = (cursor: Cursor, stops: string): string => {
  const start = cursor.position;
  const { text } = cursor;
  while (cursor.position < text.length && !stops.includes(text[cursor.position]!) && text[cursor.position] !== '(') cursor.position += 1;
  return text.slice(start, cursor.position).trimEnd();
};

/** Reads a quoted string (RFC 5322 §3.2.4). A string that is not closed extends to the end. */
const readQuoted = (cursor: Cursor): string => {
  let value = '';
  for (cursor.position += 1; cursor.position < cursor.text.length && cursor.text[cursor.position] !== '"'; cursor.position += 1) {
    if (cursor.text[cursor.position] === '\\') cursor.position += 1;
    value += cursor.text[cursor.position] ?? '';
  }
  cursor.position += 1;
  return value;
};

/** The name of a parameter and its equals sign, at a position. */
const knownParameter = new RegExp(
  '(?:boundary|charset|creation-date|delsp|filename|format|micalg|modification-date|name|protocol|report-type|size|start|type)' +
    String.raw`(?:\*\d{0,3}\*?)?\s*=`,
  'iy',
);

/**
 * The end of a value without quotes: a semicolon outside of comments, or the name of the next parameter when the
 * semicolon is missing.
 */
const unquotedEnd = ({ text, position: start }: Cursor): number => {
  let areCommentsClosed = true;
  for (let position = start; position < text.length; position += 1) {
    const character = text[position]!;
    if (character === ';') return position;
    if (character === '(' && areCommentsClosed) {
      const end = commentEnd(text, position);
      areCommentsClosed = end > 0;
      if (areCommentsClosed) position = end - 1;
    } else if (position > start && (character === ',' || blank.test(character))) {
      knownParameter.lastIndex = position + 1;
      if (knownParameter.test(text)) return position;
    }
  }
  return text.length;
};

const token = /^[\w!#$%&'*+.^`{|}~-]+$/;

/** The ending of a file name, such as `.pdf`. */
const fileEnding = /\.(?=\d*[a-z])[a-z\d]{1,5}$/i;

const withoutTrailingCommas = (text: string): string => {
  let trimmed = text.trimEnd();
  while (trimmed.endsWith(',')) trimmed = trimmed.slice(0, -1).trimEnd();
  return trimmed;
};

/**
 * Reads a value without quotes. Only what stands behind a complete value is a comment: other parentheses belong to the
 * value, as in `filename=Offer (final).pdf`, whose sender forgot the quotes.
 * @param before the blanks and comments before the value.
 */
const readUnquoted = (cursor: Cursor, name: string, before: string): string => {
  const end = unquotedEnd(cursor);
  const inner: Cursor = { text: cursor.text.slice(cursor.position, end), position: 0 };
  cursor.position = end;
  const value = withoutTrailingCommas(readUntil(inner, ''));
  const isCommented = skipBlanks(inner) && inner.position === inner.text.length;
  const isFileName = /^(?:file)?name\b/.test(name);
  if (isFileName && before.includes('(') && !token.test(value)) return withoutTrailingCommas(before.trimStart() + inner.text);
  const isComplete = !isFileName || token.test(value) || fileEnding.test(value);
  const text = isCommented && isComplete ? value : withoutTrailingCommas(inner.text);
  return /^'.+'$/.test(text) && !token.test(text) ? text.slice(1, -1) : text;
};

const readParameter = (cursor: Cursor): Parameter | undefined => {
  skipBlanks(cursor);
  const name = readUntil(cursor, '=:;').toLowerCase().split(/[\s,]/).at(-1)!;
  skipBlanks(cursor);
  if (cursor.text[cursor.position] !== '=' && cursor.text[cursor.position] !== ':') return undefined;
  cursor.position += 1;
  const start = cursor.position;
  skipBlanks(cursor);
  const before = cursor.text.slice(start, cursor.position);
  const value = cursor.text[cursor.position] === '"' ? readQuoted(cursor) : readUnquoted(cursor, name, before);
  return { name, value };
};

/** The octets of a percent-encoded text (RFC 2231 §4). A percent sign without two hexadecimal digits is kept. */
const percentOctets = (text: string): Buffer =>
  Buffer.from(
    text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );

/** A section of a parameter value (RFC 2231 §3), percent-encoded when the parameter's name ends in `*`. */
type Section = { readonly index: number; readonly isEncoded: boolean; readonly value: string };

/**
 * Joins the sections of a parameter. Adjacent encoded sections are decoded together, because a character may be split.
 */
const joinSections = (sections: readonly Section[]): string => {
  const ordered = [...sections].sort((a, b) => a.index - b.index);
  const [, charset = '', language] = ordered[0]?.isEncoded ? (/^([^']*)'([^']*)'/.exec(ordered[0].value) ?? []) : [];
  const prefix = language === undefined ? 0 : charset.length + language.length + 2;
  let text = '';
  let octets: Buffer[] = [];
  const flush = (): void => {
    if (octets.length > 0) text += decodeText(Buffer.concat(octets), charset).text;
    octets = [];
  };
  for (const [index, { isEncoded, value }] of ordered.entries()) {
    if (isEncoded) {
      octets.push(percentOctets(index === 0 ? value.slice(prefix) : value));
    } else {
      flush();
      text += value;
    }
  }
  flush();
  return text;
};

/**
 * Parameters by name (RFC 2231). Encoded words are also decoded, because many programs write them although RFC 2047
 * forbids it.
 */
const joinParameters = (parameters: readonly Parameter[]): Map<string, string> => {
  const values = new Map<string, string>();
  const sectionsByName = new Map<string, Section[]>();
  for (const { name, value } of parameters) {
    const [, base, index, star] = /^([^*]+)\*(?:(\d{1,3})(\*)?)?$/.exec(name) ?? [];
    if (base === undefined) {
      if (!values.has(name)) values.set(name, decodeWordsInName(value));
    } else {
      const sections = sectionsByName.get(base) ?? [];
      sectionsByName.set(base, sections);
      sections.push({ index: Number(index ?? 0), isEncoded: index === undefined || star !== undefined, value });
    }
  }
  for (const [name, sections] of sectionsByName) values.set(name, joinSections(sections));
  return values;
};

/** The text behind the field's own name, which some programs repeat in the value, and without quotes around the value. */
const withoutSlips = (text: string, name: string): string => {
  const cursor: Cursor = { text, position: 0 };
  for (skipBlanks(cursor); text.slice(cursor.position, cursor.position + name.length).toLowerCase() === name; skipBlanks(cursor)) {
    const start = cursor.position;
    cursor.position += name.length;
    skipBlanks(cursor);
    if (text[cursor.position] !== ':') return text.slice(start);
    cursor.position += 1;
  }
  if (text[cursor.position] === '"') return readQuoted(cursor) + text.slice(cursor.position);
  const rest = text.slice(cursor.position);
  return rest.startsWith("'") ? rest.replace(/^'([^']*)'/, '$1') : rest;
};

/** A value such as `attachment` or `text/html`, which blanks may divide at the slash. */
const leadingValue = /^[^\s\0;,=:"()/]+(?:[\s\0]*\/[\s\0]*[^\s\0;,=:"()/]+)*/;

/** Reads the value before the parameters, in lower case. It is empty when the field begins with a parameter. */
const readValue = (cursor: Cursor): string => {
  const found = leadingValue.exec(cursor.text)?.[0] ?? readUntil(cursor, ';');
  cursor.position = Math.max(cursor.position, found.length);
  const afterValue = { ...cursor };
  skipBlanks(afterValue);
  if (cursor.text[afterValue.position] === '=') {
    cursor.position = 0;
    return '';
  }
  const names = found
    .toLowerCase()
    .split('/')
    .map((name) => trimmed(name, blank));
  // Some programs write the type twice: multipart/multipart/mixed.
  return (names.length > 2 ? [...new Set(names)] : names).join('/');
};

/**
 * Parses a Content-Type or Content-Disposition field, or another field with the same syntax. Accepts any octets, and
 * reads common mistakes as what they mean: a comma or nothing for a semicolon, quotes around the value, a repeated name.
 */
export const parseContentField = (field: HeaderField | undefined): ContentField | undefined => {
  if (!field) return undefined;
  const octets = field.value.subarray(0, parseLimits.fieldValue);
  const unfolded = decodeUnlabeledText(octets).text.replaceAll(/\r?\n(?=[ \t])/g, '');
  // Some programs encode the value, or a parameter with its name.
  const text = /(?:^|;)[ \t]*=\?/.test(unfolded) ? decodeWordsInName(unfolded) : unfolded;
  const cursor: Cursor = { text: withoutSlips(text, field.name.toLowerCase()), position: 0 };
  const value = readValue(cursor);
  const parameters: Parameter[] = [];
  for (skipBlanks(cursor); cursor.position < cursor.text.length && parameters.length < parseLimits.parameters; skipBlanks(cursor)) {
    if (';,:'.includes(cursor.text[cursor.position]!)) cursor.position += 1;
    const parameter = readParameter(cursor);
    if (parameter) parameters.push(parameter);
  }
  return { value, parameters: joinParameters(parameters) };
};

type ReadField = { readonly field: HeaderField | undefined; parsed?: ContentField | undefined };

/**
 * The fields that describe the parts of a message. Their values are read octet by octet. Therefore each is truncated and
 * parsed once, whoever asks for it, and fields beyond a budget for the whole message are left out.
 */
export class ContentFieldReader {
  readonly #budget = new OctetBudget(parseLimits.allContentFields);
  /** By the position of the value in memory, which is that in the message. */
  readonly #read = new Map<number, ReadField>();

  /** The field, truncated to its limit. Undefined when it is missing or beyond the budget. */
  field(field: HeaderField | undefined): HeaderField | undefined {
    return field && this.#entry(field).field;
  }

  parsed(field: HeaderField | undefined): ContentField | undefined {
    if (!field) return undefined;
    const entry = this.#entry(field);
    return (entry.parsed ??= parseContentField(entry.field));
  }

  #entry({ name, value }: HeaderField): ReadField {
    const known = this.#read.get(value.byteOffset);
    if (known) return known;
    const cut = value.subarray(0, parseLimits.contentField);
    const entry = { field: this.#budget.take(cut.length) ? { name, value: cut } : undefined };
    this.#read.set(value.byteOffset, entry);
    return entry;
  }
}

const mediaType = /^[a-z0-9!#$&^_.+-]{1,80}\/[a-z0-9!#$&^_.+-]{1,80}$/;

/** Whether the text, in lower case, is `type/subtype` (RFC 6838 §4.2). */
export const isMediaType = (text: string): boolean => mediaType.test(text);

/** The `type/subtype` of a Content-Type field (RFC 6838 §4.2). Undefined when the value is not a media type. */
export const mediaTypeOf = (field: ContentField | undefined): string | undefined => (field && isMediaType(field.value) ? field.value : undefined);

/** The encoding that a Content-Transfer-Encoding field names. Undefined for an unknown encoding. */
export const transferEncodingOf = (field: ContentField | undefined): ContentTransferEncoding | undefined => {
  const name = field?.value ?? '';
  if (/^base[-_]?(?:64)?$/.test(name)) return 'base64';
  if (/^quoted(?:[-_]?printable)?$/.test(name)) return 'quoted-printable';
  return /^(?:[78](?:[-_]?bits?)?|binary)?$/.test(name) ? 'identity' : undefined;
};
