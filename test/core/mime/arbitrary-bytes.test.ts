import * as fc from 'fast-check';
import { bodyLists } from '../../../core/mime/body/body-lists.ts';
import { bodyValue } from '../../../core/mime/body/body-value.ts';
import { messageBlobId, messageKey, partBlobId, parseBlobId } from '../../../core/mail-types/email/blob-id.ts';
import { decodeTransferEncoding } from '../../../core/mime/encoding/transfer-encoding.ts';
import { parseHeaderFields } from '../../../core/mime/header/header-fields.ts';
import { asAddresses, asDate, asGroupedAddresses, asMessageIds, asRaw, asText, asURLs } from '../../../core/mime/header/header-forms.ts';
import { parseMessage } from '../../../core/mime/parse-message.ts';
import type { BodyPart } from '../../../core/mime/parsed-email.ts';
import { assertProperty } from '../../support/assert-property.ts';

/** Fragments of messages, which are joined in any order. */
const piece = fc.oneof(
  fc.constantFrom(
    '\r\n', '\n', '\r', '\r\n\r\n', '--b', '--b--', '--c', '\r\n--b\r\n', '\r\n--c\r\n', '\r\n--b--\r\n', ' ', '\t', '\0', ':', ';', '"',
    '\\', '(', ')', '<', '>', '=', '*', '%', '\'', ',', '@', '[', ']', 'Content-Type: multipart/mixed; boundary=b\r\n',
    'Content-Type: multipart/alternative; boundary="c"\r\n', 'Content-Type: text/html; charset=', 'Content-Type: message/rfc822\r\n',
    'Content-Transfer-Encoding: base64\r\n', 'Content-Transfer-Encoding: quoted-printable\r\n',
    'Content-Disposition: attachment; filename', '*0*=utf-8\'\'', 'To: ', 'From: ', 'Subject: ', 'Date: ', 'References: ', 'Message-ID: ',
    'Sat, 21 Nov 2026 08:38:00 +0100', '=?utf-8?Q?', '?=', '=C3', 'utf-8', 'iso-2022-jp', 'AAEC', '<a@b.test>', 'Re: ', '[Fwd: ', '(fwd)',
    '<style>', '<!--', '-->', '&amp;', '<div style="display:none">', '😀',
  ),
  fc.uint8Array({ maxLength: 8 }).map((octets) => Buffer.from(octets).toString('latin1')),
);
const anyMessage = fc.oneof(
  fc.array(piece, { maxLength: 80 }).map((pieces) => Buffer.from(pieces.join(''))),
  fc.array(piece, { maxLength: 80 }).map((pieces) => Buffer.from(pieces.join(''), 'latin1')),
  fc.uint8Array({ maxLength: 500 }).map((octets) => Buffer.from(octets)),
);

const leaves = (part: BodyPart): BodyPart[] => (part.subParts ? part.subParts.flatMap(leaves) : [part]);
const allParts = (part: BodyPart): BodyPart[] => [part, ...(part.subParts ?? []).flatMap(allParts)];
const runs = { numRuns: 3000 };

test('parseMessage accepts any octets, and all ranges are within them, in order', () => {
  assertProperty(fc.property(anyMessage, (raw) => {
    const { email, failure } = parseMessage(raw);
    expect(failure).toBeUndefined();
    let position = 0;
    for (const part of allParts(email.bodyStructure)) {
      expect(part.headers.start).toBeGreaterThanOrEqual(position);
      expect(part.headers.end).toBeGreaterThanOrEqual(part.headers.start);
      position = part.headers.end;
      if (!part.range) continue;
      expect(part.range.start).toBeGreaterThanOrEqual(position);
      expect(part.range.end).toBeGreaterThanOrEqual(part.range.start);
      expect(part.range.end).toBeLessThanOrEqual(raw.length);
      position = part.range.end;
    }
  }), runs);
});

// @requirement 8621 §4.1.4 part-size
test('each part has a number, its decoded size, a blob id of its range, and is in at least one body list', () => {
  assertProperty(fc.property(anyMessage, (raw) => {
    const { email } = parseMessage(raw);
    const parts = leaves(email.bodyStructure);
    expect(parts.map(({ partId }) => partId)).toEqual(parts.map((_, i) => String(i + 1)));
    const { textBody, htmlBody, attachments } = bodyLists(email.bodyStructure);
    for (const part of parts) {
      expect(decodeTransferEncoding(raw.subarray(part.range!.start, part.range!.end), part.encoding)).toHaveLength(part.size);
      expect(parseBlobId(partBlobId(messageBlobId(messageKey('a', 'b')), part)!)).toMatchObject(part.range!);
      expect([...textBody, ...htmlBody, ...attachments]).toContain(part);
    }
  }), runs);
});

test('the parsed email is well-formed text without NUL, has a short preview, and is not much larger than the message', () => {
  assertProperty(fc.property(anyMessage, (raw) => {
    const { email, threadMessageIds, baseSubject } = parseMessage(raw);
    const stored = JSON.stringify({ email, threadMessageIds, baseSubject });
    expect(stored).not.toMatch(/\\u0000|\\ud[89a-f]/i);
    expect(email.preview.length).toBeLessThanOrEqual(256);
    expect(stored.length).toBeLessThan(2000 + 40 * raw.length);
  }), runs);
});

test('every header form and every body value accepts any octets', () => {
  assertProperty(fc.property(anyMessage, fc.nat(50), (raw, maxOctets) => {
    const { email } = parseMessage(raw);
    for (const part of allParts(email.bodyStructure)) {
      for (const field of parseHeaderFields(raw.subarray(part.headers.start, part.headers.end))) {
        for (const form of [asRaw, asText, asAddresses, asGroupedAddresses, asMessageIds, asDate, asURLs]) form(field);
      }
      if (!part.range) continue;
      const { value } = bodyValue(raw.subarray(part.range.start, part.range.end), part, maxOctets);
      if (maxOctets > 0) expect(Buffer.byteLength(value)).toBeLessThanOrEqual(maxOctets);
    }
  }), runs);
});
