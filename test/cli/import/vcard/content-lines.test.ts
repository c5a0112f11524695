import * as fc from 'fast-check';
import { formatVCard, parseVCard, type ContentLine } from '../../../../cli/import/vcard/content-lines.ts';
import { vCardsIn } from '../../../../cli/import/vcard/vcard-file.ts';
import { assertProperty } from '../../../support/assert-property.ts';

const line = (...lines: (string | Buffer)[]): ContentLine =>
  parseVCard(
    vCardsIn(Buffer.concat(['BEGIN:VCARD', 'VERSION:2.1', ...lines, 'END:VCARD'].map((each) => Buffer.concat([Buffer.from(each), Buffer.from('\r\n')]))))[0]!,
  )[1]!;

describe('a line of a vCard', () => {
  test.each<readonly [string, readonly (string | Buffer)[], string, { readonly [name: string]: readonly string[] }]>([
    ['in quoted-printable with soft line breaks', ['NOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:J=C3=', '=B6rg =', 'x=0D=0Ay'], 'Jörg x\ny', {}],
    ['in quoted-printable whose last line ends with a soft break', ['NOTE;QUOTED-PRINTABLE:x='], 'x=', {}],
    ['with the name of an encoding in quotes', ['X-A;X="a;QUOTED-PRINTABLE":b=', ' c'], 'b= c', { x: ['a;QUOTED-PRINTABLE'] }],
    ['in a charset', [Buffer.from([...Buffer.from('FN;CHARSET=SHIFT_JIS:'), 0x83, 0x84])], 'ヤ', {}],
    ['in an unknown charset', ['FN;CHARSET=x-none:ö'], 'ö', {}],
    ['with words that are types', ['TEL;HOME;VOICE:1'], '1', { type: ['home', 'voice'] }],
    ['with words that are an encoding and a kind of value', ['PHOTO;BASE64;URL:AA'], 'AA', { encoding: ['base64'], value: ['url'] }],
    ['with base64 up to a blank line', ['PHOTO;ENCODING=BASE64:', '  AAAA', 'BBBB', '', 'FN:x'], 'AAAABBBB', { encoding: ['BASE64'] }],
    ['that is folded at its white space', ['NOTE:two', ' words'], 'two words', {}],
    ['with separators in a parameter', ['ADR;X="a;b:c";Y=d\\;e,f:x'], 'x', { x: ['a;b:c'], y: ['d;e', 'f'] }],
    ['with names that all objects inherit', ['__PROTO__;CONSTRUCTOR=a:x'], 'x', { constructor: ['a'] }],
    ['that begins with marks of a byte order', ['FN;X=\uFEFFé:\uFEFF\uFEFFa'], '\uFEFF\uFEFFa', { x: ['\uFEFFé'] }],
    ['with control characters', ['FN:a\u0000\u000B\u001Bb\u0085'], 'ab', {}],
  ])('%s is read', (_, lines, value, parameters) => {
    const { value: read, parameters: readParameters } = line(...lines);
    expect([read, Object.fromEntries(readParameters)]).toEqual([value, parameters]);
  });

  test.each(['no colon', 'FN;X="open', 'A B:x', ':x', ''.padStart(300, 'x').concat(':x')])('that is no property, like %s, is an error', (text) => {
    expect(() => line(text)).toThrow(/a line/);
  });

  test('is written in lines of at most 75 octets, whatever it has, and read again', () => {
    const value = fc.string({
      unit: fc.constantFrom('a', 'é', '😀', ',', ';', ':', '"', '^', '\\n', ' ', '\u2028', '\u0085', '\uFEFF', '\r\nX:y', '\n', '\0'),
      maxLength: 200,
    });
    const parameters = fc
      .array(
        value.map((text) => `a${text}`),
        { minLength: 1, maxLength: 3 },
      )
      .map((values) => new Map([['x-p', values]]));
    assertProperty(
      fc.property(value, parameters, (text, given) => {
        const written = formatVCard([{ name: 'x-a', group: 'g', parameters: given, value: text }], '4.0');
        expect(written.split('\r\n').every((each) => Buffer.byteLength(each) <= 75 && !/[\p{Cc}\u2028\u2029]/u.test(each))).toBe(true);
        const lines = parseVCard(vCardsIn(Buffer.from(written))[0]!);
        expect(lines).toHaveLength(2);
        expect(formatVCard(lines.slice(1), '4.0')).toBe(written);
      }),
    );
  });

  test.each([
    ['semicolons', ';'.repeat(400_000)],
    ['quotes', ';A="'.repeat(100_000)],
    ['escapes', '\\'.repeat(400_000)],
    ['begins', 'AGENT:\nBEGIN:VCARD\n'.repeat(40_000)],
  ])('takes time in proportion to its length when it has only %s', (_, text) => {
    const started = performance.now();
    for (const vCard of vCardsIn(Buffer.from(`BEGIN:VCARD\n${text}\nEND:VCARD\n`))) expect(() => parseVCard(vCard)).toThrow();
    expect(performance.now() - started).toBeLessThan(3000);
  });
});
