import * as fc from 'fast-check';
import { tokensOf } from '../../../core/search/tokenizer.ts';
import { assertProperty } from '../../support/assert-property.ts';

const terms = (text: string): string[] => [...tokensOf(text)].map(({ term }) => term);

describe('the tokens of a text', () => {
  test('are its words and numbers, without punctuation', () =>
    expect(terms('Hello, world! It’s 3.14 (or 22/7) — ok?')).toEqual(['hello', 'world', 'it', 's', '3', '14', 'or', '22', '7', 'ok']));

  test('have the UTF-16 offsets of the words in the text', () => {
    const text = 'A 😀 Größe: ＡＢＣ, e\u0301te\u0301';
    expect([...tokensOf(text)].map(({ term, start, end }) => [term, text.slice(start, end)])).toEqual([
      ['a', 'A'],
      ['grosse', 'Größe'],
      ['abc', 'ＡＢＣ'],
      ['ete', 'e\u0301te\u0301'],
    ]);
  });

  test('are the components of an address and of a host name', () =>
    expect(terms('alice.smith+news@mail.example.com, https://www.example.org/a_b-c')).toEqual([
      'alice',
      'smith',
      'news',
      'mail',
      'example',
      'com',
      'https',
      'www',
      'example',
      'org',
      'a',
      'b',
      'c',
    ]));

  test('are dictionary words in scripts without spaces', () => {
    expect(terms('東京都に住んでいる。')).toEqual(['東京', '都', 'に', '住', 'んで', 'いる']);
    expect(terms('iPhoneを買った')).toEqual(['iphone', 'を', '買', 'っ', 'た']);
    expect(terms('我们在北京工作')).toContain('北京');
    expect(terms('ภาษาไทยง่าย')).toEqual(['ภาษา', 'ไทย', 'ง่าย']);
  });

  test('are empty for a text without letters and digits', () => expect(terms(' —…!? 😀 \u0301 \u200D ')).toEqual([]));
});

describe('the term of a word', () => {
  const same = (...words: string[]) => expect(new Set(words.flatMap(terms)).size).toBe(1);

  test('is the same in upper and lower case', () => {
    same('STRASSE', 'Straße', 'strasse', 'STRAẞE');
    same('ΣΊΣΥΦΟΣ', 'σίσυφος', 'σισυφοσ');
    same('İstanbul', 'ISTANBUL', 'istanbul', 'ıstanbul');
  });

  test('is the same with and without accents of Latin and Greek letters', () => {
    same('café', 'cafe', 'cafe\u0301', 'CAFÉ');
    same('Müller', 'Muller');
    same('Łódź', 'lodz');
    same('Øre', 'ore');
    same('Việt', 'viet');
    same('Æsop', 'aesop');
    same('ἀγάπη', 'αγαπη');
    same('ᾳ', 'α');
  });

  test('is the same with and without stress marks of Cyrillic letters, and ё is е', () => {
    same('за\u0301мок', 'замок');
    same('ещё', 'еще', 'ЕЩЁ');
  });

  test.each([
    ['й', 'и'],
    ['ї', 'і'],
    ['ѓ', 'г'],
    ['が', 'か'],
    ['ぱ', 'は'],
    ['कि', 'क'],
    ['กี', 'ก'],
    ['한', '하'],
    ['ñ'.normalize('NFD'), 'm'],
  ])('differs for the letters %s and %s', (one, other) => expect(terms(one)).not.toEqual(terms(other)));

  test('keeps vowel signs and syllables', () => {
    expect(terms('हिन्दी தமிழ்')).toEqual(['हिन्दी', 'தமிழ்']);
    expect(terms('한국어'.normalize('NFD'))).toEqual(['한국어']);
  });

  test('has no optional Hebrew and Arabic marks', () => {
    same('שָׁלוֹם', 'שלום');
    same('مُحَمَّد', 'محمد', 'محـــمد');
    same('أحمد', 'احمد');
  });

  test('is the same for letters that people type for each other', () => {
    same('Þórður', 'thordur');
    same('\u0639\u0644\u06CC', '\u0639\u0644\u064A', '\u0639\u0644\u0649');
    same('\u06A9\u062A\u0627\u0628', '\u0643\u062A\u0627\u0628');
    same('\u0645\u062F\u0631\u0633\u0629', '\u0645\u062F\u0631\u0633\u0647');
    same('2026', '\u0662\u0660\u0662\u0666', '\u06F2\u06F0\u06F2\u06F6', '२०२६', '２０２６');
  });

  // @pitfall query letter-apostrophes
  test.each(["'", '\u2019', '\u02BC', '\u02BB', '\u02BE', '\u02BF', '\u02B9', '\uA78C', '\u2018', '`', '\u00B4', '\u2032', '\uFF07'])(
    'is the same around the apostrophe %s',
    (apostrophe) => {
      expect(terms(`п${apostrophe}ять O${apostrophe}ahu Qur${apostrophe}an${apostrophe}`)).toEqual(['п', 'ять', 'o', 'ahu', 'qur', 'an']);
    },
  );

  test('is that of the U-label for a domain in either form', () => {
    same('müller', 'xn--mller-kva', 'XN--MLLER-KVA');
    expect(terms('a@xn--mnchen-nord-thb.example')).toEqual(terms('a@münchen-nord.example'));
    expect([...tokensOf('x xn--mller-kva.test')].map(({ start, end }) => [start, end])).toEqual([
      [0, 1],
      [2, 15],
      [16, 20],
    ]);
    expect(terms('xn--zzzzz-é xn--a xn-- xn--9 axn--b')).toEqual(terms('xn zzzzz é xn a xn xn 9 axn b'));
  });

  test('has no compatibility forms and no invisible characters', () => {
    same('ｆｕｌｌ', 'full');
    same('ﬁsh', 'fish');
    same('ｶﾞｽ', 'ガス');
    same('hy\u00ADphen', 'hyphen');
    same('می\u200Cخواهم', 'میخواهم');
  });

  test('is the beginning of a long word', () => {
    const [token] = tokensOf('x'.repeat(100_000));
    expect(token).toEqual({ term: 'x'.repeat(64), start: 0, end: 100_000 });
    expect(terms('𝒳𐐷'.repeat(100)).every((term) => term.length <= 64 && term.isWellFormed())).toBe(true);
  });
});

