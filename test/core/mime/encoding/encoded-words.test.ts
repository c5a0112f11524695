import * as fc from 'fast-check';
import { decodeEncodedWords, encodedWords } from '../../../../core/mime/encoding/encoded-words.ts';
import { assertProperty } from '../../../support/assert-property.ts';

describe('encoded words (RFC 2047, RFC 8621 §4.1.2.2)', () => {
  test('are decoded between blanks, and joined without the blanks between them', () => {
    expect(decodeEncodedWords('Re: =?utf-8?Q?Gr=C3=BC=C3=9Fe?= an =?iso-8859-1?q?alle_=E4?=')).toBe('Re: Grüße an alle ä');
    expect(decodeEncodedWords('=?utf-8?Q?a?= \t =?utf-8?B?w6Q=?=  b')).toBe('aä  b');
    expect(decodeEncodedWords('=?utf-8*de?Q?x?= =?gb2312?B?xOO6ww==?=')).toBe('x你好');
  });

  test('of one charset are decoded together, since some programs split a character', () => {
    expect(decodeEncodedWords('=?utf-8?Q?=C3?= =?UTF-8?B?pA==?=')).toBe('ä');
  });

  test('are unchanged in places where they are not allowed: without blanks around them, or with blanks inside', () => {
    for (const text of [
      'a=?utf-8?Q?x?=',
      '=?utf-8?Q?x?=b',
      '(=?utf-8?Q?x?=)',
      '=?utf-8?Q?a?==?utf-8?Q?b?=',
      '=?utf-8?Q?a b?=',
      '=?utf-8?Q?x',
      '=?utf-8?X?x?=',
    ]) {
      expect(decodeEncodedWords(text)).toBe(text);
    }
  });

  test('of an unknown charset are unchanged', () => {
    expect(decodeEncodedWords('=?x-nothing?Q?x?= =?us-ascii?Q?y?=')).toBe('=?x-nothing?Q?x?= y');
  });

  test('lose encoded control characters', () => {
    expect(decodeEncodedWords('=?utf-8?Q?a=00=01=0D=0A=7F=C2=85b?=')).toBe('ab');
  });

  test('of any malformed text decode to a text', () => {
    assertProperty(
      fc.property(fc.string({ unit: fc.constantFrom('=?', '?=', 'utf-8', '?Q?', '*', ' ', 'x', '='), maxLength: 40 }), (text) => {
        expect(typeof decodeEncodedWords(text.repeat(200))).toBe('string');
      }),
    );
  });

  test('have at most 75 characters when they are written, and are decoded to the same text', () => {
    assertProperty(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }), fc.integer({ min: 24, max: 75 }), (text, room) => {
        fc.pre(!/\p{Cc}/u.test(text));
        const words = encodedWords(text, room);
        expect(words.every((word) => word.length <= 75)).toBe(true);
        expect(decodeEncodedWords(words.join(' '))).toBe(text);
      }),
    );
  });
});
