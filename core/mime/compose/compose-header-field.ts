import { quotedIfNeeded } from '../../../contract/values/mail-address.ts';
import type { EmailAddressGroup } from '../address-list.ts';
import { encodedWords } from '../encoding/encoded-words.ts';
import { maxLineOctets } from '../lines.ts';
import { parseLimits } from '../parse-limits.ts';
import type { EmailAddress } from '../parsed-email.ts';

/** The value of a header field in one of the forms of RFC 8621 §4.1.2. */
export type HeaderValue =
  | { readonly form: 'asRaw'; readonly value: string }
  | { readonly form: 'asText'; readonly value: string }
  | { readonly form: 'asDate'; readonly value: string }
  | { readonly form: 'asAddresses'; readonly value: readonly EmailAddress[] }
  | { readonly form: 'asGroupedAddresses'; readonly value: readonly EmailAddressGroup[] }
  | { readonly form: 'asMessageIds'; readonly value: readonly string[] }
  | { readonly form: 'asURLs'; readonly value: readonly string[] };

/** A complete header field: `Subject: Hello`, folded, without the final line break. */
export type ComposedField = { readonly name: string; readonly text: string };

/** Thrown for a value that no header field can have. The message gives the reason to the client. */
export class UnwritableValue extends Error {
  override readonly name = 'UnwritableValue';
}

/** Maximum characters of a line, where the line can be broken (RFC 5322 §2.1.1). */
const preferredLine = 78;

/** Maximum characters of a line with an encoded word (RFC 2047 §2). */
const encodedLine = 76;

/** Whether a text has an encoded word. A plain word never contains the beginning of one. */
const hasEncodedWord = (text: string): boolean => text.includes('=?');

/** Maximum characters of a field's name, so that the value fits on the same line. */
const maxNameLength = 100;

/** Line breaks would end the field, and NUL ends a text in some programs. */
const lineBreakOrNul = /[\r\n\0]/;
const control = /\p{Cc}/u;

const checkLength = (text: string): void => {
  if (Buffer.byteLength(text) > parseLimits.fieldValue) {
    throw new UnwritableValue(`a header field has at most ${parseLimits.fieldValue} octets`);
  }
};

const checkOneLine = (text: string): void => {
  checkLength(text);
  if (lineBreakOrNul.test(text)) throw new UnwritableValue('a header field may have neither a line break nor NUL');
  if (!text.isWellFormed()) throw new UnwritableValue('a text must be valid Unicode');
};

/**
 * Joins the chunks. Each chunk begins with its blanks. A chunk that does not fit begins a new line.
 * @param start the line that the chunks continue: the field's name and a colon, or nothing.
 */
const fold = (start: string, chunks: readonly string[]): string => {
  let text = '';
  let line = start;
  for (const chunk of chunks) {
    const extended = line + chunk;
    // A raw value may begin without a blank. On a line of its own it would become another field.
    if (line !== '' && extended.length > (hasEncodedWord(extended) ? encodedLine : preferredLine) && /^[ \t]/.test(chunk)) {
      text += `${line}\r\n`;
      line = chunk;
    } else {
      line = extended;
    }
    if (Buffer.byteLength(chunk) > maxLineOctets - maxNameLength) throw new UnwritableValue('a word is too long for a line of a message');
  }
  return text + line;
};

/** Whether a word is printable ASCII, can't be mistaken for an encoded word, and fits on a line. */
const isPlainWord = (word: string): boolean => /^[!-~]{1,76}$/.test(word) && !hasEncodedWord(word);

/** The words of a text, each with the blanks before it. The last word also has the trailing blanks. */
const splitWords = (text: string): string[] => text.match(/[ \t]*[^ \t]+(?:[ \t]+$)?|^[ \t]+$/g) ?? [];

/** The word without the blanks before it. A no-break space is part of the word and must be encoded. */
const withoutBlanksBefore = (word: string): string => word.replace(/^[ \t]+/, '');

