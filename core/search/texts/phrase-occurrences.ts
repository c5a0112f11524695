import type { Phrase } from '../../mail-types/email/index/email-filter.ts';

/** A word of a text; see {@link Token}. */
type Word = { readonly term: string };

/** A place where a phrase occurs: the indexes of its first word and of the word after it. */
type PhraseOccurrence = { readonly first: number; readonly end: number };

/** Knuth–Morris–Pratt: for each beginning of the terms, the length of its longest suffix that is a beginning too. */
const suffixLengths = (terms: readonly string[]): readonly number[] => {
  const lengths = [0];
  for (let index = 1, matched = 0; index < terms.length; index += 1) {
    while (matched > 0 && terms[index] !== terms[matched]) matched = lengths[matched - 1]!;
    if (terms[index] === terms[matched]) matched += 1;
    lengths.push(matched);
  }
  return lengths;
};

/** The places in a text where a phrase occurs, in order. They may overlap. The work is linear in the words. */
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
