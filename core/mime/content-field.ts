import { decodeWords } from 'postal-mime';
import { decodeText, decodeUnlabeledText } from './charset.ts';
import type { HeaderField } from './header-fields.ts';
import { parseLimits } from './parse-limits.ts';

/** A structured field of MIME: `text/plain; charset=utf-8` (RFC 2045 §5.1, RFC 2183). Value and parameter names are in lower case. */
export type ContentField = { readonly value: string; readonly parameters: ReadonlyMap<string, string> };

/** One parameter as written; `name*0*` and the like are put together afterwards. */
type Parameter = { readonly name: string; readonly value: string };

const blank = /[\s\0]/;

/** Walks over a field's text once. */
type Walker = { readonly text: string; at: number };

/** Passes over blanks and comments, nested ones too (RFC 5322 §3.2.2). A comment that never ends reaches to the end. */
const skipBlanks = (walker: Walker): void => {
  const { text } = walker;
  for (let depth = 0; walker.at < text.length; walker.at += 1) {
    const character = text[walker.at]!;
    if (character === '(') depth += 1;
    else if (depth === 0 && !blank.test(character)) return;
    else if (character === ')') depth -= 1;
    else if (character === '\\' && depth > 0) walker.at += 1;
  }
};

/** Reads to the first of the given characters, or to a comment; blanks at the end don't count. */
const readUntil = (walker: Walker, stops: string): string => {
  const start = walker.at;
  while (walker.at < walker.text.length && !stops.includes(walker.text[walker.at]!) && walker.text[walker.at] !== '(') walker.at += 1;
  return walker.text.slice(start, walker.at).trimEnd();
};

/** Reads what is between quotes; one that is not closed reaches to the end. */
const readQuoted = (walker: Walker): string => {
  let value = '';
  for (walker.at += 1; walker.at < walker.text.length && walker.text[walker.at] !== '"'; walker.at += 1) {
    if (walker.text[walker.at] === '\\') walker.at += 1;
    value += walker.text[walker.at] ?? '';
  }
  walker.at += 1;
  return value;
};

const readParameter = (walker: Walker): Parameter | undefined => {
  skipBlanks(walker);
  const name = readUntil(walker, '=;').toLowerCase();
  skipBlanks(walker);
  if (walker.text[walker.at] !== '=') return undefined;
  walker.at += 1;
  skipBlanks(walker);
  const value = walker.text[walker.at] === '"' ? readQuoted(walker) : readUntil(walker, ';');
  return { name, value };
};

/** Octets of a percent-encoded text (RFC 2231 §4); a percent sign that begins nothing stands for itself. */
const percentOctets = (text: string): Buffer =>
  Buffer.from(text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))), 'latin1');

/** A stretch of a parameter that was split up: `encoded` when its name ended in an asterisk. */
type Section = { readonly index: number; readonly encoded: boolean; readonly value: string };

/** Puts the sections of one parameter together; encoded neighbours are decoded as one, since a character may be split between them. */
const joinSections = (sections: readonly Section[]): string => {
  const ordered = [...sections].sort((a, b) => a.index - b.index);
  const [, charset = '', language] = ordered[0]?.encoded ? /^([^']*)'([^']*)'/.exec(ordered[0].value) ?? [] : [];
  const prefix = language === undefined ? 0 : charset.length + language.length + 2;
  let text = '';
  let octets: Buffer[] = [];
  const flush = (): void => {
    if (octets.length > 0) text += decodeText(Buffer.concat(octets), charset).text;
    octets = [];
  };
  for (const [place, { encoded, value }] of ordered.entries()) {
    if (encoded) {
      octets.push(percentOctets(place === 0 ? value.slice(prefix) : value));
    } else {
      flush();
      text += value;
    }
  }
  flush();
  return text;
};

/** Parameters by name: continuations joined, encoded ones decoded (RFC 2231), and encoded words too, which many programs put here. */
const joined = (parameters: readonly Parameter[]): Map<string, string> => {
  const result = new Map<string, string>();
  const split = new Map<string, Section[]>();
  for (const { name, value } of parameters) {
    const [, base, index, star] = /^([^*]+)\*(?:(\d{1,3})(\*)?)?$/.exec(name) ?? [];
    if (base === undefined) {
      if (!result.has(name)) result.set(name, decodeWords(value));
    } else {
      const sections = split.get(base) ?? [];
      split.set(base, sections);
      sections.push({ index: Number(index ?? 0), encoded: index === undefined || star !== undefined, value });
    }
  }
  for (const [name, sections] of split) result.set(name, joinSections(sections));
  return result;
};

/** Reads a Content-Type or Content-Disposition field, or any of that shape; no more than fits the limits is looked at. */
export const parseContentField = (field: HeaderField | undefined): ContentField | undefined => {
  if (!field) return undefined;
  const octets = field.value.subarray(0, parseLimits.fieldValue);
  const walker: Walker = { text: decodeUnlabeledText(octets).text.replaceAll(/\r?\n(?=[ \t])/g, ''), at: 0 };
  skipBlanks(walker);
  const value = readUntil(walker, ';').toLowerCase();
  skipBlanks(walker);
  const parameters: Parameter[] = [];
  while (walker.at < walker.text.length && parameters.length < 200) {
    if (walker.text[walker.at] === ';') walker.at += 1;
    else readUntil(walker, ';');
    const parameter = readParameter(walker);
    if (parameter) parameters.push(parameter);
    skipBlanks(walker);
  }
  return { value, parameters: joined(parameters) };
};

const mediaType = /^[a-z0-9!#$&^_.+-]{1,80}\/[a-z0-9!#$&^_.+-]{1,80}$/;

/** `type/subtype` of a Content-Type field, or undefined when it is none (RFC 6838 §4.2). */
export const mediaTypeOf = (field: ContentField | undefined): string | undefined => {
  const value = field?.value.replaceAll(/\s/g, '') ?? '';
  return mediaType.test(value) ? value : undefined;
};