describe('tokens of any text', () => {
  const words = fc.constantFrom('été', 'ÉTÉ', 'ß', 'ﷺ', 'ﱠ', '東京', 'กำ', 'å\u0323', '\u200B', '\u00AD', ' ', '.', '@', '\ud800', '½', 'ŉ', 'ΐ');
  const anyText = fc
    .array(fc.oneof(fc.string({ unit: 'binary', maxLength: 12 }), fc.string({ unit: 'grapheme', maxLength: 12 }), words))
    .map((pieces) => pieces.join(''));

  test('are in order, do not overlap, and have terms without white space', () => {
    assertProperty(
      fc.property(anyText, (text) => {
        let position = 0;
        for (const { term, start, end } of tokensOf(text)) {
          expect(start).toBeGreaterThanOrEqual(position);
          expect(end).toBeGreaterThan(start);
          expect(term).toMatch(/^\S{1,64}$/);
          position = end;
        }
        expect(position).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 500 },
    );
  });

  test('are found by their own term', () => {
    assertProperty(
      fc.property(anyText, (text) => {
        for (const { term } of tokensOf(text)) {
          const again = terms(term);
          expect(again.length <= 1 ? again : [term]).toEqual([term]);
        }
      }),
      { numRuns: 500 },
    );
  });
});

test('the work is linear in the length of the text', () => {
  const pieces = ['a', 'あ', 'กา', 'ខ្ញុំ', 'e\u0301', '\u0301', 'é\u0301\u0301', 'word ', '東京都に', '\u00AD', 'a.'];
  for (const piece of pieces) {
    const time = (length: number): number => {
      const text = piece.repeat(length / piece.length);
      const started = process.cpuUsage();
      for (const token of tokensOf(text)) if (token.start < 0) throw new Error('unreachable');
      const { user, system } = process.cpuUsage(started);
      return (user + system) / 1000;
    };
    time(20_000);
    expect([piece, time(400_000) < 2000]).toEqual([piece, true]);
  }
});
