import { escapeHtml } from '../../contract/values/escape-html.ts';
import type { Phrase } from '../mail/email/index/email-filter.ts';
import { tokensOf, type Token } from './tokenizer.ts';

/** A word of a text; see {@link Token}. */
type Word = { readonly term: string };

/** An occurrence of a phrase: the indexes of its first word and of the word after it. */
type PhraseOccurrence = { readonly first: number; readonly end: number };

/** For each prefix of the terms, the length of its longest proper suffix that is also a prefix (Knuth–Morris–Pratt). */
const suffixLengths = (terms: readonly string[]): readonly number[] => {
  const lengths = [0];
  for (let index = 1, matched = 0; index < terms.length; index += 1) {
    while (matched > 0 && terms[index] !== terms[matched]) matched = lengths[matched - 1]!;
    if (terms[index] === terms[matched]) matched += 1;
    lengths.push(matched);
  }
  return lengths;
};

/** The occurrences of a phrase in a text, in order. They may overlap. The time is linear in the number of words. */
export function* phraseOccurrences(phrase: Phrase, words: readonly Word[]): Generator<PhraseOccurrence, void, undefined> {
  const last = phrase.terms.at(-1);
  if (last === undefined) return;
  const whole = phrase.isPrefix ? phrase.terms.slice(0, -1) : phrase.terms;
  const lengths = suffixLengths(whole);
  let matched = 0;
  for (const [index, { term }] of words.entries()) {
    if (phrase.isPrefix && matched === whole.length && term.startsWith(last)) yield { first: index - matched, end: index + 1 };
    while (matched > 0 && term !== whole[matched]) matched = lengths[matched - 1]!;
    if (term === whole[matched]) matched += 1;
    if (!phrase.isPrefix && matched === whole.length) yield { first: index + 1 - matched, end: index + 1 };
  }
}

/** Texts with the matches of a search as HTML (RFC 8621 §5): matches in `<mark>`, and other characters escaped. */

/** A range of a text that matches, in UTF-16 offsets. */
type Match = { readonly start: number; readonly end: number; readonly phrase: Phrase };

/** Maximum octets of UTF-8 of a preview (RFC 8621 §5). */
const maxPreview = 255;
/** Maximum octets of a preview before its first match. */
const maxContext = 60;
/** Maximum matches in a text from which the beginning of a preview is chosen. */
const maxCandidates = 1000;
const [open, close, ellipsis] = ['<mark>', '</mark>', '…'];

const octetsOf = (html: string): number => Buffer.byteLength(html);

/** The ranges of the phrases in the text, in order. Overlapping ranges are merged. */
const matchesIn = (tokens: readonly Token[], phrases: readonly Phrase[]): readonly Match[] => {
  const found = phrases
    .flatMap((phrase) => {
      const matches: Match[] = [];
      for (const { first, end } of phraseOccurrences(phrase, tokens)) {
        if (matches.length === maxCandidates) break;
        matches.push({ start: tokens[first]!.start, end: tokens[end - 1]!.end, phrase });
      }
      return matches;
    })
    .sort((one, other) => one.start - other.start || other.end - one.end);
  const merged: Match[] = [];
  for (const match of found) {
    const last = merged.at(-1);
    if (!last || match.start >= last.end) merged.push(match);
    else if (match.end > last.end) merged[merged.length - 1] = { ...last, end: match.end };
  }
  return merged;
};

/** The whole text with its matches marked; null when no phrase occurs. */
export const markedText = (text: string, phrases: readonly Phrase[]): string | null => {
  const matches = matchesIn([...tokensOf(text)], phrases);
  if (matches.length === 0) return null;
  let html = '';
  let position = 0;
  for (const { start, end } of matches) {
    html += `${escapeHtml(text.slice(position, start))}${open}${escapeHtml(text.slice(start, end))}${close}`;
    position = end;
  }
  return html + escapeHtml(text.slice(position));
};