/**
 * Unstructured text (RFC 5322 §2.2.1). All words from the first non-plain word to the last one are encoded, together
 * with the blanks between them. Blanks at both ends are encoded too, because mail clients remove them. A tab becomes a
 * space, because mail clients remove an encoded tab.
 */
const textChunks = (name: string, text: string): string[] => {
  checkOneLine(text);
  if (text === '') return [' '];
  const words = splitWords(text);
  const isPlain = words.map((word, index) => isPlainWord(index === 0 ? word : withoutBlanksBefore(word)) && !(index === 0 && /^[ \t]/.test(word)));
  const first = isPlain.indexOf(false);
  if (first < 0) return [` ${words[0]!}`, ...words.slice(1)];
  const last = isPlain.lastIndexOf(false);
  const blanks = first === 0 ? '' : /^[ \t]*/.exec(words[first]!)![0];
  const encoded = encodedWords(
    words
      .slice(first, last + 1)
      .join('')
      .slice(blanks.length)
      .replaceAll('\t', ' '),
    first === 0 ? encodedLine - name.length - 2 : undefined,
  );
  const plainBefore = words.slice(0, first).map((word, index) => (index === 0 ? ` ${word}` : word));
  return [...plainBefore, ...encoded.map((word, index) => `${index === 0 && first > 0 ? blanks : ' '}${word}`), ...words.slice(last + 1)];
};

/**
 * The chunks of a raw value (RFC 8621 §4.1.2.1). The value's own folding is kept. Only lines that are too long are
 * folded.
 */
const rawText = (name: string, value: string): string => {
  const lines = value.split(/\r?\n(?=[ \t]+[^ \t\r\n])/);
  for (const line of lines) checkOneLine(line);
  return lines
    .map((line, index) => {
      const given = index === 0 ? `${name}:${line}` : line;
      if (Buffer.byteLength(given) <= maxLineOctets) return given;
      return fold(index === 0 ? `${name}:` : '', splitWords(line.trimEnd()));
    })
    .join('\r\n');
};

/**
 * The chunks of a display name or group name (RFC 5322 §3.2.5). @param mayQuote false within a group, whose end readers
 * search for.
 */
