import { mediaTypeOf, parseContentField, transferEncodingOf } from '../../../core/mime/content-type.ts';

const parsed = (value: string, name = 'Content-Type') => parseContentField({ name, value: Buffer.from(value) })!;
const typeAndParameters = (value: string) => [mediaTypeOf(parsed(value)), Object.fromEntries(parsed(value).parameters)];
const encodingOf = (value: string) => transferEncodingOf(parsed(value, 'Content-Transfer-Encoding'));

describe('a Content-Type with a slip is read as what it can only mean', () => {
  // @pitfall mime content-type-slips
  test.each([
    'text/html, charset=utf-8',
    'text/html charset=utf-8',
    'text/html,charset=utf-8;',
    'text/html\tcharset = utf-8',
    '"text/html"; charset=utf-8',
    '"text/html; charset=utf-8"',
    '"text/html" charset="utf-8"',
    "'text/html'; charset=utf-8",
    'Content-Type: text/html; charset=utf-8',
    'content-type : Content-Type:text/html; charset=utf-8',
    'text / html ; charset = "utf-8"',
    'text/ html;; charset=utf-8,',
    'text/text/html; charset=utf-8',
    'text/html/html; charset=utf-8',
    'text/html; charset:utf-8',
    'text/html:charset=utf-8',
    'text/html (a comment) charset=utf-8 (another)',
    '(a comment) "text/html" , CHARSET=utf-8',
    'text/html\r\ncharset=utf-8',
    'text/html and more charset=utf-8',
  ])('%j', (value) => expect(typeAndParameters(value)).toEqual(['text/html', { charset: 'utf-8' }]));

  test.each([
    ['multipart/mixed boundary="gap"', { boundary: 'gap' }],
    ['multipart/mixed, boundary="gap", type="text/html"', { boundary: 'gap', type: 'text/html' }],
    ['multipart/mixed; boundary="gap" type="text/html"', { boundary: 'gap', type: 'text/html' }],
    ['multipart/mixed; boundary=gap charset=utf-8', { boundary: 'gap', charset: 'utf-8' }],
    ['multipart/mixed; charset=utf-8, boundary=gap', { boundary: 'gap', charset: 'utf-8' }],
    ['multipart/multipart/mixed; boundary="gap"', { boundary: 'gap' }],
    ['multipart/mixed; boundary=gap(1)a', { boundary: 'gap(1)a' }],
  ])('%j', (value, parameters) => expect(typeAndParameters(value)).toEqual(['multipart/mixed', parameters]));

  test('without a type it still has its parameters', () => {
    expect(parsed('charset=utf-8').parameters.get('charset')).toBe('utf-8');
    expect(parsed('filename="plan.pdf"', 'Content-Disposition')).toEqual({ value: '', parameters: new Map([['filename', 'plan.pdf']]) });
  });
});

test.each([
  ['text/plain; charset=us-ascii (plain text)', { charset: 'us-ascii' }],
  ['text/plain; charset=us-ascii(plain (very) text);format=flowed', { charset: 'us-ascii', format: 'flowed' }],
  ['text/plain (a; b) ; name=plan (a draft; mine)', { name: 'plan' }],
  ['text/plain; name="a, charset=x"; charset=\'utf-8\'', { name: 'a, charset=x', charset: "'utf-8'" }],
  ["text/plain; x=a'b", { x: "a'b" }],
])('a Content-Type that follows RFC 2045 is read by its rules: %j', (value, parameters) => {
  expect(typeAndParameters(value)).toEqual(['text/plain', parameters]);
});

