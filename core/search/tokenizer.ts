import { searchLimits } from '../../contract/jmap/core.ts';
import { uLabelOf } from '../mime/domain-labels.ts';

/** A word of a text. `start` and `end` (exclusive) are UTF-16 offsets in the text. */
export type Token = {
  /** The folded word. Never empty, without white space, and at most `maxSearchTermLength` UTF-16 units. */
  readonly term: string;
  readonly start: number;
  readonly end: number;
};

/** Characters within words that search ignores: soft hyphen, joiners, direction marks, byte order mark. */
const invisible = '\\u00AD\\u034F\\u200C-\\u200F\\u202A-\\u202E\\u2060-\\u2064\\u2066-\\u2069\\uFEFF';

/**
 * Letters that people type as an apostrophe, which separates words: ʼ of Ukrainian, ʻ of Hawaiian, ʾ and ʿ of Arabic in
 * Latin letters, the saltillo, and others.
 */
const apostrophes = '\\u02B9-\\u02BF\\u02C8\\u02CA\\u02CB\\u02EE\\uA78B\\uA78C';

/** The label of a domain in ASCII, or a run of letters, digits and their marks. All other characters separate words. */
const wordRuns = new RegExp(`[xX][nN]--[\\-a-zA-Z0-9]+|[[\\p{L}\\p{N}]--[${apostrophes}]][[\\p{L}\\p{N}\\p{M}${invisible}]--[${apostrophes}]]*`, 'gv');
const isALabel = /^xn--/i;

/**
 * Scripts that are written without spaces between words. Finding words in a run of these scripts would need a
 * dictionary.
 */
const unspacedScripts = new RegExp(
  `[${['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar'].map((script) => `\\p{Script=${script}}`).join('')}]`,
  'u',
);

/** The segmenter of the root locale, because the words of a text must not depend on the settings of a Lambda. */
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** UTF-16 units that are segmented together, because each call takes microseconds, even for a short text. */
const segmentedUnits = 4096;

const isAscii = /^[\p{ASCII}]*$/u;
/**
 * Accents on Latin and Greek letters. On Indic, Thai and Kana letters, marks are vowels or make other letters, so they
 * are kept.
 */
const latinOrGreekAccents = /([\p{Script=Latin}\p{Script=Greek}])\p{M}+/gu;
/**
 * Stress marks on Cyrillic vowels, and the dots of ё. Other marked letters, such as й, ї and ѓ, are separate letters.
 */
const cyrillicAccents = /([еЕ])[\u0300\u0301\u0308]+|([аиоуыэюяєіѣАИОУЫЭЮЯЄІѢ])[\u0300\u0301]+/gu;
/**
 * Hebrew points, Arabic vowel signs, hamza on alef, the Arabic filler letter, variation selectors, and characters that
 * are neither letter nor digit, such as the brackets of ⑴.
 */
const optionalCharacters = new RegExp(
  '[^\\p{L}\\p{N}\\p{M}]|[\\u034F\\u0591-\\u05BD\\u05BF\\u05C1\\u05C2\\u05C4\\u05C5\\u05C7\\u0610-\\u061A\\u0640\\u064B-\\u0652\\u0670]' +
    `|[\\uFE00-\\uFE0F${apostrophes}]|(?<=\\u0627)[\\u0653-\\u0655]`,
  'gu',
);
/**
 * Letters that people type for others, and that Unicode does not decompose: Latin ones with a stroke, ligatures, and the
 * Arabic letters that keyboards of other languages have, or that stand for each other at the end of a word.
 */
const typedLetters: Readonly<Record<string, string>> = {
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ŧ: 't',
  æ: 'ae',
  œ: 'oe',
  ς: 'σ',
  '\u0649': '\u064A',
  '\u06CC': '\u064A',
  '\u06A9': '\u0643',
  '\u0629': '\u0647',
  '\u06C1': '\u0647',
};
const unfoldedLetters = new RegExp(`[${Object.keys(typedLetters).join('')}]`, 'g');

const otherDigits = /[\p{Nd}--[0-9]]/gv;
const isDigit = /^\p{Nd}$/u;

/** A digit of any script as 0 to 9. The digits of a script follow each other in Unicode. */
const asciiDigit = (digit: string): string => {
  const codePoint = digit.codePointAt(0)!;
  let value = 0;
  while (value < 9 && isDigit.test(String.fromCodePoint(codePoint - value - 1))) value += 1;
  return String(value);
};

