import { searchLimits } from '../../contract/jmap/core.ts';
import type { Phrase } from '../mail/email/index/email-filter.ts';
import { tokensOf } from './tokenizer.ts';

/** A word of a search text before it is normalized. */
type SearchWord = { readonly text: string; readonly isQuoted: boolean };

const isBlank = (character: string | undefined): boolean => character === undefined || /\s/.test(character);

/** The quoted section at that position, and the position after it. Undefined when there is no closing quote. */
const quotedSection = (text: string, start: number): { readonly content: string; readonly end: number } | undefined => {
  const quote = text[start]!;
  let content = '';
  for (let position = start + 1; position < text.length; position += 1) {
    const character = text[position]!;
    if (character === '\\') {
      position += 1;
      content += text[position] ?? '';
    } else if (character === quote && (quote === '"' || isBlank(text[position + 1]))) {
      return { content, end: position + 1 };
    } else {
      content += character;
    }
  }
  return undefined;
};

/** The words and quoted sections of a search text (RFC 8621 §4.4.1), in order. */
export function* searchWordsOf(text: string): Generator<SearchWord, void, undefined> {
  /** Kinds of quotation marks without a closing mark. Later marks of these kinds are unclosed too. */
  const unclosed = new Set<string>();
  let wordStart = 0;
  let position = 0;
  while (position < text.length) {
    const character = text[position]!;
    const opens = character === '"' || (character === "'" && isBlank(text[position - 1]));
    const section = opens && !unclosed.has(character) ? quotedSection(text, position) : undefined;
    if (opens && !section) unclosed.add(character);
    if (section || isBlank(character)) {
      if (position > wordStart) yield { text: text.slice(wordStart, position), isQuoted: false };
      if (section) yield { text: section.content, isQuoted: true };
      position = section?.end ?? position + 1;
      wordStart = position;
    } else {
      position += 1;
    }
  }
  if (position > wordStart) yield { text: text.slice(wordStart), isQuoted: false };
}

const maxTerms = searchLimits.maxSearchTerms;

/**
 * Parses the text of a filter condition such as `text` or `subject` (RFC 8621 §4.4.1, `docs/specification.md#search`).
 * A word is a phrase of its tokens, a quoted section is one phrase, and `word*` is a prefix. All phrases must occur.
 * Words without a letter or digit are ignored if there are other words. A blank text has no phrases. If all words are
 * without a letter or digit, the text is a phrase that occurs nowhere.
 * @returns undefined when the text has more than `maxSearchTerms` terms.
 */
export const parseSearchText = (text: string): readonly Phrase[] | undefined => {
  const phrases: Phrase[] = [];
  let termCount = 0;
  for (const word of searchWordsOf(text)) {
    const terms: string[] = [];
    for (const { term } of tokensOf(word.text)) {
      termCount += 1;
      if (termCount > maxTerms) return undefined;
      terms.push(term);
    }
    if (terms.length > 0) phrases.push({ terms, isPrefix: !word.isQuoted && word.text.endsWith('*') });
  }
  return phrases.length > 0 || text.trim() === '' ? phrases : [{ terms: [], isPrefix: false }];
};
