import * as fc from 'fast-check';

/** A slip that programs make when they write a message. */
export type Slip = { readonly name: string; readonly apply: (message: string) => string };

const replacing = (name: string, before: string | RegExp, after: string): Slip => ({ name, apply: (message) => message.replace(before, after) });

const toList = (name: string, list: string): Slip => replacing(name, /To: .*/, `To: ${list.replaceAll('$', '$$$$')}`);

/** Slips of the fields that say what a part is, of header ends, dates, names, charsets and addresses. */
export const slips: readonly Slip[] = [
  replacing('a comma behind the type', 'text/plain; charset', 'text/plain, charset'),
  replacing('no semicolon behind the type', 'multipart/mixed; boundary', 'multipart/mixed boundary'),
  replacing('the type in quotes', 'Content-Type: text/plain', 'Content-Type: "text/plain"'),
  replacing('the field says its name twice', 'Content-Type: multipart', 'Content-Type: Content-Type: multipart'),
  replacing('blanks around the equals sign', 'boundary="edge"', 'boundary = "edge"'),
  replacing('a semicolon behind the encoding', 'Encoding: base64', 'Encoding: base64;'),
  replacing('the encoding in quotes', 'Encoding: quoted-printable', 'Encoding: "quoted-printable"'),
  replacing('a hyphen in the encoding', 'Encoding: 7bit', 'Encoding: 7-bit'),
  replacing('a name without quotes', 'filename="Plan 2026.pdf"', 'filename=Plan 2026.pdf'),
  replacing('a name with parentheses without quotes', 'filename="Plan 2026.pdf"', 'filename=Plan 2026 (final).pdf'),
  replacing('an encoded word in quotes as a name', 'filename="Plan 2026.pdf"', 'filename="=?utf-8?Q?Pl=C3=A4ne?=.pdf"'),
  replacing('a charset in single quotes', 'charset=utf-8', "charset='utf-8'"),
  replacing('a code page of DOS', /charset=utf-8\r\n(Content-Transfer-Encoding: quoted-printable)\r\n\r\nGr=C3=BCn/, 'charset=cp850\r\n$1\r\n\r\nGr=81n'),
  replacing('UTF-7', /charset=utf-8\r\n(Content-Transfer-Encoding): quoted-printable\r\n\r\nGr=C3=BCn/, 'charset=utf-7\r\n$1: 7bit\r\n\r\nGr+APw-n'),
  replacing('an unknown charset', 'charset=utf-8', 'charset=x-none'),
  replacing('no blank line behind the header of a part', 'quoted-printable\r\n\r\nGr', 'quoted-printable\r\nGr'),
  replacing('a mark before the header', /^/, '\u00EF\u00BB\u00BF'),
  replacing('a banner before the header', /^/, 'Mail Headers Version 2.0\r\n'),
  replacing('a damaged line in the header', 'Subject:', 'a damaged line\r\nSubject:'),
  replacing('an afternoon', /Date: .*/, 'Date: Thu, 14 Aug 2025 3:05:07 PM -0500'),
  replacing('a short zone', /Date: .*/, 'Date: Thu, 14 Aug 2025 14:15:52 +2'),
  replacing('the month first', /Date: .*/, 'Date: Thu, Aug 14 2025 14:15:52 +0200'),
  replacing('ISO 8601', /Date: .*/, 'Date: 2025-08-14T14:15:52+02:00'),
  replacing('dots in the time', /Date: .*/, 'Date: Thu, 14 Aug 2025 14.15.52 +0200'),
  replacing('a German month', /Date: .*/, 'Date: Di, 05 Mai 2009 12:31:00 +0200'),
  replacing('a zone by name', /Date: .*/, 'Date: Thu, 14 Aug 2025 14:15:52 CEST'),
  replacing('a name without quotes in From', 'From: Nora Field', 'From: Field, Nora'),
  replacing('raw octets in the subject', /Subject: .*/, 'Subject: Gr\u00C3\u00BCn'),
  toList('a quoted local part', '"john doe"@elsewhere.test, alice@example.test'),
  toList('comments in addresses', 'Pete(A nice \\) chap) <pete(his account)@silly.test(his host)>, (c)alice@example.test (d (e))'),
  toList('a route', '<@a.test,@b.test:ruth@x.test>, alice@example.test'),
  toList('blanks around dots', 'john . roe @ example.com, <jdoe@test . example>'),
  toList('a domain literal', 'ops@[IPv6:2001:db8::1], <a@[192.0.2.1]>'),
  toList('groups of addresses', 'Team: ann@x.test, Ben <ben@x.test>; carl@x.test, undisclosed-recipients:;'),
  toList('an encoded name with a comma', '=?utf-8?Q?Doe,_J=C3=BC?= <doe@x.test>, alice@example.test'),
  toList('brackets too many', 'Nora <<nora@x.test>>, alice@example.test'),
  toList('a bracket too few', 'Ann <ann@x.test, Ben <ben@x.test>'),
  toList('a quote too many', '"Ann <ann@x.test>, "Ben" <ben@x.test>'),
  toList('no comma between addresses', 'Ann <ann@x.test> Ben <ben@x.test>'),
  toList('semicolons between addresses', 'ann@x.test; Ben <ben@x.test>'),
  replacing('line ends of Unix', /\r\n/g, '\n'),
  replacing('no closing delimiter', '--edge--\r\n', ''),
];

const base = (subject: string): string =>
  [
    'From: Nora Field <nora@elsewhere.test>',
    'To: Alice <alice@example.test>, "Ben, B." <ben@example.test>',
    `Subject: ${subject}`,
    'Message-ID: <slip@elsewhere.test>',
    'Date: Mon, 02 Mar 2026 10:00:00 +0100',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="edge"',
    '',
    'A preamble',
    '--edge',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'Gr=C3=BCn =',
    'and blue',
    '',
    '--edge',
    'Content-Type: text/html',
    'Content-Transfer-Encoding: 7bit',
    '',
    '<p>Green</p>',
    '--edge',
    'Content-Type: application/pdf; name="Plan 2026.pdf"',
    'Content-Disposition: attachment; filename="Plan 2026.pdf"',
    'Content-Transfer-Encoding: base64',
    '',
    'JVBERi0xLjQgYSBmaWxlIQ==',
    '--edge--',
    '',
  ].join('\r\n');

/** A message with slips, and their names. */
export type SlippedMessage = { readonly slips: readonly string[]; readonly raw: Buffer };

/** Messages with one or two slips, the same for the same seed, and one message with each slip alone. */
export const slippedMessages = (count: number, seed: number): SlippedMessage[] => {
  const withSlips = (chosen: readonly Slip[]): SlippedMessage => ({
    slips: chosen.map(({ name }) => name),
    raw: Buffer.from(
      chosen.reduce((message, { apply }) => apply(message), base('Re: =?utf-8?Q?Gr=C3=BCn?= and blue')),
      'latin1',
    ),
  });
  const pairs = fc.sample(fc.uniqueArray(fc.constantFrom(...slips), { minLength: 2, maxLength: 2 }), { numRuns: count, seed });
  return [...slips.map((slip) => [slip]), ...pairs].map(withSlips);
};