/** Marks without a letter, which remain after the folding of some special letters. */
const leadingMarks = /^\p{M}+/u;

const withoutAccents = (text: string): string => text.replaceAll(latinOrGreekAccents, '$1').replaceAll(cyrillicAccents, '$1$2');

/** Kana, Han and Hangul letters, which folding does not change. */
const isFolded = /^[ー\u3041-\u3096\u30A1-\u30FA\u4E00-\u9FFF\uAC00-\uD7A3]*$/;

/**
 * Folds compatibility forms (NFKC), accents and case. Upper case is used because it has the full mappings: ß is SS, and
 * ı is I.
 */
const fold = (word: string): string =>
  withoutAccents(withoutAccents(word.normalize('NFKD').replaceAll(optionalCharacters, '')).toLowerCase().toUpperCase().toLowerCase())
    .replace(leadingMarks, '')
    .replaceAll(unfoldedLetters, (letter) => typedLetters[letter]!)
    .replaceAll(otherDigits, asciiDigit)
    .normalize('NFC');

const { maxSearchTermLength } = searchLimits;

/** The term of a word. Only the beginning of a long word is folded. */
const termOf = (word: string): string => {
  if (word.length <= maxSearchTermLength && isFolded.test(word)) return word;
  return fold(word.slice(0, 4 * maxSearchTermLength))
    .slice(0, maxSearchTermLength)
    .toWellFormed();
};

/** A run of letters in a text, or a piece of a very long one. */
type Run = { readonly text: string; readonly start: number; readonly isUnspaced: boolean };

/** The runs of a text, in batches of about {@link segmentedUnits}. */
function* runBatches(text: string): Generator<readonly Run[], void, undefined> {
  let batch: Run[] = [];
  let units = 0;
  const hasUnspaced = unspacedScripts.test(text);
  for (const { 0: whole, index } of text.matchAll(wordRuns)) {
    const isUnspaced = hasUnspaced && unspacedScripts.test(whole);
    const pieceLength = isUnspaced ? segmentedUnits : whole.length;
    for (let start = 0; start < whole.length; start += pieceLength) {
      const piece = whole.slice(start, start + pieceLength);
      batch.push({ text: piece, start: index + start, isUnspaced });
      units += piece.length;
    }
    if (units < segmentedUnits) continue;
    yield batch;
    [batch, units] = [[], 0];
  }
  yield batch;
}

/** The words of a batch. Its unspaced runs are segmented together, separated by line breaks. */
function* wordsOf(batch: readonly Run[]): Generator<{ readonly word: string; readonly start: number }, void, undefined> {
  const unspaced = batch
    .filter(({ isUnspaced }) => isUnspaced)
    .map(({ text }) => text)
    .join('\n');
  const segments = (unspaced === '' ? [] : segmenter.segment(unspaced))[Symbol.iterator]();
  for (const { text, start, isUnspaced } of batch) {
    if (!isUnspaced) {
      yield { word: text, start };
      continue;
    }
    for (let position = 0; position < text.length;) {
      const next = segments.next();
      if (next.done) return;
      const { segment } = next.value;
      if (segment === '\n') continue;
      yield { word: segment, start: start + position };
      position += segment.length;
    }
  }
}

/** The tokens of an A-label: the words of its U-label, which people type, or its own if it is invalid. */
function* tokensOfALabel(aLabel: string, start: number): Generator<Token, void, undefined> {
  const uLabel = uLabelOf(aLabel);
  if (uLabel !== undefined && !isALabel.test(uLabel)) {
    for (const { term } of tokensOf(uLabel)) yield { term, start, end: start + aLabel.length };
    return;
  }
  for (const { 0: part, index } of aLabel.matchAll(/[^-]+/g)) {
    yield { term: part.slice(0, maxSearchTermLength).toLowerCase(), start: start + index, end: start + index + part.length };
  }
}

/** The words of a text, in order, in linear time (`docs/specification.md#search`). */
export function* tokensOf(text: string): Generator<Token, void, undefined> {
  const terms = new Map<string, string>();
  for (const batch of runBatches(text)) {
    for (const { word, start } of wordsOf(batch)) {
      if (isALabel.test(word)) {
        yield* tokensOfALabel(word, start);
        continue;
      }
      let term = isAscii.test(word) ? word.slice(0, maxSearchTermLength).toLowerCase() : terms.get(word);
      if (term === undefined) terms.set(word, (term = termOf(word)));
      if (term !== '') yield { term, start, end: start + word.length };
    }
  }
}
