import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { messageBlobId, messageKey, parseBlobId, partBlobId } from '../../core/mail/email/blob-id.ts';
import { baseSubject } from '../../core/mime/base-subject.ts';
import { bodyLists } from '../../core/mime/body/body-lists.ts';
import { bodyValue } from '../../core/mime/body/body-value.ts';
import { parseContentField } from '../../core/mime/content-type.ts';
import { parseDateTime } from '../../core/mime/date.ts';
import { decodeTransferEncoding } from '../../core/mime/encoding/transfer-encoding.ts';
import { parseHeaderFields, parseLastFields } from '../../core/mime/header-fields.ts';
import { asAddresses, asDate, asGroupedAddresses, asMessageIds, asRaw, asText, asURLs } from '../../core/mime/header-forms.ts';
import { htmlToText } from '../../core/mime/html-to-text.ts';
import { parseMessage } from '../../core/mime/parse-message.ts';
import type { BodyPart } from '../../core/mime/parsed-email.ts';
import { UnsendableMessage } from '../../core/sending/wire/wire-header.ts';
import { wireMessage } from '../../core/sending/wire/wire-message.ts';
import { fuzzTarget, type FuzzTarget } from './fuzz-target.ts';
import { mutatedBytes, mutatedText } from './mutated-bytes.ts';

const header = [
  'From: =?utf-8?q?J=C3=BCrgen?= <j@example.net>',
  'To: "B, C" <b@example.net>, Team: d@example.net, e@example.net;, f@example.net (Fred)',
  'Subject: Re: [list] =?iso-8859-1?B?Z3L832U=?=\r\n =?utf-8?q?_folded?=',
  'Date: Sat, 21 Nov 2026 08:38:00 +0100 (CET)',
  'Message-ID: <one@example.net>',
  'References: <a@b> <c@d>\r\n\t<"e f"@g>',
  'List-Unsubscribe: <mailto:u@example.net>, <https://example.net/u>',
  'Content-Type: multipart/mixed; boundary="b"; name*0*=utf-8\'en\'%C3%A9; name*1="x"',
  'MIME-Version: 1.0',
  '',
  '',
].join('\r\n');
const message =
  `${header}--b\r\nContent-Type: multipart/alternative; boundary=c\r\n\r\n` +
  '--c\r\nContent-Type: text/plain; charset=utf-8; format=flowed\r\n' +
  'Content-Transfer-Encoding: quoted-printable\r\n\r\nGr=C3=BC=C3=9Fe =\r\nan alle\r\n' +
  '--c\r\nContent-Type: text/html; charset=iso-2022-jp\r\nContent-Transfer-Encoding: base64\r\n\r\nPHA+SGk8L3A+\r\n--c--\r\n' +
  '--b\r\nContent-Type: message/rfc822\r\n\r\nSubject: inner\r\n\r\nx\r\n' +
  '--b\r\nContent-Disposition: attachment; filename="=?utf-8?q?=C3=A9?=.txt"\r\n\r\nfile\r\n--b--\r\nepilogue';
const messagePieces = [
  '\r\n',
  '\n',
  '\r',
  '\r\n\r\n',
  '--b',
  '--b--',
  '--c\r\n',
  ' ',
  '\t',
  '\0',
  ':',
  ';',
  '"',
  '\\',
  '(',
  ')',
  '<',
  '>',
  '=',
  '*',
  '%',
  "'",
  ',',
  '@',
  '[',
  ']',
  'Content-Type: multipart/mixed; boundary=b\r\n',
  'Content-Type: message/rfc822\r\n',
  'Content-Transfer-Encoding: base64\r\n',
  '=?utf-8?Q?',
  '?=',
  '=C3',
  'charset=',
  'Content-Type: text/html; charset=',
  'Content-Transfer-Encoding: quoted-printable\r\n',
  'Date: ',
  'References: ',
  '(fwd)',
  '-->',
  '<div style="display:none">',
  'To: ',
  '; filename*0*=',
  'Re: ',
  '<style>',
  '<!--',
  '<p hidden>',
  '&amp;',
  '😀',
  'Team:',
];

const leaves = (part: BodyPart): BodyPart[] => (part.subParts ? part.subParts.flatMap(leaves) : [part]);
const allParts = (part: BodyPart): BodyPart[] => [part, ...(part.subParts ?? []).flatMap(allParts)];