// @pitfall mime file-name-parentheses
test.each([
  ['attachment; filename=Offer 2026 (final).pdf', 'Offer 2026 (final).pdf'],
  ['attachment; filename=Offer 2026 (final).pdf; size=19', 'Offer 2026 (final).pdf'],
  ['attachment; filename=Offer 2026 (final).pdf size=19', 'Offer 2026 (final).pdf'],
  ['attachment; filename=E(E)E.pdf', 'E(E)E.pdf'],
  ['attachment; filename=(a comment) plan.pdf', 'plan.pdf'],
  ['attachment; filename=(2) Offer 2026.pdf', '(2) Offer 2026.pdf'],
  ['attachment; filename=plan (1) (2).tar.gz', 'plan (1) (2).tar.gz'],
  ['attachment; filename=plan (one; two).pdf', 'plan (one; two).pdf'],
  ['attachment; filename=Offer 2026 (final)', 'Offer 2026 (final)'],
  ['attachment; filename=Offer (final.pdf', 'Offer (final.pdf'],
  ['attachment; filename=Offer 2026.pdf (the final one)', 'Offer 2026.pdf'],
  ['attachment; filename=plan.pdf (a comment); size=19', 'plan.pdf'],
  ["attachment; filename*=UTF-8''Caf%C3%A9%20(final).pdf", 'Café (final).pdf'],
  ['attachment; filename*0=a(b)c; filename*1=.pdf', 'a(b)c.pdf'],
  ["attachment; filename='Offer 2026.pdf'", 'Offer 2026.pdf'],
  ['attachment filename=plan.pdf', 'plan.pdf'],
  ['"attachment"; filename="plan.pdf"', 'plan.pdf'],
  ['Content-Disposition: attachment, filename="plan.pdf"', 'plan.pdf'],
])('a file name has its parentheses, but not a comment behind it: %j', (value, name) => {
  expect(parsed(value, 'Content-Disposition')).toMatchObject({ value: 'attachment' });
  expect(parsed(value, 'Content-Disposition').parameters.get('filename')).toBe(name);
});

describe('a Content-Transfer-Encoding is read in any case, with comments and with what it cannot mean otherwise', () => {
  // @pitfall mime transfer-encoding-slips
  test.each([
    'BASE64',
    'base64;',
    '"base64"',
    'base64 (comment)',
    '(a) base64 (b (c))',
    'base64, 7bit',
    'Base-64',
    'base64; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    "'base64'",
    'base64 and more',
    'base 64',
  ])('%j', (value) => expect(encodingOf(value)).toBe('base64'));
  test.each([' Quoted-Printable ', '"quoted-printable"', 'quoted-printable;', 'quoted_printable', 'QuotedPrintable', 'quoted printable'])('%j', (value) =>
    expect(encodingOf(value)).toBe('quoted-printable'),
  );
  test.each(['7bit', '8BIT', '7-bit', '8-bit', '8 bit', '8bits', '"8bit";', 'binary (so they say)', '', ';'])('%j', (value) =>
    expect(encodingOf(value)).toBe('identity'),
  );
  test.each(['x-uuencode', 'utf-8', 'base65', 'x-base64', '16bit'])('and %j is unknown', (value) => expect(encodingOf(value)).toBeUndefined());
});

test('a value or a whole parameter that is an encoded word is decoded', () => {
  expect(parsed('=?utf-8?q?text/html?=; charset="=?utf-8?q?koi8-r?="')).toMatchObject({ value: 'text/html', parameters: new Map([['charset', 'koi8-r']]) });
  expect(parsed('attachment; =?utf-8?q?filename=3D=22Pl=C3=A4ne.pdf=22?=', 'Content-Disposition').parameters.get('filename')).toBe('Pläne.pdf');
});

test.each([
  ['=?utf-8?Q?Pl=C3=A4ne?=.pdf', 'Pläne.pdf'],
  ['=?utf-8?B?UGzDpA==?= =?utf-8?B?bmU=?= 2.pdf', 'Pläne 2.pdf'],
  ['x-=?iso-8859-1?Q?=E4?=', 'x-ä'],
  ['=?x-none?Q?a?=.pdf', '=?x-none?Q?a?=.pdf'],
])('the file name %j is %j', (name, shown) => {
  expect(parsed(`attachment; filename="${name}"`, 'Content-Disposition').parameters.get('filename')).toBe(shown);
});
