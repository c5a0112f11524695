import * as fc from 'fast-check';
import { markedPreview, markedText } from '../../../core/search/marked-text.ts';
import { parseSearchText } from '../../../core/search/search-words.ts';
import { tokensOf } from '../../../core/search/tokenizer.ts';
import { assertProperty } from '../../support/assert-property.ts';
import { phrasesOccur } from '../../support/search-documents.ts';

const subject = (text: string, search: string) => markedText(text, parseSearchText(search)!);
const preview = (text: string, search: string) => markedPreview(text, parseSearchText(search)!);

describe('a marked text', () => {
  test('has every match in <mark>, at the offsets of the original text', () => {
    expect(subject('Größe und GRÖSSE', 'grosse')).toBe('<mark>Größe</mark> und <mark>GRÖSSE</mark>');
    expect(subject('To alice@example.com now', 'alice@example.com')).toBe('To <mark>alice@example.com</mark> now');
    expect(subject('A quick, brown fox. Quick!', '"quick brown" fox')).toBe('A <mark>quick, brown</mark> <mark>fox</mark>. Quick!');
    expect(subject('😀 Testing tests', 'test*')).toBe('😀 <mark>Testing</mark> <mark>tests</mark>');
    expect(subject('東京都に住む', '東京')).toBe('<mark>東京</mark>都に住む');
  });
  test('has matches that overlap in one <mark>', () =>
    expect(subject('one two three four', '"one two" "two three" three')).toBe('<mark>one two three</mark> four'));
  test('is escaped', () => expect(subject('<b>a & b</b> "c"', 'b')).toBe('&lt;<mark>b</mark>&gt;a &amp; <mark>b</mark>&lt;/<mark>b</mark>&gt; "c"'));
  test('is null without a match', () => {
    expect(subject('nothing here', 'else')).toBeNull();
    expect(subject('nothing here', '')).toBeNull();
    expect(subject('', 'a')).toBeNull();
  });
});

describe('a marked preview', () => {
  const filler = (words: number) => 'lorem ipsum dolor '.repeat(words / 3);

  test('is the text on one line when it is short', () =>
    expect(preview(' Dear\r\n\tAlice,\n\nyour <parcel> is here.\n', 'parcel')).toBe('Dear Alice, your &lt;<mark>parcel</mark>&gt; is here.'));
  test('is the text around the match, cut between words', () => {
    const html = preview(`${filler(300)}the needle is here ${filler(300)}`, 'needle')!;
    expect(html).toMatch(/^…(?:lorem|ipsum|dolor) .* the <mark>needle<\/mark> is here lorem .* (?:lorem|ipsum|dolor)…$/);
    expect(Buffer.byteLength(html)).toBeGreaterThan(230);
    expect(Buffer.byteLength(html)).toBeLessThanOrEqual(255);
  });
  test('shows the place where most of the words are close together', () =>
    expect(preview(`red ${filler(300)}green ${filler(300)}red and green ${filler(300)}`, 'red green')).toContain('<mark>red</mark> and <mark>green</mark>'));
  test('is cut within a match that is too long, and within a text without spaces', () => {
    expect(preview('x'.repeat(1000), 'x*')).toBe(`<mark>${'x'.repeat(239)}</mark>…`);
    const japanese = preview('東京都に住んでいる人は昨日ラーメンを食べました'.repeat(20), '昨日')!;
    expect(japanese).toContain('<mark>昨日</mark>ラーメン');
    expect(Buffer.byteLength(japanese)).toBeGreaterThan(200);
  });
  test('starts at the match when escaped characters are before it', () =>
    expect(preview(`${'&'.repeat(500)}word`, 'word')).toBe(`…${'&amp;'.repeat(12)}<mark>word</mark>`));
});

test('a marked text and a preview have a match exactly when a phrase occurs, within their limits, and have no other tags', () => {
  const words = fc.constantFrom('a', 'b', 'ab', 'é', 'E', '東京', '😀', '<', '>', '&', '&amp;', '<mark>', '"', ' ', ' ', '\n', '\0', '\uFEFF', 'x'.repeat(80));
  const text = fc.array(words, { maxLength: 60 }).map((pieces) => pieces.join(''));
  const search = fc.array(fc.constantFrom('a', '"a b"', 'e', 'ab', 'a*', '東京', 'x*', '!'), { minLength: 1, maxLength: 3 });
  assertProperty(
    fc.property(text, search, (given, searched) => {
      const phrases = parseSearchText(searched.join(' '))!;
      const occurs = phrases.some((phrase) => phrasesOccur([phrase], [[...tokensOf(given)]]));
      for (const html of [markedText(given, phrases), markedPreview(given, phrases)]) {
        expect(html !== null).toBe(occurs);
        if (html === null) continue;
        expect(html).toContain('<mark>');
        expect(html.split(/<mark>[^<>]+<\/mark>/).join('')).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
        expect(html.isWellFormed()).toBe(true);
      }
      expect(Buffer.byteLength(markedPreview(given, phrases) ?? '')).toBeLessThanOrEqual(255);
      const plain =
        markedText(given, phrases)
          ?.replaceAll(/<\/?mark>/g, '')
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&amp;', '&') ?? given;
      expect(plain).toBe(given);
    }),
    { numRuns: 1000 },
  );
});