const checkMessage = (raw: Buffer): void => {
  const { email, failure, threadMessageIds, baseSubject: subject } = parseMessage(raw);
  assert.equal(failure, undefined);
  const stored = JSON.stringify({ email, threadMessageIds, subject });
  assert.doesNotMatch(stored, /\\u0000|\\ud[89a-f]/i, 'texts are well formed and have no NUL');
  assert.ok(stored.length < 2000 + 40 * raw.length, 'the parsed email is not much larger than the message');
  assert.ok(email.preview.length <= 256, 'the preview is short');
  let position = 0;
  for (const part of allParts(email.bodyStructure)) {
    assert.ok(part.headers.start >= position && part.headers.end >= part.headers.start, 'header blocks are in order');
    for (const { name, value } of parseHeaderFields(raw.subarray(part.headers.start, part.headers.end))) checkForms(value, name);
    if (!part.range) continue;
    assert.ok(part.range.start >= part.headers.end && part.range.end >= part.range.start && part.range.end <= raw.length, 'parts are in order');
    position = part.range.end;
  }
  const { textBody, htmlBody, attachments } = bodyLists(email.bodyStructure);
  const mostOctets = 1 + (raw.length % 50);
  for (const [index, part] of leaves(email.bodyStructure).entries()) {
    const body = raw.subarray(part.range!.start, part.range!.end);
    assert.equal(part.partId, String(index + 1), 'parts are numbered');
    assert.equal(decodeTransferEncoding(body, part.encoding).length, part.size, 'the size is that of the decoded content');
    assert.partialDeepStrictEqual(parseBlobId(partBlobId(messageBlobId(messageKey('a', 'b')), part)!), part.range, 'the blob id has the range');
    assert.ok([...textBody, ...htmlBody, ...attachments].includes(part), 'each part is in a list');
    assert.ok(Buffer.byteLength(bodyValue(body, part, mostOctets).value) <= mostOctets, 'a body value is cut to its limit');
  }
};

const checkForms = (value: Buffer, name = 'X'): void => {
  const field = { name, value };
  for (const text of [asRaw(field), asText(field)]) assert.ok(text.isWellFormed() && !text.includes('\0'), 'texts are well formed');
  const addresses = asAddresses(field);
  assert.deepEqual(
    asGroupedAddresses(field).flatMap((group) => group.addresses),
    addresses,
  );
  for (const { name: display, email } of addresses) {
    assert.equal(typeof email, 'string');
    assert.ok(display === null || display !== '', 'names are texts or null');
  }
  for (const list of [asMessageIds(field), asURLs(field)]) {
    assert.ok(list === null || (list.length > 0 && list.every((each) => each !== '')));
  }
  const date = asDate(field);
  assert.ok(date === null || !Number.isNaN(Date.parse(date)), 'dates can be parsed');
};

const addressPieces = [
  '"',
  '\\',
  '(',
  ')',
  '<',
  '>',
  ':',
  ';',
  ',',
  '@',
  '.',
  ' ',
  '\r\n ',
  '=?utf-8?q?a?=',
  'a',
  'a@b',
  'g:',
  '"q" ',
  '[',
  ']',
  '\0',
  'é',
  '%',
  '/',
];
const addressLists = [
  'Bob <bob@example.net>',
  'a@b, c@d',
  '"B, C" <b@example.net> (comment (nested))',
  'Team: a@b, c@d;, e@f',
  'Undisclosed recipients:;',
  '<@route,@more:a@b>',
  '=?utf-8?q?J=C3=BC?= =?utf-8?q?rgen?= <j@e.net>',
  '"a\\"b"@[127.0.0.1]',
  'just a name',
];

const sent = { messageId: 'new@example.com', date: new Date('2026-11-22T09:00:00Z') };

const addedFields = ['date', 'message-id', 'mime-version', 'content-transfer-encoding'];

/**
 * Checks the wire form: it contains nothing that must not leave the account, its lines are permitted by SMTP, and it
 * adds no fields except the required ones.
 */
const checkWireForm = (raw: Buffer): void => {
  try {
    const wire = wireMessage(raw, sent);
    const [head = ''] = wire.toString('latin1').split('\r\n\r\n');
    assert.match(head, /^[\t\r\n\x20-\x7e]*$/);
    const names = parseHeaderFields(Buffer.from(`${head}\r\n`)).map(({ name }) => name.toLowerCase());
    assert.ok(!names.some((name) => /^(?:bcc|resent-bcc|return-path|x-ses-.*)$/.test(name)), 'no field that stays in the account');
    for (const name of ['date', 'message-id']) assert.equal(names.filter((each) => each === name).length, 1);
    assert.doesNotMatch(wire.toString('latin1'), /(?<!\r)\n|[^\r\n]{999}/);
    const given = new Set(parseHeaderFields(raw).map(({ name }) => name.toLowerCase()));
    const added = names.filter((name) => !given.has(name));
    assert.deepEqual(
      added.filter((name) => !addedFields.includes(name)),
      [],
      'no field that the message does not have',
    );
  } catch (error) {
    if (!(error instanceof UnsendableMessage)) throw error;
    assert.ok(error.properties.length > 0 && error.message !== '', 'a refusal names the properties');
  }
};

