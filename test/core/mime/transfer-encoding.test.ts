import * as fc from 'fast-check';
import { decodeTransferEncoding, decodedSize, parseTransferEncoding } from '../../../core/mime/transfer-encoding.ts';

const base64 = (text: string) => decodeTransferEncoding(Buffer.from(text), 'base64').toString('latin1');
const quotedPrintable = (text: string) => decodeTransferEncoding(Buffer.from(text), 'quoted-printable').toString('latin1');

describe('base64', () => {
  test('is decoded across lines', () => expect(base64('SGVs\r\nbG8g\r\nV29y\nbGQ=\r\n')).toBe('Hello World'));
  test('that is cut short gives what is there', () => {
    expect(base64('SGVsbG8gV29ybG')).toBe('Hello Worl');
    expect(base64('SGVsbG8gV29ybGQ')).toBe('Hello World');
    expect(base64('SGVsb')).toBe('Hel');
  });
  test('passes over what is no digit', () => expect(base64('SG\0V!s*bG 8')).toBe('Hello'));
  test('goes on after padding, as concatenated encodings need', () => expect(base64('SGVsbG8=\r\nIFdvcmxk\r\nIQ==')).toBe('Hello World!'));
  test('of nothing is nothing', () => expect(base64('')).toBe(''));
});

describe('quoted-printable', () => {
  test('is decoded, in either case', () => expect(quotedPrintable('Gr=FC=df')).toBe('Gr\xfc\xdf'));
  test('joins lines at a soft break, with blanks behind it too', () => expect(quotedPrintable('one =\r\ntwo=  \r\nthree=\nfour')).toBe('one twothreefour'));
  test('loses blanks before a line break and keeps others', () => expect(quotedPrintable('a  b \t\r\nc \n d')).toBe('a  b\r\nc\n d'));
  test('keeps an equals sign that begins nothing', () => expect(quotedPrintable('1 = 1 =ZZ =4')).toBe('1 = 1 =ZZ =4'));
  test('that is cut within a soft break ends there', () => expect(quotedPrintable('end=')).toBe('end'));
});

test('whatever was encoded is decoded to the same octets, and its size is known without that', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 2000 }), fc.integer({ min: 4, max: 80 }), (octets, width) => {
    const content = Buffer.from(octets);
    const lines = Buffer.from(content.toString('base64').replaceAll(new RegExp(`(.{${width}})`, 'g'), '$1\r\n'));
    expect(decodeTransferEncoding(lines, 'base64').equals(content)).toBe(true);
    expect(decodedSize(lines, 'base64')).toBe(content.length);
    const quoted = Buffer.from([...content].map((octet) => `=${octet.toString(16).padStart(2, '0')}`).join('=\r\n'));
    expect(decodeTransferEncoding(quoted, 'quoted-printable').equals(content)).toBe(true);
    expect(decodedSize(quoted, 'quoted-printable')).toBe(content.length);
  }));
});

test('any octets decode, and to as many octets as were foretold', () => {
  const nearlyEncoded = fc.array(fc.constantFrom('=', '\r', '\n', '\t', ' ', 'A', 'a', '0', 'F', 'f', '9', '+', '/', '-', '_', '\0'), { maxLength: 300 }).map((characters) => Buffer.from(characters.join('')));
  fc.assert(fc.property(nearlyEncoded, fc.constantFrom('base64', 'quoted-printable', 'identity'), (body, encoding) => {
    expect(decodeTransferEncoding(body, encoding)).toHaveLength(decodedSize(body, encoding));
  }));
});

test('the names of encodings are known in any case and with comments', () => {
  expect(['BASE64', ' Quoted-Printable ', '7bit', '8BIT', 'binary (so they say)', undefined].map(parseTransferEncoding))
    .toEqual(['base64', 'quoted-printable', 'identity', 'identity', 'identity', 'identity']);
  expect(parseTransferEncoding('x-uuencode')).toBeUndefined();
});
