import { decodeText, decodeUnlabeledText } from '../encoding/charset.ts';
import { decodeEncodedWords } from '../encoding/encoded-words.ts';
import type { HeaderField } from './header-fields.ts';
import { parseLimits } from '../parse-limits.ts';

/**
 * A structured MIME field such as `text/plain; charset=utf-8` (RFC 2045 §5.1, RFC 2183 §2), with names in lower case.
 */
export type ContentField = { readonly value: string; readonly parameters: ReadonlyMap<string, string> };

/** One parameter before continuations such as `name*0*` (RFC 2231 §3) are joined. */
type Parameter = { readonly name: string; readonly value: string };

const blank = /[\s\0]/;

/** A position in the text of a field, which only increases. */
type Cursor = { readonly text: string; position: number };

/** Skips blanks and comments, which may be nested (RFC 5322 §3.2.2). An unclosed comment extends to the end. */
const skipBlanks = (cursor: Cursor): void => {
  const { text } = cursor;
  for (let depth = 0; cursor.position < text.length; cursor.position += 1) {
    const character = text[cursor.position]!;
    if (character === '(') depth += 1;
    else if (depth === 0 && !blank.test(character)) return;
    else if (character === ')') depth -= 1;
    else if (character === '\\' && depth > 0) cursor.position += 1;
  }
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

const readParameter = (cursor: Cursor): Parameter | undefined => {
  skipBlanks(cursor);
  const name = readUntil(cursor, '=;').toLowerCase();
  skipBlanks(cursor);
  if (cursor.text[cursor.position] !== '=') return undefined;
  cursor.position += 1;
  skipBlanks(cursor);
  const value = cursor.text[cursor.position] === '"' ? readQuoted(cursor) : readUntil(cursor, ';');
  return { name, value };
};

/** The octets of a percent-encoded text (RFC 2231 §4). A percent sign without two hexadecimal digits is kept. */
const percentOctets = (text: string): Buffer =>
  Buffer.from(text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))), 'latin1');

/** A section of a parameter value (RFC 2231 §3), percent-encoded when the parameter's name ends in `*`. */
type Section = { readonly index: number; readonly isEncoded: boolean; readonly value: string };

/**
 * Joins the sections of a parameter. Adjacent encoded sections are decoded together, because a character may be split.
 */
const joinSections = (sections: readonly Section[]): string => {
  const ordered = [...sections].sort((a, b) => a.index - b.index);
  const [, charset = '', language] = ordered[0]?.isEncoded ? /^([^']*)'([^']*)'/.exec(ordered[0].value) ?? [] : [];
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
      if (!values.has(name)) values.set(name, decodeEncodedWords(value));
    } else {
      const sections = sectionsByName.get(base) ?? [];
      sectionsByName.set(base, sections);
      sections.push({ index: Number(index ?? 0), isEncoded: index === undefined || star !== undefined, value });
    }
  }
  for (const [name, sections] of sectionsByName) values.set(name, joinSections(sections));
  return values;
};

/** Parses a Content-Type or Content-Disposition field, or another field with the same syntax. Accepts any octets. */
export const parseContentField = (field: HeaderField | undefined): ContentField | undefined => {
  if (!field) return undefined;
  const octets = field.value.subarray(0, parseLimits.fieldValue);
  const cursor: Cursor = { text: decodeUnlabeledText(octets).text.replaceAll(/\r?\n(?=[ \t])/g, ''), position: 0 };
  skipBlanks(cursor);
  const value = readUntil(cursor, ';').toLowerCase();
  skipBlanks(cursor);
  const parameters: Parameter[] = [];
  while (cursor.position < cursor.text.length && parameters.length < parseLimits.parameters) {
    if (cursor.text[cursor.position] === ';') cursor.position += 1;
    else readUntil(cursor, ';');
    const parameter = readParameter(cursor);
    if (parameter) parameters.push(parameter);
    skipBlanks(cursor);
  }
  return { value, parameters: joinParameters(parameters) };
};

const mediaType = /^[a-z0-9!#$&^_.+-]{1,80}\/[a-z0-9!#$&^_.+-]{1,80}$/;

/** Whether the text, in lower case, is `type/subtype` (RFC 6838 §4.2). */
export const isMediaType = (text: string): boolean => mediaType.test(text);

/** The `type/subtype` of a Content-Type field (RFC 6838 §4.2). Undefined when the value is not a media type. */
export const mediaTypeOf = (field: ContentField | undefined): string | undefined => {
  const value = field?.value.replaceAll(/\s/g, '') ?? '';
  return isMediaType(value) ? value : undefined;
};
