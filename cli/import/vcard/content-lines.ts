import { decodeText } from '../../../core/mime/encoding/charset.ts';

/** Versions of vCard that are written: RFC 2426, and RFC 6350. */
export const vCardVersions = ['3.0', '4.0'] as const;
export type VCardVersion = (typeof vCardVersions)[number];

/** A line of a vCard that cannot be read, or a card without its begin or end. */
export class UnreadableVCard extends Error {}

/** A property of a vCard, as its content line has it. */
export type ContentLine = {
  /** The name in lower case. */
  readonly name: string;
  readonly group?: string | undefined;
  /** The values of each parameter, by its name in lower case. */
  readonly parameters: ReadonlyMap<string, readonly string[]>;
  /** The value with its escapes. */
  readonly value: string;
  /** Whether quoted-printable has the line ends, so that `\n` in the value is no escape. */
  readonly isQuotedPrintable?: boolean;
  readonly is21?: boolean;
};

/** Names of properties, parameters and groups (RFC 6350 §3.3). Programs use the underscore too. */
export const isToken = (text: string): boolean => /^[\w-]{1,200}$/.test(text);

/** Text as it can stand in a card: all line ends are LF, and there are no other control characters except tabs. */
export const cleanText = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replace(/[\r\u2028\u2029]/g, '\n')
    .replace(/[^\P{Cc}\t\n]/gu, '');

const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text);

/** Decodes octets in the named charset, or in UTF-8 or Windows-1252. */
export const decodeOctets = (latin1: string, charset?: string): string => {
  if (charset === undefined && isAscii(latin1)) return latin1;
  // At the begin of a file it is a mark, at that of a value a character of it.
  const [marks = ''] = charset === undefined || /^utf-?8$/i.test(charset) ? (/^(?:\xEF\xBB\xBF)*/.exec(latin1) ?? []) : [];
  return '\uFEFF'.repeat(marks.length / 3) + decodeText(Buffer.from(latin1.slice(marks.length), 'latin1'), charset).text;
};

