import { bodyValue } from '../../../../core/mime/body/body-value.ts';
import type { BodyPart } from '../../../../core/mime/parsed-email.ts';

const part = (more: Partial<BodyPart> = {}): BodyPart => ({
  type: 'text/plain',
  charset: 'utf-8',
  encoding: 'identity',
  headers: { start: 0, end: 0 },
  size: 0,
  ...more,
});
const value = (body: string | Buffer, more: Partial<BodyPart> = {}, maxOctets = 0) => bodyValue(Buffer.from(body), part(more), maxOctets);

test('bodyValue is decoded, with CRLF as LF', () => {
  expect(value('R3LDvMOfZQ0KQg==', { encoding: 'base64' })).toEqual({ value: 'Grüße\nB', isEncodingProblem: false, isTruncated: false });
});

describe('the charset of a bodyValue', () => {
  const latin = Buffer.from('Gr\xfc\xdfe', 'latin1');
  test.each([
    ['iso-8859-1', latin, 'Grüße'],
    ['X-ISO-8859-1', latin, 'Grüße'],
    ['windows-1251', Buffer.from([0xcf, 0xf0]), 'Пр'],
    ['koi8-r', Buffer.from([0xf0, 0xd2]), 'Пр'],
    ['cp932', Buffer.from([0x83, 0x65]), 'テ'],
    ['x-sjis', Buffer.from([0x83, 0x65]), 'テ'],
    ['iso-2022-jp', Buffer.from('\x1b$B%F\x1b(B', 'latin1'), 'テ'],
    ['big5', Buffer.from([0xa4, 0xa4]), '中'],
    ['gb2312', Buffer.from([0xd6, 0xd0]), '中'],
    ['ks_c_5601-1987', Buffer.from([0xc7, 0xd1]), '한'],
    ['utf-16le', Buffer.from('Gr', 'utf16le'), 'Gr'],
  ])('%s', (charset, octets, text) => expect(value(octets, { charset })).toMatchObject({ value: text, isEncodingProblem: false }));

  test('that is unknown is UTF-8 or Windows-1252, and a problem', () => {
    expect(value('Grüße', { charset: 'x-martian' })).toMatchObject({ value: 'Grüße', isEncodingProblem: true });
    expect(value(latin, { charset: 'x-martian' })).toMatchObject({ value: 'Grüße', isEncodingProblem: true });
  });
  test('is a problem for invalid octets, but not for U+FFFD itself', () => {
    expect(value(Buffer.from([0x41, 0xff]))).toMatchObject({ value: 'A\uFFFD', isEncodingProblem: true });
    expect(value('\uFFFD')).toMatchObject({ value: '\uFFFD', isEncodingProblem: false });
  });
  test('us-ascii with 8-bit octets is UTF-8 or Windows-1252', () => {
    expect(value('Grüße', { charset: 'us-ascii' })).toMatchObject({ value: 'Grüße', isEncodingProblem: false });
    expect(value(latin, { charset: 'us-ascii' })).toMatchObject({ value: 'Grüße', isEncodingProblem: true });
  });

  const meta = (charset: string): string => `<html><head><meta http-equiv="Content-Type" content="text/html; charset=${charset}"></head>`;
  // @pitfall mime charset-in-html
  test.each([
    ['windows-1251', meta('windows-1251'), 'cff0e8e2e5f2', 'Привет'],
    ['gb18030', meta('GB18030'), 'b7a2c6b1', '发票'],
    ['iso-8859-2', "<META charset='iso-8859-2'>", '5761b3ea7361', 'Wałęsa'],
    ['iso-8859-2 in XHTML', '<?xml version="1.0" encoding="iso-8859-2"?>', '5761b3ea7361', 'Wałęsa'],
    ['iso-2022-jp, which has no octet beyond ASCII', meta('iso-2022-jp'), '1b244224241b2842', 'い'],
    ['UTF-8 with the name of another charset', meta('windows-1251'), '4772c3bcc39f', 'Grüß'],
    ['an unknown charset', meta('x-martian'), 'fc', 'ü'],
    ['UTF-16, which this cannot be', meta('utf-16'), 'fc', 'ü'],
    ['no charset', '<html>', 'fc', 'ü'],
  ])('is the one that HTML names itself if its part names none: %s', (_, head, hex, text) => {
    const octets = Buffer.concat([Buffer.from(head), Buffer.from(hex, 'hex')]);
    const read = value(octets, { type: 'text/html', charset: 'us-ascii' });
    expect(read.value).toBe(head + text);
    expect(value(octets, { type: 'text/html', charset: 'iso-8859-1' }).value).not.toBe(head + (text === 'ü' ? '' : text));
  });
  test('is UTF-16 for a text that begins with its mark, if its part names none', () => {
    expect(value(Buffer.from('\uFEFFGrüße', 'utf16le'), { charset: 'us-ascii' })).toMatchObject({ value: 'Grüße', isEncodingProblem: false });
    expect(value(Buffer.from('\uFEFFGrüße', 'utf16le').swap16(), { charset: 'us-ascii' }).value).toBe('Grüße');
  });
});

test('an unknown transfer encoding is an encoding problem of the bodyValue', () => {
  expect(value('text', { encoding: undefined })).toMatchObject({ value: 'text', isEncodingProblem: true });
});

describe('a truncated bodyValue', () => {
  test('has at most maxBodyValueBytes octets and whole characters', () => {
    expect(value('aüb', {}, 4)).toEqual({ value: 'aüb', isEncodingProblem: false, isTruncated: false });
    expect(value('aüb', {}, 3)).toMatchObject({ value: 'aü', isTruncated: true });
    expect(value('aüb', {}, 2)).toMatchObject({ value: 'a', isTruncated: true });
    expect(value('😀', {}, 3)).toMatchObject({ value: '', isTruncated: true });
  });
  test('does not end within an HTML tag', () => {
    expect(value('ab<a href="x">c', { type: 'text/html' }, 8)).toMatchObject({ value: 'ab', isTruncated: true });
    expect(value('ab<i>cdef', { type: 'text/html' }, 7)).toMatchObject({ value: 'ab<i>cd', isTruncated: true });
    expect(value('ab<a href', {}, 5)).toMatchObject({ value: 'ab<a ' });
  });
});
