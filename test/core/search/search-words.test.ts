import * as fc from 'fast-check';
import { searchLimits } from '../../../contract/jmap/core.ts';
import { parseSearchText } from '../../../core/search/search-words.ts';
import { tokensOf } from '../../../core/search/tokenizer.ts';
import { assertProperty } from '../../support/assert-property.ts';
import { phrasesOccur } from '../../support/search-documents.ts';

/** The phrases, each as its terms with blanks between them; a prefix ends with `*`. */
const phrases = (text: string) => parseSearchText(text)?.map(({ terms, isPrefix }) => terms.join(' ') + (isPrefix ? '*' : ''));

describe('a search text', () => {
  test('consists of words, each a phrase of its tokens', () => {
    expect(phrases('  Hello  wörld ')).toEqual(['hello', 'world']);
    expect(phrases('alice@example.com e-mail don’t')).toEqual(['alice example com', 'e mail', 'don t']);
  });

  // @requirement 8621 §4.4.1 query-phrase
  test('has phrases in single and double quotes, with backslashes (RFC 8621 §4.4.1)', () => {
    expect(phrases('one "two three" \'four five\'')).toEqual(['one', 'two three', 'four five']);
    expect(phrases(String.raw`"say \"hello\" now" 'it\'s here' "back\\slash"`)).toEqual(['say hello now', 'it s here', 'back slash']);
    expect(phrases('"two words"next')).toEqual(['two words', 'next']);
    expect(phrases('before"two words"')).toEqual(['before', 'two words']);
  });

  test('has words where a quote is not closed', () => {
    expect(phrases('one "two three')).toEqual(['one', 'two', 'three']);
    expect(phrases("'tis don't rock 'n roll")).toEqual(['tis', 'don t', 'rock', 'n', 'roll']);
  });

  test('has prefixes: words that end with an asterisk', () => {
    expect(phrases('Hel* alice@exa* "wor*" * mid*dle')).toEqual(['hel*', 'alice exa*', 'wor', 'mid dle']);
  });

  test('ignores a word without letter or digit beside others', () => expect(phrases('tea & "?" cake')).toEqual(['tea', 'cake']));

  test('has no phrase when it is blank', () => {
    expect(parseSearchText('')).toEqual([]);
    expect(parseSearchText(' \t\n')).toEqual([]);
  });

  test.each(['!?', '""', '*', '😀'])('is one phrase that occurs nowhere when it has no letter or digit: %s', (text) =>
    expect(parseSearchText(text)).toEqual([{ terms: [], isPrefix: false }]),
  );

  test('has a limited number of words', () => {
    const most = searchLimits.maxSearchTerms;
    expect(parseSearchText('word '.repeat(most))).toHaveLength(most);
    expect(parseSearchText('word '.repeat(most + 1))).toBeUndefined();
    expect(parseSearchText(`"${'word '.repeat(most + 1)}"`)).toBeUndefined();
  });

  test('is parsed in linear time', () => {
    const started = process.cpuUsage();
    for (const piece of ['"', "'", " '", "' ", '\\', '"\\"', ' " \'', '! ', '*']) parseSearchText(piece.repeat(400_000 / piece.length));
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(15_000);
  });
});

describe('phrases', () => {
  const occur = (search: string, ...texts: string[]) =>
    phrasesOccur(
      parseSearchText(search)!,
      texts.map((text) => [...tokensOf(text)]),
    );

  // @requirement 8621 §4.4.1 query-case
  test('occur as whole words in any letter case and with any accents', () => {
    expect(occur('cafe', 'Le CAFÉ noir')).toBe(true);
    expect(occur('caf', 'Le café noir')).toBe(false);
  });
  test('occur as consecutive words', () => {
    expect(occur('"quick fox"', 'the quick fox')).toBe(true);
    expect(occur('"quick fox"', 'the quick brown fox')).toBe(false);
    expect(occur('"fox quick"', 'the quick fox')).toBe(false);
    expect(occur('fox quick', 'the quick fox')).toBe(true);
    expect(occur('"a a b"', 'a a a b')).toBe(true);
  });
  // @requirement 8621 §4.4.1 query-words
  test('occur within one text, and different phrases in different texts', () => {
    expect(occur('"quick fox"', 'the quick', 'fox')).toBe(false);
    expect(occur('quick fox', 'the quick', 'fox')).toBe(true);
    expect(occur('quick dog', 'the quick', 'fox')).toBe(false);
  });
  test('occur as prefixes', () => {
    expect(occur('qui*', 'the quick fox')).toBe(true);
    expect(occur('ick*', 'the quick fox')).toBe(false);
    expect(occur('example.co*', 'www.example.com')).toBe(true);
    expect(occur('example.co*', 'www.example.org com')).toBe(false);
  });
  test('of a blank text occur everywhere, and of a text without words nowhere', () => {
    expect(occur('', 'anything')).toBe(true);
    expect(occur('', '')).toBe(true);
    expect(occur('?!', '?!')).toBe(false);
  });

  test('occur exactly where a comparison word by word finds them', () => {
    const term = fc.constantFrom('a', 'b', 'ab', 'abc');
    const phrase = fc.record({ terms: fc.array(term, { minLength: 1, maxLength: 4 }), isPrefix: fc.boolean() });
    assertProperty(
      fc.property(phrase, fc.array(term, { maxLength: 20 }), ({ terms, isPrefix }, words) => {
        const isAt = (start: number): boolean =>
          terms.every((each, index) => {
            const word = words[start + index];
            return word !== undefined && (isPrefix && index === terms.length - 1 ? word.startsWith(each) : word === each);
          });
        expect(phrasesOccur([{ terms, isPrefix }], [words.map((word) => ({ term: word }))])).toBe(words.some((_, start) => isAt(start)));
      }),
      { numRuns: 500 },
    );
  });
});
