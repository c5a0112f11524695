import type { Phrase } from '../mail/email/index/email-filter.ts';

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
