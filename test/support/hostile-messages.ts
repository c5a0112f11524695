import * as fc from 'fast-check';

/** Places in which a hostile message repeats its fragment. */
const places = ['body', 'line', 'header line', 'field', 'part', 'part field'] as const;

/** A message of variable size: a fragment that is repeated at some place inside nested multiparts. */
export type HostileMessage = {
  /** Number of nested multiparts around the place. */
  readonly depth: number;
  /** The relation between the boundaries of the nested multiparts. */
  readonly boundaries: 'alike' | 'prefixes' | 'equal' | 'long';
  readonly place: (typeof places)[number];
  readonly fragment: string;
  /** The header field that repeats the fragment. */
  readonly field: string;
  readonly type: string;
  readonly encoding: string;
};

const boundaryOf = {
  alike: (level: number) => `z${level}`,
  prefixes: (level: number) => 'z'.repeat(level + 1),
  equal: () => 'z',
  long: (level: number) => `${'z'.repeat(200)}${level}`,
} as const;

const multipart = (boundary: string): string => `Content-Type: multipart/mixed; boundary="${boundary}"\n\n--${boundary}\n`;

const repeated = (fragment: string, octets: number): string => fragment.repeat(Math.max(1, Math.floor(octets / fragment.length)));

/** Number of parts of a message with many parts. The parser stops at 400. */
const partCount = 390;

/** Builds the message with about `octets` octets. */
export const hostileMessage = (message: HostileMessage, octets: number): Buffer => {
  const { depth, boundaries, place, fragment, field, type, encoding } = message;
  const header = `Content-Type: ${type}\nContent-Transfer-Encoding: ${encoding}\n`;
  const outer = Array.from({ length: depth }, (_, level) => multipart(boundaryOf[boundaries](level))).join('');
  const part = (content: string): string => `${multipart('p')}${Array.from({ length: partCount }, () => content).join('--p\n')}`;
  const fill = {
    // each is called only for its place
    body: () => `${header}\n${repeated(fragment, octets)}`,
    line: () => `${header}\n${repeated(`${fragment}\n`, octets)}`,
    'header line': () => `${header}${repeated(`${fragment}\n`, octets)}`,
    field: () => `${header}${field}: ${repeated(fragment, octets)}\n\nx`,
    part: () => part(`${header}\n${repeated(fragment, octets / partCount)}\n`),
    'part field': () => part(`${field}: ${repeated(fragment, octets / partCount)}\n\nx\n`),
  } as const satisfies Record<HostileMessage['place'], () => string>;
  return Buffer.from(outer + fill[place](), 'latin1');
};

/** Syntax that the parser handles: boundaries, header fields, encodings, charsets, HTML, addresses. */
const pieces = [
  '-',
  '--',
  '--z',
  'z',
  '--p',
  '\n',
  '\r\n',
  '\r',
  ' ',
  '\t',
  '\0',
  '=',
  '=41',
  '= \t',
  '<',
  '>',
  '<a@b>',
  '"',
  '\\',
  '(',
  ')',
  ':',
  ',',
  ';',
  '@',
  '[',
  ']',
  '&',
  '&amp;',
  '&#',
  '?',
  '=?',
  '?=',
  '=?utf-8?q?=41?=',
  '=?gb18030?b?gQ?=',
  "'",
  '*',
  '%41',
  '; a*0*=',
  '; a=',
  'g:',
  'a@b',
  'Re:',
  'Fwd:',
  '(fwd)',
  '<b>',
  '<p x="',
  '<style>',
  '</style>',
  '<!--',
  '-->',
  '<div hidden>',
  'display:',
  'none',
  'Content-Type: text/html\n',
  'a:',
  'x',
  'Content-Type: multipart/mixed; boundary=z\n',
  'QUJD',
  '\xe9',
  '\xff',
  '\x1b$B',
  '\u200c',
];

export const anyHostileMessage: fc.Arbitrary<HostileMessage> = fc.record({
  depth: fc.constantFrom(0, 1, 11, 12, 13),
  boundaries: fc.constantFrom('alike', 'prefixes', 'equal', 'long'),
  place: fc.constantFrom(...places),
  fragment: fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 5 }).map((chosen) => chosen.join('')),
  field: fc.constantFrom(
    'To',
    'From',
    'Subject',
    'Date',
    'References',
    'Message-ID',
    'Content-Type',
    'Content-Disposition',
    'Content-Id',
    'Content-Language',
    'Content-Location',
    'Content-Transfer-Encoding',
    'X',
  ),
  type: fc.constantFrom('text/plain', 'text/html; charset=utf-8', 'text/plain; charset=iso-2022-jp', 'text/html; charset=gb18030', 'image/png'),
  encoding: fc.constantFrom('8bit', 'base64', 'quoted-printable'),
});
