import * as fc from 'fast-check';
import { decodeTransferEncoding, decodedSize } from '../../../../core/mime/encoding/transfer-encoding.ts';
import { assertProperty } from '../../../support/assert-property.ts';

const base64 = (text: string) => decodeTransferEncoding(Buffer.from(text), 'base64').toString('latin1');
const quotedPrintable = (text: string) => decodeTransferEncoding(Buffer.from(text), 'quoted-printable').toString('latin1');

describe('base64', () => {
  test('is decoded across lines', () => expect(base64('SGVs\r\nbG8g\r\nV29y\nbGQ=\r\n')).toBe('Hello World'));
  // @pitfall mime cut-base64
  test('that is truncated is decoded up to its end', () => {
    expect(base64('SGVsbG8gV29ybG')).toBe('Hello Worl');
    expect(base64('SGVsbG8gV29ybGQ')).toBe('Hello World');
    expect(base64('SGVsb')).toBe('Hel');
  });
  test('is decoded without octets that are not digits', () => expect(base64('SG\0V!s*bG 8')).toBe('Hello'));
  test('may continue after padding, as concatenated encodings do', () => expect(base64('SGVsbG8=\r\nIFdvcmxk\r\nIQ==')).toBe('Hello World!'));
  test('may be empty', () => expect(base64('')).toBe(''));
});

describe('quoted-printable', () => {
  test('is decoded, in either case', () => expect(quotedPrintable('Gr=FC=df')).toBe('Gr\xfc\xdf'));
  test('joins lines at a soft line break, also with blanks after it', () =>
    expect(quotedPrintable('one =\r\ntwo=  \r\nthree=\nfour')).toBe('one twothreefour'));
  test('loses only the blanks before a line break', () => expect(quotedPrintable('a  b \t\r\nc \n d')).toBe('a  b\r\nc\n d'));
  test('keeps an equals sign without two hexadecimal digits', () => expect(quotedPrintable('1 = 1 =ZZ =4')).toBe('1 = 1 =ZZ =4'));
  test('may end within a soft line break', () => expect(quotedPrintable('end=')).toBe('end'));
});

test('encoded octets are decoded to the same octets, and decodedSize is their number', () => {
  assertProperty(
    fc.property(fc.uint8Array({ maxLength: 2000 }), fc.integer({ min: 4, max: 80 }), (octets, width) => {
      const content = Buffer.from(octets);
      const lines = Buffer.from(content.toString('base64').replaceAll(new RegExp(`(.{${width}})`, 'g'), '$1\r\n'));
      expect(decodeTransferEncoding(lines, 'base64').equals(content)).toBe(true);
      expect(decodedSize(lines, 'base64')).toBe(content.length);
      const quoted = Buffer.from([...content].map((octet) => `=${octet.toString(16).padStart(2, '0')}`).join('=\r\n'));
      expect(decodeTransferEncoding(quoted, 'quoted-printable').equals(content)).toBe(true);
      expect(decodedSize(quoted, 'quoted-printable')).toBe(content.length);
    }),
  );
});

test('any octets can be decoded, to as many octets as decodedSize gives', () => {
  const nearlyEncoded = fc
    .array(fc.constantFrom('=', '\r', '\n', '\t', ' ', 'A', 'a', '0', 'F', 'f', '9', '+', '/', '-', '_', '\0'), { maxLength: 300 })
    .map((characters) => Buffer.from(characters.join('')));
  assertProperty(
    fc.property(nearlyEncoded, fc.constantFrom('base64', 'quoted-printable', 'identity'), (body, encoding) => {
      expect(decodeTransferEncoding(body, encoding)).toHaveLength(decodedSize(body, encoding));
    }),
  );
});