const phraseChunks = (text: string, mayQuote = true): string[] => {
  checkOneLine(text);
  const name = text.trim();
  if (name === '') return [];
  const words = splitWords(name);
  const encoded = () => encodedWords(name, 60).map((word) => ` ${word}`);
  if (words.some((word) => !isPlainWord(withoutBlanksBefore(word)))) return encoded();
  if (words.every((word) => /^[ \t]*[\w!#$%&'*+/=?^`{|}~-]+$/.test(word))) return [` ${words[0]!}`, ...words.slice(1)];
  if (!mayQuote) return encoded();
  const quoted = splitWords(`"${name.replaceAll(/["\\]/g, String.raw`\$&`)}"`);
  return [` ${quoted[0]!}`, ...quoted.slice(1)];
};

/** An address that needs no angle brackets, because all parsers read it the same way. */
const plainAddress = /^[^\s"(),:;<>@[\\\]]+@[^\s"(),:;<>@[\\\]]+$/;

/**
 * The chunks of an addr-spec (RFC 5322 §3.4.1). A draft may have any other text as address, if this text can't end the
 * address.
 */
const addressChunks = ({ name, email }: EmailAddress, isInGroup: boolean): string[] => {
  if (control.test(email) || /[<>]/.test(email)) {
    throw new UnwritableValue('an address may have neither angle brackets nor control characters');
  }
  checkOneLine(email);
  const phrase = name === null ? [] : phraseChunks(name, !isInGroup);
  if (phrase.length === 0 && email.trim() === '') throw new UnwritableValue('an address must have a name or an email');
  if (phrase.length === 0 && plainAddress.test(email)) return [` ${email}`];
  // Parentheses without quotes are a comment, which a reader removes from the address.
  return [...phrase, ` <${/[()\\]/.test(email) ? quotedIfNeeded(email.trim()) : email.trim()}>`];
};

/** The lists of chunks in order, with a separator between two lists. */
const separated = (lists: readonly (readonly string[])[], separator: string): string[] =>
  lists.flatMap((chunks, index) => [...chunks.slice(0, -1), `${chunks.at(-1)!}${index < lists.length - 1 ? separator : ''}`]);

/** The phrase with a colon at its end. A blank separates the colon from an encoded word (RFC 2047 §5). */
const endPhrase = (phrase: readonly string[]): string[] =>
  hasEncodedWord(phrase.at(-1)!) ? [...phrase, ' :'] : [...phrase.slice(0, -1), `${phrase.at(-1)!}:`];

const groupChunks = ({ name, addresses }: EmailAddressGroup): string[] => {
  if (name !== null && addresses.some(({ email }) => email.includes(';'))) {
    throw new UnwritableValue('an address in a group may not have a semicolon, which ends the group');
  }
  const members = separated(
    addresses.map((address) => addressChunks(address, name !== null)),
    ',',
  );
  if (name === null) return members;
  const phrase = phraseChunks(name);
  if (phrase.length === 0) throw new UnwritableValue('a group of addresses must have a name');
  const opened = [...endPhrase(phrase), ...members];
  return [...opened.slice(0, -1), `${opened.at(-1)!};`];
};

const bracketed = (value: string, allowed: RegExp, what: string): string => {
  if (!allowed.test(value)) throw new UnwritableValue(`${JSON.stringify(value.slice(0, 100))} is not ${what}`);
  return ` <${value}>`;
};

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A JMAP Date (RFC 8620 §1.4) as a date-time of RFC 5322 §3.3, with the same UTC offset. */
const dateText = (date: string): string => {
  const [, local, offset = ''] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d)$/.exec(date) ?? [];
  const time = new Date(`${local}Z`);
  const exists = local !== undefined && !Number.isNaN(time.getTime()) && time.toISOString().startsWith(local);
  if (!exists || time.getUTCFullYear() < 1900) {
    throw new UnwritableValue('a date must be one since 1900');
  }
  const zone = offset === 'Z' ? '+0000' : offset.replace(':', '');
  const day = `${days[time.getUTCDay()]!}, ${time.getUTCDate()} ${months[time.getUTCMonth()]!} ${local.slice(0, 4)}`;
  return ` ${day} ${local.slice(11)} ${zone}`;
};

const urlChunks = (urls: readonly string[]): string[] =>
  separated(
    urls.map((url) => [bracketed(url, /^[!-;=?-~]+$/, 'a URL of ASCII characters')]),
    ',',
  );

const chunksOf = (name: string, header: Exclude<HeaderValue, { readonly form: 'asRaw' }>): string[] => {
  switch (header.form) {
    case 'asText':
      return textChunks(name, header.value);
    case 'asDate':
      return [dateText(header.value)];
    case 'asAddresses':
      return separated(
        header.value.map((address) => addressChunks(address, false)),
        ',',
      );
    case 'asGroupedAddresses':
      return separated(
        header.value.map(groupChunks).filter((chunks) => chunks.length > 0),
        ',',
      );
    case 'asMessageIds':
      return header.value.map((id) => bracketed(id, /^[^\s<>\p{Cc}]+$/u, 'a message id'));
    case 'asURLs':
    default:
      return urlChunks(header.value);
  }
};

/**
 * Writes a header field: folded, with encoded words for text beyond ASCII (RFC 2047). Addresses beyond ASCII are
 * written in UTF-8 (RFC 6532), because encoded words are not allowed in addresses.
 * @returns undefined for an empty list, which no field can have.
 * @throws UnwritableValue
 */
export const composeField = (name: string, header: HeaderValue): ComposedField | undefined => {
  if (!/^[!-9;-~]+$/.test(name) || name.length > maxNameLength) {
    throw new UnwritableValue(`a header field's name has 1 to ${maxNameLength} ASCII characters, without colons and blanks`);
  }
  const chunks = header.form === 'asRaw' ? undefined : chunksOf(name, header);
  if (chunks?.length === 0) return undefined;
  const text = header.form === 'asRaw' ? rawText(name, header.value) : fold(`${name}:`, chunks!);
  checkLength(text);
  return { name, text };
};
