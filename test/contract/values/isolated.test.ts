import { isolated, withClosedIsolates } from '../../../contract/values/isolated.ts';

test.each<[string, string, string]>([
  ['an ASCII name unchanged', 'Ada (admin) <ada>', 'Ada (admin) <ada>'],
  ['nothing unchanged', '', ''],
  ['a Hebrew name within an isolate', 'עדה', '\u2068עדה\u2069'],
  ['an override that is not ended', 'Ada\u202E', '\u2068Ada\u202E\u2069'],
  ['a mark of direction', 'Ada\u200F', '\u2068Ada\u200F\u2069'],
  ['a balanced isolate unchanged', '\u2067a\u2066b\u2069\u2069', '\u2068\u2067a\u2066b\u2069\u2069\u2069'],
  ['an end that would close the isolate around it', 'Ada\u2069\u202E', '\u2068Ada\u202E\u2069'],
  ['an isolate that is not ended', 'Ada\u2067', '\u2068Ada\u2067\u2069\u2069'],
  ['an end before its begin', '\u2069\u2067', '\u2068\u2067\u2069\u2069'],
  ['separators of paragraphs, which end every isolate', 'A\u2029\u202Eb\nc\u0085d', '\u2068A \u202Eb c d\u2069'],
])('isolated gives %s', (_, text, expected) => {
  expect(isolated(text)).toBe(expected);
});

test('withClosedIsolates replaces separators of paragraphs, keeps every other character, and takes time in proportion to the length', () => {
  expect(withClosedIsolates('a\u202Eb\u2069\nc\u2029\u2067')).toBe('a\u202Eb\nc \u2067\u2069');
  expect(withClosedIsolates('\u2069\u2067'.repeat(100_000))).toHaveLength(200_000);
});