/** Targets that read MIME: messages, header fields and their forms. */
export const mimeTargets: readonly FuzzTarget[] = [
  fuzzTarget('mime', () => mutatedBytes([message, header, 'Subject: x\n\nbody\n'], messagePieces), checkMessage, { inputs: 600 }),
  fuzzTarget(
    'wire-message',
    () =>
      mutatedBytes(
        [message, header, `Bcc: secret@example.net\r\n${message}`, 'From: a@b.example\nSubject: Gr\u00fc\u00dfe\n\nbody \u00e9\n'],
        [...messagePieces, 'Bcc: x@example.net\r\n', '\r\nbcc:', 'X-SES-A: 1\r\n', '\r\n \r\n', 'x'.repeat(1000), 'multipart/signed'],
      ),
    checkWireForm,
  ),
  fuzzTarget(
    'header',
    () => mutatedBytes([header], messagePieces),
    (block) => {
      const fields = parseHeaderFields(block);
      for (const { name, value } of fields) {
        assert.match(name, /^[\x21-\x7e]+$/);
        checkForms(value, name);
      }
      assert.equal(parseLastFields(block).size, new Set(fields.map(({ name }) => name.toLowerCase())).size);
    },
  ),
  fuzzTarget(
    'address',
    () => mutatedBytes(addressLists, addressPieces),
    (value) => checkForms(value, 'To'),
  ),
  fuzzTarget(
    'date',
    () =>
      mutatedText(
        [
          'Sat, 21 Nov 2026 08:38:00 +0100 (CET)',
          '21 Nov 26 08:38 GMT',
          'Thu, 1 Jan 1970 00:00:00 -0000',
          '2026-11-21T08:38:00Z',
          '31 Dec 9999 23:59:60 +1400',
        ],
        ['+', '-', ':', ',', ' ', '(', ')', '0', '99', 'Feb', '29 Feb 2023', 'Z', 'EST', '\t', '\r\n ', '\0', '999999', '-0000'],
      ),
    (text) => {
      const parsed = parseDateTime(text);
      if (!parsed) return;
      assert.match(parsed.text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)$/);
      assert.equal(Date.parse(parsed.text), parsed.time);
    },
  ),
  fuzzTarget(
    'encoded-words',
    () =>
      mutatedBytes(
        ['=?utf-8?q?J=C3=BCrgen_M?=', '=?iso-8859-1*de?B?Z3L832U=?= =?iso-8859-1?B?Z3L832U=?=', 'a =?iso-2022-jp?B?GyRCRnxLXDhsGyhC?= b', '=?gb18030?b?gQ?='],
        ['=?', '?=', '?', 'q', 'B', '_', '=C3', '=', 'utf-8', 'utf-7', 'x', ' ', '\r\n ', '\0', '=?utf-8?q?', '*en', 'é'],
      ),
    (value) => {
      checkForms(value, 'Subject');
      const subject = asText({ name: 'Subject', value });
      assert.ok(baseSubject(subject).length <= subject.normalize('NFKC').length + subject.length, 'a base subject is no longer than the subject');
    },
  ),
  fuzzTarget(
    'parameters',
    () =>
      mutatedBytes(
        [
          'multipart/mixed; boundary="b c"',
          'attachment; filename*0*=utf-8\'en\'%C3; filename*1*=%A9; filename*2="x"',
          'text/plain; charset=utf-8 (x); a="\\""',
        ],
        ['"', '\\', '(', ')', ';', '=', '*', '*0', '*1*', "'", '%', '%C3', 'a', ' ', '\r\n ', '/', '\0', '=?utf-8?q?a?=', 'é'],
      ),
    (value) => {
      const field = parseContentField({ name: 'Content-Type', value });
      for (const [name, text] of field?.parameters ?? []) {
        assert.equal(name, name.toLowerCase());
        assert.ok(text.isWellFormed());
      }
    },
  ),
  fuzzTarget(
    'html',
    () =>
      fc.tuple(
        mutatedText(
          [
            '<html><head><title>t</title><style>p{}</style></head><body><p>Hi <b>there</b> &amp; &#252; you</p>' +
              '<div hidden>no<div>no</div></div><!-- c --></body></html>',
          ],
          [
            '<',
            '>',
            '</',
            '<!--',
            '-->',
            '<style>',
            '</style>',
            '<p hidden>',
            '<div style="display:none">',
            '"',
            "'",
            '=',
            '&',
            '&#',
            '&#x',
            ';',
            '&toString;',
            '<br/>',
            'a',
            '<img alt=',
            ' title="',
          ],
        ),
        fc.nat({ max: 500 }),
      ),
    ([html, most]) => {
      let attributes = 0;
      const text = htmlToText(html, most, ({ length }) => {
        attributes += length;
      });
      assert.equal(text, htmlToText(html, most), 'the text does not depend on the attributes');
      assert.ok(attributes <= html.length * 2, 'the attributes are not longer than the HTML');
      assert.ok(text.length <= html.length * 2 + 16, 'the text is not longer than the HTML');
    },
  ),
];