const quotedPrintable = (latin1: string): string => latin1.replace(/=([\dA-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** Words that vCard 2.1 has without the name of their parameter. Others are types. */
const nameOfBareWord = new Map<string, string>([
  ...['quoted-printable', 'base64', 'b', '7bit', '8bit'].map((word) => [word, 'encoding'] as const),
  ...['url', 'uri', 'inline', 'cid', 'content-id'].map((word) => [word, 'value'] as const),
]);

/** Decodes `^n`, `^'` and `^^` (RFC 6868). */
const withoutCarets = (text: string): string => text.replace(/\^([n^'])/g, (_, code: string) => (code === 'n' ? '\n' : code === '^' ? '^' : '"'));

/** Reads the values of a parameter from `start`. @returns them, and the position of the separator behind them. */
const parameterValues = (line: string, start: number, is21: boolean): { readonly values: readonly string[]; readonly end: number } => {
  const values: string[] = [];
  let position = start;
  for (;;) {
    const isQuoted = line[position] === '"' && line.includes('"', position + 1);
    let end = isQuoted ? line.indexOf('"', position + 1) : position;
    if (!isQuoted) while (end < line.length && !',;:'.includes(line[end]!)) end += is21 && line[end] === '\\' ? 2 : 1;
    const text = line.slice(isQuoted ? position + 1 : position, end);
    values.push(is21 ? text.replace(/\\([;:,\\])/g, '$1') : withoutCarets(text));
    position = isQuoted ? end + 1 : end;
    while (position < line.length && !',;:'.includes(line[position]!)) position += 1;
    if (line[position] !== ',') return { values, end: position };
    position += 1;
  }
};

/** Parses an unfolded line, whose octets are characters of Latin-1. @throws UnreadableVCard */
const parseLine = (line: string, is21: boolean): ContentLine => {
  let position = line.search(/[;:]/);
  const head = line.slice(0, Math.max(0, position)).trim();
  const dot = head.lastIndexOf('.');
  const name = head.slice(dot + 1).toLowerCase();
  if (position < 0 || !isToken(name) || name === 'begin' || name === 'end')
    throw new UnreadableVCard(`a line is no property: ${decodeOctets(line.slice(0, 60))}`);
  const group = dot > 0 ? head.slice(0, dot).replaceAll('.', '-') : undefined;
  const parameters = new Map<string, string[]>();
  while (line[position] === ';') {
    const start = position + 1;
    let end = start;
    while (end < line.length && !'=;:'.includes(line[end]!)) end += 1;
    const word = line.slice(start, end).trim().toLowerCase();
    const isNamed = line[end] === '=';
    const read = isNamed ? parameterValues(line, end + 1, is21) : { values: [word], end };
    const key = isNamed ? word : (nameOfBareWord.get(word) ?? 'type');
    if (isToken(key) && read.values.some((value) => value !== '')) {
      const values = parameters.get(key) ?? [];
      for (const value of read.values) values.push(cleanText(decodeOctets(value)));
      parameters.set(key, values);
    }
    position = read.end;
  }
  if (line[position] !== ':') throw new UnreadableVCard(`a line has no colon: ${decodeOctets(line.slice(0, 60))}`);
  const isQuotedPrintable = parameters.get('encoding')?.[0]?.toLowerCase() === 'quoted-printable';
  const raw = line.slice(position + 1);
  const isBase64 = /^b(?:ase64)?$/i.test(parameters.get('encoding')?.[0] ?? '');
  const octets = isQuotedPrintable ? quotedPrintable(raw) : isBase64 ? raw.replaceAll(/[ \t]+/g, '') : raw;
  const value = cleanText(decodeOctets(octets, parameters.get('charset')?.[0]));
  parameters.delete('charset');
  if (isQuotedPrintable || /^[78]bit$/i.test(parameters.get('encoding')?.[0] ?? '')) parameters.delete('encoding');
  return { name, group: group !== undefined && isToken(group) ? group : undefined, parameters, value, isQuotedPrintable, is21 };
};

export const isIndented = (line: string): boolean => /^[ \t]/.test(line);
const base64Line = /^[A-Za-z\d+/=]+[ \t]*$/;

/** The encoding that says where a value ends, by the first line of a property. Texts in quotes do not count. */
const encodingOf = (line: string): 'quoted-printable' | 'base64' | undefined => {
  const [, parameters = ''] = /^[^:;]*;([^:]*)/.exec(line) ?? [];
  const [, word] = /(?:^|[;=])[ \t]{0,9}(quoted-printable|base64|b)[ \t]{0,9}(?:;|$)/i.exec(parameters.replaceAll(/"[^"]*"?/g, '')) ?? [];
  return word === undefined ? undefined : /^q/i.test(word) ? 'quoted-printable' : 'base64';
};

/** Unfolds lines (RFC 6350 §3.2). In vCard 2.1 the white space of a fold is part of the value. */
const unfolded = (lines: readonly string[], is21: boolean): readonly string[] => {
  const parts: string[][] = [];
  let encoding: ReturnType<typeof encodingOf>;
  for (const [index, line] of lines.entries()) {
    const current = parts.at(-1);
    const last = current?.at(-1) ?? '';
    if (current && encoding === 'quoted-printable' && last.endsWith('=')) {
      current[current.length - 1] = last.slice(0, -1);
      current.push(line);
    } else if (line.trim() === '' && !line.startsWith(' ')) {
      if (encoding === 'base64') encoding = undefined;
    } else if (current && isIndented(line)) {
      current.push(is21 && encoding !== 'base64' ? line : line.slice(1));
    } else if (current && encoding === 'base64' && base64Line.test(line) && !isIndented(lines[index + 1] ?? '')) {
      // A line before an indented one would be the begin of a property with a long name.
      current.push(line);
    } else {
      encoding = encodingOf(line);
      parts.push([line]);
    }
  }
  return parts.map((each) => each.join(''));
};

/** A vCard of a file: its number and its lines, whose octets are characters of Latin-1. */
export type VCardLines = { readonly number: number; readonly lines: readonly string[]; readonly problem?: string };

/** Parses the lines of one vCard without BEGIN and END. @throws UnreadableVCard */
export const parseVCard = ({ lines, problem }: VCardLines): readonly ContentLine[] => {
  if (problem !== undefined) throw new UnreadableVCard(problem);
  const is21 = lines.some((line) => /^VERSION[ \t]{0,9}:[ \t]{0,9}2/i.test(line));
  return unfolded(lines, is21).map((line) => parseLine(line, is21));
};

const maxOctetsOfLine = 75;

/** Folds a line after at most 75 octets, between characters (RFC 6350 §3.2). */
const folded = (line: string): string => {
  const lines: string[] = [];
  let [start, octets, index] = [0, 0, 0];
  for (const character of line) {
    const size = character < '\x80' ? 1 : Buffer.byteLength(character);
    if (octets + size > maxOctetsOfLine) {
      lines.push(line.slice(start, index));
      [start, octets] = [index, 1];
    }
    octets += size;
    index += character.length;
  }
  return [...lines, line.slice(start)].join('\r\n ');
};

const parameterText = (text: string): string => {
  const encoded = cleanText(text).replace(/[\^\n"]/g, (character) => (character === '^' ? '^^' : character === '\n' ? '^n' : "^'"));
  return /^[\w./+@-]*$/.test(encoded) ? encoded : `"${encoded}"`;
};

/** Names that have small letters in the programs that introduced them. */
const spellings = new Map([
  ['x-ablabel', 'X-ABLabel'],
  ['x-abshowas', 'X-ABShowAs'],
]);

const formatLine = ({ name, group, parameters, value }: ContentLine): string =>
  folded(
    [
      group === undefined ? '' : `${group}.`,
      spellings.get(name) ?? name.toUpperCase(),
      ...[...parameters].map(([key, values]) => `;${key.toUpperCase()}=${values.map(parameterText).join(',')}`),
      ':',
      cleanText(value).replaceAll('\n', '\\n'),
    ].join(''),
  );

/** Writes a vCard with CRLF as line ends. No value can add a line to it. */
export const formatVCard = (lines: readonly ContentLine[], version: VCardVersion): string =>
  ['BEGIN:VCARD', `VERSION:${version}`, ...lines.map(formatLine), 'END:VCARD', ''].join('\r\n');
