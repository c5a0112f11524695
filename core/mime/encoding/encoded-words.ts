import { decodeText, isKnownCharset } from './charset.ts';
import { decodeTransferEncoding } from './transfer-encoding.ts';

/** Encoded words (RFC 2047), which represent text beyond printable ASCII in a header field. */

/** Maximum characters of one encoded word (RFC 2047 §2). */
const maxLength = 75;
const frameLength = '=?utf-8?Q??='.length;

/** Whether Q keeps an octet unchanged wherever an encoded word is allowed, including phrases (RFC 2047 §5). */
const isLiteral = (octet: number): boolean =>
  (octet >= 0x30 && octet <= 0x39) ||
  (octet >= 0x41 && octet <= 0x5a) ||
  (octet >= 0x61 && octet <= 0x7a) ||
  octet === 0x21 ||
  octet === 0x2a ||
  octet === 0x2b ||
  octet === 0x2d ||
  octet === 0x2f;

const qText = (text: string): string => {
  let written = '';
  for (const octet of Buffer.from(text)) {
    if (octet === 0x20) written += '_';
    else written += isLiteral(octet) ? String.fromCharCode(octet) : `=${octet.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return written;
};
const bText = (text: string): string => Buffer.from(text).toString('base64');

const utf8Length = (codePoint: number): number => (codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4);
/** The number of characters of a code point in the Q encoding. */
const qLength = (codePoint: number): number => (codePoint === 0x20 || isLiteral(codePoint) ? 1 : 3 * utf8Length(codePoint));
/** The number of characters of this many octets in the B encoding. */
const bLength = (octets: number): number => Math.ceil(octets / 3) * 4;

/** Whether Q needs no more characters than B. */
const isQShorter = (text: string): boolean => {
  let [q, octets] = [0, 0];
  for (const character of text) {
    const codePoint = character.codePointAt(0)!;
    q += qLength(codePoint);
    octets += utf8Length(codePoint);
  }
  return q <= bLength(octets);
};

/**
 * The text as encoded words in UTF-8. No character is split between words. A mail client joins adjacent words without
 * the blanks between them. The shorter encoding of Q and B is used.
 * @param firstRoom maximum characters of the first word; at least 24.
 */
export const encodedWords = (text: string, firstRoom = maxLength): string[] => {
  const isQ = isQShorter(text);
  const words: string[] = [];
  let [start, position, length] = [0, 0, 0];
  const flush = (): void => {
    const part = text.slice(start, position);
    words.push(isQ ? `=?utf-8?Q?${qText(part)}?=` : `=?utf-8?B?${bText(part)}?=`);
    [start, length] = [position, 0];
  };
  for (const character of text) {
    const codePoint = character.codePointAt(0)!;
    const added = isQ ? qLength(codePoint) : utf8Length(codePoint);
    const room = (words.length === 0 ? Math.max(24, Math.min(firstRoom, maxLength)) : maxLength) - frameLength;
    if ((isQ ? length + added : bLength(length + added)) > room) flush();
    length += added;
    position += character.length;
  }
  if (position > start) flush();
  return words;
};

/** The octets of an encoded word, and their charset. */
type DecodedWord = { readonly charset: string; readonly octets: Buffer };

/** The syntax of an encoded word. An optional language (RFC 2231 §5) is ignored. */
const syntax = /^=\?([^\s?*]+)(?:\*[^\s?]*)?\?([BQ])\?([^\s?]*)\?=$/i;

/** Decodes a word. @returns undefined for a word that is not an encoded one, or whose charset is unknown. */
const decodeWord = (word: string): DecodedWord | undefined => {
  const [, charset, letter = '', text = ''] = syntax.exec(word) ?? [];
  if (charset === undefined || !isKnownCharset(charset)) return undefined;
  const encoded = Buffer.from(letter.toUpperCase() === 'B' ? text : text.replaceAll('_', '=20'));
  return { charset, octets: decodeTransferEncoding(encoded, letter.toUpperCase() === 'B' ? 'base64' : 'quoted-printable') };
};

/**
 * The text of adjacent encoded words. Words of the same charset are decoded together, because some programs split
 * characters.
 */
const textOfWords = (words: readonly DecodedWord[]): string => {
  let text = '';
  for (let start = 0, end = 0; start < words.length; start = end) {
    const charset = words[start]!.charset.toLowerCase();
    while (words[end]?.charset.toLowerCase() === charset) end += 1;
    text += decodeText(Buffer.concat(words.slice(start, end).map(({ octets }) => octets)), charset).text;
  }
  return text.replaceAll(/\p{Cc}/gu, '');
};

/**
 * The text with its encoded words decoded (RFC 8621 §4.1.2.2). An encoded word is surrounded by blanks and has a known
 * charset. Blanks between two encoded words are removed, and so are encoded control characters.
 */
export const decodeEncodedWords = (text: string): string => {
  if (!text.includes('=?')) return text;
  const [first = '', ...rest] = text.split(/([ \t]+)/);
  let decoded = '';
  let pending: DecodedWord[] = [];
  const add = (blanks: string, word: string): void => {
    const next = decodeWord(word);
    if (!next || pending.length === 0) {
      decoded += textOfWords(pending) + blanks + (next ? '' : word);
      pending = [];
    }
    if (next) pending.push(next);
  };
  add('', first);
  for (let index = 0; index < rest.length; index += 2) add(rest[index]!, rest[index + 1]!);
  return decoded + textOfWords(pending);
};

const oneWord = String.raw`=\?[^\s?*]+(?:\*[^\s?]*)?\?[BQ]\?[^\s?]*\?=`;
const adjacentWords = new RegExp(String.raw`${oneWord}(?:[ \t]+${oneWord})*`, 'gi');

/** The same of a name, where programs put encoded words beside other text: `=?utf-8?Q?Pl=C3=A4ne?=.pdf`. */
export const decodeWordsInName = (name: string): string => (name.includes('=?') ? name.replaceAll(adjacentWords, (words) => decodeEncodedWords(words)) : name);
