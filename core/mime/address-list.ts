import { decodeEncodedWords, decodeWordsInName } from './encoding/encoded-words.ts';
import type { EmailAddress } from './parsed-email.ts';

/** The addresses of a group; `name` is null for consecutive addresses outside of groups (RFC 8621 §4.1.2.4). */
export type EmailAddressGroup = { readonly name: string | null; readonly addresses: readonly EmailAddress[] };

type Word = {
  readonly kind: 'word';
  /** The word in an address, with its quotes. */
  readonly text: string;
  /** The word in a name, without its quotes. */
  readonly shown: string;
  /** Whether blanks or a comment are before the word. */
  readonly isSpaced: boolean;
  readonly isQuoted?: boolean;
  /** Whether the word is a text in square brackets, which is a domain only after `@`. */
  readonly isBracketed?: boolean;
};

type Token =
  | Word
  | { readonly kind: 'comment'; readonly text: string }
  | { readonly kind: 'angle'; readonly text: string; readonly isClosed: boolean }
  | { readonly kind: ',' | ';' | ':' };

const blanks = /[ \t\r\n]*/y;
const atom = /(?:[^ \t\r\n"(<>,;:[\\]|\\[^])+/y;
const encodedWord = /=\?[^\s?*]+(?:\*[^\s?]*)?\?[BQ]\?[^\s?]*\?=/iy;
/** A text in square brackets. Other characters make the opening bracket a letter. */
const bracketed = /\[(?:[^\][,;<>"(\r\n]*|[^\][<>"(\r\n@]*)\]/y;

const unescaped = (text: string): string => text.replaceAll(/\\([^])/g, '$1');

/** The number of quotes that no backslash escapes. */
const countQuotes = (text: string): number => {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') count += 1;
  }
  return count;
};

/** Reads the tokens of an address list (RFC 5322 §3.2, §3.4). The time is proportional to the length of the text. */
class Tokens {
  readonly #text: string;
  readonly #isCut: boolean;
  readonly #lastBlank: number;
  #position = 0;
  #isSpaced = false;
  /** Whether a quote is missing or superfluous. */
  readonly #hasOddQuotes: boolean;
  /** The ends of comments whose starts are before {@link #commentsReadTo}. */
  readonly #commentEnds = new Map<number, number>();
  #commentsReadTo = 0;

  /** @param isCut whether the text was cut. A quote, comment or word without an end then goes on to the end of the text. */
  constructor(text: string, isCut: boolean) {
    this.#text = text;
    this.#isCut = isCut;
    this.#lastBlank = Math.max(...[' ', '\t'].map((blank) => text.lastIndexOf(blank)));
    this.#hasOddQuotes = !isCut && countQuotes(text) % 2 === 1;
  }

  *[Symbol.iterator](): Generator<Token, void, undefined> {
    for (;;) {
      const start = this.#position;
      this.#match(blanks);
      this.#isSpaced ||= this.#position > start;
      if (this.#position >= this.#text.length) return;
      const token = this.#next();
      if (token) yield token;
      this.#isSpaced = token?.kind === 'comment';
    }
  }

  #match(expression: RegExp): string | undefined {
    expression.lastIndex = this.#position;
    const found = expression.exec(this.#text)?.[0];
    if (found) this.#position += found.length;
    return found || undefined;
  }

  #next(): Token | undefined {
    const character = this.#text[this.#position]!;
    switch (character) {
      case ',':
      case ';':
      case ':':
        this.#position += 1;
        return { kind: character };
      case '"':
        return this.#quoted();
      case '(':
        return this.#comment();
      case '<':
        return this.#angle();
      case '>':
        this.#position += 1;
        return undefined;
      case '[': {
        const text = this.#match(bracketed);
        return text === undefined ? this.#word(this.#take(1)) : { ...this.#word(text), isBracketed: true };
      }
      default: {
        const encoded = this.#text.startsWith('=?', this.#position) ? this.#match(encodedWord) : undefined;
        return encoded === undefined && this.#endsWithinWord() ? this.#rest() : this.#word(encoded ?? this.#match(atom) ?? this.#take(1));
      }
    }
  }

  #take(length: number): string {
    this.#position += length;
    return this.#text.slice(this.#position - length, this.#position);
  }

  #word(text: string): Word {
    return { kind: 'word', text, shown: text, isSpaced: this.#isSpaced };
  }

  /** Whether the text was cut within an encoded word, whose characters separate no addresses. */
  #endsWithinWord(): boolean {
    return this.#isCut && this.#position > this.#lastBlank && this.#text.startsWith('=?', this.#position);
  }

  /** The rest of a text that was cut. */
  #rest(): Word {
    return this.#word(this.#take(this.#text.length - this.#position));
  }

  /** The end of the quoted string at `start`. Undefined for a quote without an end, or that ends at the start of another one. */
  #quoteEnd(start: number): number | undefined {
    let end = start + 1;
    while (end < this.#text.length && this.#text[end] !== '"') end += this.#text[end] === '\\' ? 2 : 1;
    if (end >= this.#text.length) return undefined;
    const [before, after] = [this.#text[end - 1]!, this.#text[end + 1] ?? ' '];
    const beginsWord = /[^ \t\r\n"(<>,;:@.)\]]/.test(after);
    return beginsWord && end > start + 1 && (this.#hasOddQuotes || before === ' ') ? undefined : end;
  }

  #quoted(): Word | undefined {
    const end = this.#quoteEnd(this.#position);
    if (end === undefined) {
      if (this.#isCut && !this.#text.includes('"', this.#position + 1)) return this.#rest();
      this.#position += 1;
      return undefined;
    }
    const text = this.#take(end + 1 - this.#position);
    return { ...this.#word(text), shown: unescaped(text.slice(1, -1)), isQuoted: true };
  }

  /** The end of the comment at `start` (RFC 5322 §3.2.2). Undefined for one that is not closed. */
  #commentEnd(start: number): number | undefined {
    if (start < this.#commentsReadTo) return this.#commentEnds.get(start);
    const open = [start];
    let at = start + 1;
    for (; at < this.#text.length && open.length > 0; at += 1) {
      if (this.#text[at] === '\\') at += 1;
      else if (this.#text[at] === '(') open.push(at);
      else if (this.#text[at] === ')') this.#commentEnds.set(open.pop()!, at);
    }
    this.#commentsReadTo = at;
    return this.#commentEnds.get(start);
  }

  #comment(): Token {
    const end = this.#commentEnd(this.#position);
    if (end === undefined) return this.#isCut ? this.#rest() : this.#word(this.#take(1));
    return { kind: 'comment', text: unescaped(this.#take(end + 1 - this.#position).slice(1, -1)) };
  }

  /** The text in angle brackets. Brackets that are not closed before the next ones end at a comma. */
  #angle(): Token {
    const start = this.#position + 1;
    let comma: number | undefined;
    let at = start;
    for (; at < this.#text.length && this.#text[at] !== '>' && this.#text[at] !== '<'; at += 1) {
      const character = this.#text[at]!;
      if (character === '\\') at += 1;
      else if (character === '"') at = this.#quoteEnd(at) ?? at;
      else if (character === '(') at = this.#commentEnd(at) ?? at;
      else if (character === ',' || character === ';') comma ??= at;
    }
    const isClosed = this.#text[at] === '>';
    const isWithin = this.#isCut && at >= this.#text.length;
    const end = isClosed ? at : ((isWithin ? undefined : comma) ?? Math.min(at, this.#text.length));
    this.#position = isClosed ? end + 1 : end;
    return { kind: 'angle', text: this.#text.slice(start, end), isClosed };
  }
}

/** Adjacent words that are one text in an address, as a dot or an at sign joins them (RFC 5322 §4.4), and separate in a name. */
type Run = {
  text: string;
  shown: string;
  isAddress: boolean;
  /** The last character. To read it from a text that was joined from many would copy the text each time. */
  last: string;
  /** The number of words up to the end of the run. */
  end: number;
};

const joins: ReadonlySet<string> = new Set(['.', '@']);
const hasAt = ({ text, isQuoted }: Word): boolean => isQuoted !== true && text.includes('@');

const withoutScheme = (text: string): string => text.replace(/^mailto:([^?]*)(?:\?[^]*)?$/i, '$1');

const runsOf = (words: readonly Word[]): readonly Run[] => {
  const runs: Run[] = [];
  for (const [index, word] of words.entries()) {
    const last = runs.at(-1);
    const end = index + 1;
    const isDomain = word.isBracketed === true && last?.last === '@';
    const isJoined = last && (isDomain || (word.isBracketed !== true && (!word.isSpaced || joins.has(last.last) || joins.has(word.text[0]!))));
    if (isJoined) {
      last.text += word.text;
      last.last = word.text.at(-1)!;
      last.end = end;
      last.shown += `${word.isSpaced ? ' ' : ''}${word.shown}`;
      last.isAddress ||= hasAt(word);
    } else if (word.isBracketed) {
      const text = withoutScheme(word.text.slice(1, -1));
      runs.push({ text, shown: word.shown, isAddress: /^[^\s@]+@[^\s@]+$/.test(text), last: ']', end });
    } else {
      runs.push({ text: word.text, shown: word.shown, isAddress: hasAt(word), last: word.text.at(-1)!, end });
    }
  }
  return runs;
};

/** A name on one line, without control characters, in Unicode normalization form C. */
const displayName = (name: string): string =>
  decodeWordsInName(name)
    .replaceAll('\t', ' ')
    .replaceAll(/\p{Cc}/gu, '')
    .trim()
    .normalize('NFC');

const phraseOf = (words: readonly Word[]): string =>
  displayName(words.map(({ shown, isSpaced }, index) => (isSpaced && index > 0 ? ` ${shown}` : shown)).join(''));

const shownRuns = (runs: readonly Run[]): string => displayName(runs.map(({ shown }) => shown).join(' '));

const isAddress = (text: string): boolean => /^(?:[^\s"@]+|"[^]*")@[^\s@]+$/.test(text);

/** The text of an address, in which some senders put an encoded word though RFC 2047 §5 forbids it. */
const decodedAddress = (text: string): string => {
  const decoded = decodeEncodedWords(text);
  return decoded !== text && /^[^\s<>()",;:@]+@[^\s<>()",;:@]+$/.test(decoded) ? decoded : text;
};

/** The words of a text behind a superfluous bracket. */
const wordsIn = (text: string): readonly Word[] => [...new Tokens(text, false)].filter((token) => token.kind === 'word');

/** Reads one address list. */
class ListReader {
  readonly groups: { readonly name: string | null; readonly addresses: EmailAddress[] }[] = [];
  readonly #decodesAddresses: boolean;
  #isInGroup = false;
  #words: Word[] = [];
  /** The comments, each with the number of words before it. */
  #comments: { readonly text: string; readonly after: number }[] = [];
  #takenComments = 0;
  /** The last address between two separators, which still may get a name. */
  #last: { name: string | null; readonly email: string } | undefined;

  constructor(decodesAddresses: boolean) {
    this.#decodesAddresses = decodesAddresses;
  }

  /** @param isCut whether the text ends within an address, which is left out. */
  read(text: string, isCut: boolean): void {
    for (const token of new Tokens(text, isCut)) {
      if (token.kind === 'word') this.#words.push(token);
      else if (token.kind === 'comment') this.#comments.push({ text: token.text, after: this.#words.length });
      else if (token.kind === 'angle') this.#readAngle(token);
      else if (token.kind === ':') this.#readColon();
      else {
        this.#endMailbox();
        if (token.kind === ';') this.#isInGroup = false;
      }
    }
    if (!isCut) this.#endMailbox();
    else if (this.#last) this.groups.at(-1)!.addresses.pop();
  }

  #add(name: string, email: string): void {
    if (!this.#isInGroup && this.groups.at(-1)?.name !== null) this.groups.push({ name: null, addresses: [] });
    this.#last = { name: name || null, email };
    this.groups.at(-1)!.addresses.push(this.#last);
  }

  #readAngle({ text, isClosed }: Extract<Token, { readonly kind: 'angle' }>): void {
    if (!isClosed && !text.includes('@')) {
      for (const word of wordsIn(text)) this.#words.push(word);
      return;
    }
    const [name, email] = [phraseOf(this.#words), this.#addrSpec(text.trim())];
    if (email !== '') this.#add(name, email);
    else if (name !== '') this.#add('', name);
    this.#words = [];
  }

  /** The address in angle brackets, without its route and comments. A text that is no address stays as it is. */
  #addrSpec(text: string): string {
    const words: Word[] = [];
    for (const token of new Tokens(/^@[^:]*:([^]*)$/.exec(text)?.[1] ?? withoutScheme(text), false)) {
      if (token.kind === 'word') words.push({ ...token, isBracketed: false });
      else if (token.kind !== 'comment') return text;
    }
    const joined = runsOf(words)
      .map((run) => run.text)
      .join(' ');
    const address = this.#decodesAddresses ? decodedAddress(joined) : joined;
    return isAddress(address) ? address : text;
  }

  /** A colon after a phrase begins a group. */
  #readColon(): void {
    const name = phraseOf(this.#words);
    this.#words = [];
    if (name === '' || name.toLowerCase() === 'mailto') return;
    this.#forgetComments();
    this.#last = undefined;
    this.groups.push({ name, addresses: [] });
    this.#isInGroup = true;
  }

  #forgetComments(): void {
    this.#comments = [];
    this.#takenComments = 0;
  }

  /** Takes the comments before a number of words, as a name. */
  #takeComments(before: number): string {
    const start = this.#takenComments;
    while ((this.#comments[this.#takenComments]?.after ?? Infinity) < before) this.#takenComments += 1;
    return displayName(
      this.#comments
        .slice(start, this.#takenComments)
        .map(({ text }) => text)
        .join(' '),
    );
  }

  #endMailbox(): void {
    const runs = runsOf(this.#words);
    const isAfterAngle = this.#last !== undefined;
    let named: Run[] = [];
    for (const run of isAfterAngle ? [] : runs) {
      if (!run.isAddress) named.push(run);
      else {
        // A comment behind an address belongs to it.
        if (this.#last) this.#last.name ??= this.#takeComments(run.end) || null;
        const text = run.text.trim();
        this.#add(shownRuns(named), this.#decodesAddresses ? decodedAddress(text) : text);
        named = [];
      }
    }
    const rest = shownRuns(isAfterAngle ? runs : named);
    const comment = this.#takeComments(Infinity);
    if (this.#last === undefined && /[\p{L}\p{N}]/u.test(rest)) {
      const [hidden] = this.#decodesAddresses ? parseAddressList(rest, false, false).flatMap(({ addresses }) => addresses) : [];
      if (hidden && isAddress(hidden.email)) this.#add(hidden.name ?? comment, hidden.email);
      // Text without an address is also returned, so that a client can show it.
      else this.#add(runs.length === 1 ? comment : '', rest);
    }
    if (this.#last) this.#last.name ??= (this.#last.email === rest ? '' : rest) || comment || null;
    this.#words = [];
    this.#forgetComments();
    this.#last = undefined;
  }
}

/**
 * Parses an address list (RFC 5322 §3.4, with the obsolete syntax of §4.4). Accepts any text. Damaged lists are read
 * without joining the parts of two addresses. The addresses keep the quotes of their local parts.
 * @param isCut whether the text was cut, so that its last address may be incomplete and is left out.
 * @param decodesAddresses whether an address may be an encoded word.
 */
export const parseAddressList = (text: string, isCut: boolean, decodesAddresses: boolean): readonly EmailAddressGroup[] => {
  const reader = new ListReader(decodesAddresses);
  reader.read(text, isCut);
  return reader.groups;
};