/** The match at which a preview begins: the one with the most different phrases close after it. */
const bestMatch = (matches: readonly Match[]): Match => {
  const counts = new Map<Phrase, number>();
  let [best, most, end] = [matches[0]!, 0, 0];
  for (const [index, { start, phrase }] of matches.entries()) {
    for (; end <= index || (end < matches.length && matches[end]!.end <= start + maxPreview - 2 * maxContext); end += 1) {
      counts.set(matches[end]!.phrase, (counts.get(matches[end]!.phrase) ?? 0) + 1);
    }
    if (counts.size > most) [best, most] = [matches[index]!, counts.size];
    const remaining = counts.get(phrase)! - 1;
    if (remaining > 0) counts.set(phrase, remaining);
    else counts.delete(phrase);
  }
  return best;
};

/**
 * The start of a preview: at most {@link maxContext} octets before the match, at the beginning of a word, and not
 * within another match.
 */
const previewStart = (text: string, match: Match, matches: readonly Match[]): number => {
  let start = match.start;
  let octets = 0;
  while (start > 0) {
    const character = text.slice(start - (/[\uDC00-\uDFFF]/.test(text[start - 1]!) ? 2 : 1), start);
    octets += octetsOf(escapeHtml(character));
    if (octets > maxContext) break;
    start -= character.length;
  }
  const space = start === 0 ? -1 : text.indexOf(' ', start);
  const wordStart = space >= 0 && space < match.start ? space + 1 : start;
  return matches.find(({ start: before, end }) => before < wordStart && wordStart < end)?.end ?? wordStart;
};

/** HTML with a maximum number of octets. It can be cut after the last complete word. */
class BoundedHtml {
  #html = '';
  #octets = 0;
  #isMarked = false;
  #safeEnd = '';

  /** Whether an addition fits, together with the end of its mark and an ellipsis. */
  #fits(addition: string): boolean {
    return this.#octets + octetsOf(addition) + (this.#isMarked ? close.length : 0) + octetsOf(ellipsis) <= maxPreview;
  }

  #append(addition: string): void {
    this.#html += addition;
    this.#octets += octetsOf(addition);
  }

  mark(): boolean {
    if (!this.#fits(`${open}${close}xxxx`)) return false;
    this.#append(open);
    this.#isMarked = true;
    return true;
  }

  endMark(): void {
    this.#isMarked = false;
    this.#append(close);
    this.#safeEnd = this.#html;
  }

  character(character: string): boolean {
    const escaped = escapeHtml(character);
    if (!this.#fits(escaped)) return false;
    if (character === ' ' && !this.#isMarked) this.#safeEnd = this.#html;
    this.#append(escaped);
    return true;
  }

  /** The HTML up to the end of the last whole word. Within a mark, or when no word ends nearby, up to the maximum. */
  cut(): string {
    if (this.#isMarked) return `${this.#html}${close}${ellipsis}`;
    return `${this.#html.length - this.#safeEnd.length > maxContext ? this.#html : this.#safeEnd}${ellipsis}`;
  }

  whole(): string {
    return this.#html;
  }
}

/** The text from an offset, with its matches marked, up to the maximum size. */
const boundedHtml = (text: string, from: number, matches: readonly Match[]): string => {
  const html = new BoundedHtml();
  if (from > 0) html.character(ellipsis);
  const marks = matches.filter(({ start }) => start >= from).values();
  let next = marks.next().value;
  for (let position = from; position < text.length;) {
    if (next && position >= next.end) {
      html.endMark();
      next = marks.next().value;
    }
    if (next?.start === position && !html.mark()) return html.cut();
    const character = String.fromCodePoint(text.codePointAt(position)!);
    if (!html.character(character)) return html.cut();
    position += character.length;
  }
  if (next && next.end === text.length) html.endMark();
  return html.whole();
};

/** The text on one line, without control characters and lone surrogates. */
const onOneLine = (text: string): string =>
  text
    .replaceAll(/(?:(?!\uFEFF)[\s\p{Cc}])+/gu, ' ')
    .trim()
    .toWellFormed();

/** An extract of at most 255 octets around the matches, which are marked. @returns null when no phrase occurs. */
export const markedPreview = (text: string, phrases: readonly Phrase[]): string | null => {
  const line = onOneLine(text);
  const matches = matchesIn([...tokensOf(line)], phrases);
  if (matches.length === 0) return null;
  return boundedHtml(line, previewStart(line, bestMatch(matches), matches), matches);
};
