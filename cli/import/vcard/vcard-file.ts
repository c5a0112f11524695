import { utf16Of } from '../../../contract/values/utf16.ts';
import { decodeTextFile } from '../../terminal/decode-text-file.ts';
import { decodeOctets, isIndented, type VCardLines } from './content-lines.ts';

/** The name of a vCard that cannot be read, if it has one. */
export const nameOfLines = ({ lines }: VCardLines): string => {
  const of = (name: RegExp): string =>
    decodeOctets(
      lines
        .find((line) => name.test(line))
        ?.split(':')
        .slice(1)
        .join(':')
        .trim() ?? '',
    ).slice(0, 80);
  return of(/^[ \t]{0,9}(?:[\w-]{1,50}\.)?FN[;:]/i) || of(/^[ \t]{0,9}(?:[\w-]{1,50}\.)?N[;:]/i) || of(/^[ \t]{0,9}(?:[\w-]{1,50}\.)?EMAIL[;:]/i);
};

const isBegin = (line: string): boolean => /^BEGIN[ \t]{0,9}:[ \t]{0,9}VCARD$/i.test(line.trim());
const isEnd = (line: string): boolean => /^END[ \t]{0,9}:[ \t]{0,9}VCARD$/i.test(line.trim());
const agentLine = /^(?:[\w-]{1,50}\.)?(?:X-)?AGENT(?:;[^:]*)?:[ \t]{0,9}(?:BEGIN:VCARD)?[ \t]{0,9}$/i;

const inlineBegin = /BEGIN:VCARD[ \t]{0,9}$/i;

/** The lines of a card without the white space with which all of them begin. */
const withoutIndent = (lines: readonly string[], indent: string): readonly string[] =>
  indent !== '' && lines.every((line) => line.trim() === '' || line.startsWith(indent)) ? lines.map((line) => line.slice(indent.length)) : lines;

/** Collects the cards of a file line by line. A card within another one, as AGENT has it, becomes one escaped line. */
class VCardSplitter {
  readonly cards: VCardLines[] = [];
  #open: { readonly indent: string; readonly lines: string[] } | undefined;
  /** The lines of cards within the open one. */
  #nested: string[] = [];
  #depth = 0;
  /** Lines between cards. They belong to a card without BEGIN when END follows. */
  #stray: string[] = [];

  add(line: string): void {
    const open = this.#open;
    if (!open) return this.#addOutside(line);
    const isFolded = open.indent === '' && isIndented(line);
    if (this.#depth > 0) return this.#addNested(line, isFolded);
    const last = open.lines.at(-1) ?? '';
    if (agentLine.test(last.trim()) && ((isBegin(line) && !isFolded) || inlineBegin.test(last))) {
      if (!isBegin(line)) this.#nested.push('BEGIN:VCARD');
      open.lines[open.lines.length - 1] = last.slice(0, last.indexOf(':') + 1);
      this.#depth = 1;
      this.#nested.push(line);
    } else if (isBegin(line) && !isFolded) {
      this.end();
      this.#addOutside(line);
    } else if (isEnd(line) && !isFolded) this.#close();
    else open.lines.push(line);
    return undefined;
  }

  /** Ends the file, or a card before the next one. */
  end(): void {
    const open = this.#open;
    if (!open) return;
    const lastIndex = open.lines.findLastIndex((line) => line.trim() !== '');
    if (this.#depth === 0 && isEnd(open.lines[lastIndex] ?? '')) {
      open.lines.length = lastIndex;
      this.#close();
    } else this.#close('it has no END:VCARD');
  }

  #addOutside(line: string): void {
    if (isBegin(line)) {
      this.#stray = [];
      this.#open = { indent: line.slice(0, line.length - line.trimStart().length), lines: [] };
    } else if (isEnd(line)) {
      this.cards.push({ number: this.cards.length + 1, lines: this.#stray, problem: 'it has no BEGIN:VCARD' });
      this.#stray = [];
    } else this.#stray.push(line);
  }

  #addNested(line: string, isFolded: boolean): void {
    this.#nested.push(line);
    if (!isFolded && (isBegin(line) || (agentLine.test(line.trim()) && inlineBegin.test(line)))) this.#depth += 1;
    if (!isFolded && isEnd(line)) this.#depth -= 1;
    if (this.#depth > 0) return;
    const lines = this.#open!.lines;
    const text = this.#nested.join('\n').replaceAll('\\', '\\\\').replaceAll(',', '\\,').replaceAll(';', '\\;').replaceAll('\n', '\\n');
    lines[lines.length - 1] += text;
    this.#nested = [];
  }

  #close(problem?: string): void {
    const { indent, lines } = this.#open!;
    this.cards.push({ number: this.cards.length + 1, lines: withoutIndent(lines, indent), ...(problem !== undefined && { problem }) });
    this.#open = undefined;
    this.#nested = [];
    this.#depth = 0;
  }
}

/**
 * The vCards of a file in any encoding, with any line ends. The lines keep their octets as characters of Latin-1, since
 * a fold may lie within a character and each property may have its own charset.
 */
export const vCardsIn = (file: Buffer): readonly VCardLines[] => {
  const text = (utf16Of(file) ? Buffer.from(decodeTextFile(file).text) : file).toString('latin1');
  const splitter = new VCardSplitter();
  for (const line of text.replaceAll('\r\r\n', '\n').replaceAll('\r\n', '\n').replaceAll('\r', '\n').split('\n')) {
    // A mark is also where files were joined.
    splitter.add(line.startsWith('\u00EF\u00BB\u00BF') ? line.slice(3) : line);
  }
  splitter.end();
  return splitter.cards;
};
