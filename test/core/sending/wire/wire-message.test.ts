import { bodyValue } from '../../../../core/mime/body/body-value.ts';
import { decodeTransferEncoding } from '../../../../core/mime/encoding/transfer-encoding.ts';
import { parseHeaderFields } from '../../../../core/mime/header-fields.ts';
import { parseMessage } from '../../../../core/mime/parse-message.ts';
import type { BodyPart } from '../../../../core/mime/parsed-email.ts';
import { UnsendableMessage } from '../../../../core/sending/wire/wire-header.ts';
import { wireMessage } from '../../../../core/sending/wire/wire-message.ts';
import { inheritedNames } from '../../../support/inherited-names.ts';

const required = { messageId: 'new@example.com', date: new Date('2026-11-22T09:00:00Z') };
const header = ['From: Alice <alice@example.com>', 'To: bob@example.net', 'Date: Sun, 22 Nov 2026 08:00:00 +0000', 'Message-ID: <m@example.com>'];

const raw = (fields: readonly string[], body = 'Hello\r\n'): Buffer => Buffer.from(`${fields.join('\r\n')}\r\n\r\n${body}`);
const send = (message: Buffer): Buffer => wireMessage(message, required);
const sentText = (fields: readonly string[], body?: string): string => send(raw(fields, body)).toString('latin1');
const refusal = (message: Buffer): UnsendableMessage => {
  try {
    send(message);
  } catch (error) {
    if (error instanceof UnsendableMessage) return error;
    throw error;
  }
  throw new Error('the message was not refused');
};

const leaves = (part: BodyPart): BodyPart[] => (part.subParts ? part.subParts.flatMap(leaves) : [part]);
const contentsOf = (message: Buffer): Buffer[] =>
  leaves(parseMessage(message).email.bodyStructure).map(({ range, encoding }) => decodeTransferEncoding(message.subarray(range!.start, range!.end), encoding));

describe('the wire form of a message', () => {
  test('is the message itself when no change is needed', () => {
    const message = raw([...header, 'MIME-Version: 1.0', 'Subject: Hello,', ' folded', 'X-Own: 1']);
    expect(send(message).equals(message)).toBe(true);
  });

  test('has no Bcc, in any case and folded, and no other field that stays in the account', () => {
    const removed = [
      'bcc: secret@example.net,',
      ' other@example.net',
      'BCC: third@example.net',
      'Resent-Bcc: x@example.net',
      'Return-Path: <evil@example.net>',
      'X-SES-CONFIGURATION-SET: other',
      'X-SES-MESSAGE-TAGS: submission_id=other',
      'DKIM-Signature: v=1',
      'X-Postrider-Internal: 1',
    ];
    expect(sentText([...removed, ...header, 'MIME-Version: 1.0'])).toBe(raw([...header, 'MIME-Version: 1.0']).toString());
  });

  test('has an empty line before a body that had none, and folded lines for those that were not', () => {
    const fields = [...header, 'MIME-Version: 1.0', 'Content-Type: text/plain;'];
    expect(send(Buffer.from([...fields, 'charset=utf-8', 'Bring the ladder', '', 'Nora'].join('\r\n'))).toString()).toBe(
      [...fields, ' charset=utf-8', '', 'Bring the ladder', '', 'Nora'].join('\r\n'),
    );
  });

  test('gets Date, Message-ID and MIME-Version when it lacks them', () => {
    expect(sentText(header.slice(0, 2))).toBe(
      [...header.slice(0, 2), 'Date: Sun, 22 Nov 2026 09:00:00 +0000', 'Message-ID: <new@example.com>', 'MIME-Version: 1.0', '', 'Hello\r\n'].join('\r\n'),
    );
  });

  test('has encoded words in place of raw UTF-8 in its header', () => {
    const sent = send(raw([...header.slice(1), 'From: Jürgen <alice@example.com>', 'Subject: Grüße']));
    expect(sent.toString('latin1')).toMatch(/^[\t\r\n\x20-\x7e]*$/);
    expect(parseMessage(sent).email).toMatchObject({ subject: 'Grüße', from: [{ name: 'Jürgen', email: 'alice@example.com' }] });
  });

  // @pitfall attack ambiguous-author
  test.each([
    ['From: ceo@bank.test: alice@example.com;', 'From: alice@example.com'],
    ['From: =?utf-8?q?ceo=40bank.test?=: Alice <alice@example.com>;', 'From: Alice <alice@example.com>'],
    ['Sender: ceo@bank.test:alice@example.com', 'Sender: alice@example.com'],
    ['From: a:ceo@bank.test:alice@example.com;;', 'From: alice@example.com'],
    ['From: ceo@bank.test <alice@example.com>', 'From: "ceo@bank.test" <alice@example.com>'],
    ['From: <alice@example.com> ceo@bank.test', 'From: "ceo@bank.test" <alice@example.com>'],
    ['From: "ceo@bank.test" alice@example.com', 'From: "ceo@bank.test" <alice@example.com>'],
    ['From: alice@example.com (ceo@bank.test)', 'From: "ceo@bank.test" <alice@example.com>'],
    ['From: (<ceo@bank.test>) alice@example.com', 'From: "<ceo@bank.test>" <alice@example.com>'],
    ['From: =?utf-8?q?ceo=40bank.test=3A?= <alice@example.com>', 'From: "ceo@bank.test:" <alice@example.com>'],
    ['From: =?utf-8?q?alice=40example.com?=', 'From: alice@example.com'],
    ['From: "alice"@example.com', 'From: alice@example.com'],
    ['From: Alice <"alice"@example.com>', 'From: Alice <alice@example.com>'],
    ['From: Alice <alice@example.com', 'From: Alice <alice@example.com>'],
    ['From: <alice@example.com>,', 'From: alice@example.com'],
    ['From: Alice\r\n <alice@example.com>\r\n ,', 'From: Alice <alice@example.com>'],
  ])('has %j, which parsers read in several ways, as %j', (field, sent) => {
    const own = field.startsWith('Sender:') ? [...header, field] : [...header.slice(1), field];
    expect(sentText([...own, 'MIME-Version: 1.0']).split('\r\n')).toContain(sent);
    expect(sentText(own).match(/^(?:from|sender):/gim)).toHaveLength(field.startsWith('Sender:') ? 2 : 1);
  });

  test('has no author beyond those that the parser reads from a very long field', () => {
    const sent = sentText([...header.slice(1), `From: alice@example.com,${'\r\n '.padEnd(900).repeat(300)}\r\n ceo@bank.test`]);
    expect(sent).toContain('\r\nFrom: alice@example.com\r\n');
    expect(sent).not.toContain('bank.test');
  });

  test.each([
    'From: alice@example.com',
    'From:  Alice   Liddell <alice@example.com>',
    'From: "Liddell, Alice" <Alice@Example.COM>',
    'From: "Liddell, Alice"\r\n\t<alice@example.com> ',
    'From: =?iso-8859-1?q?J=FCrgen?= B <a.b+c@example.com>',
    'FROM:alice@example.com',
  ])('has %j, which all parsers read alike, as it is', (field) => {
    expect(sentText([...header.slice(1), field, 'MIME-Version: 1.0'])).toContain(`\r\n${field}\r\n`);
  });

  test('has the domain of an address as A-labels', () => {
    const sent = send(raw([...header, 'Cc: Bär <b@bücher.example>']));
    expect(parseMessage(sent).email.cc).toEqual([{ name: 'Bär', email: 'b@xn--bcher-kva.example' }]);
  });

  test('does not exist for an address whose local part is beyond ASCII, because SES has no SMTPUTF8', () => {
    expect(refusal(raw([...header, 'Cc: jürgen@example.net']))).toMatchObject({ properties: ['cc'], message: expect.stringContaining('SMTPUTF8') });
  });

  test('does not exist when a field is repeated that SES accepts once', () => {
    expect(refusal(raw([...header, 'Subject: a', 'subject: b', 'FROM: c@example.net', 'X-A: 1', 'X-A: 2']))).toMatchObject({ properties: ['subject', 'from'] });
  });

  test('folds a header line of more than 998 octets', () => {
    const references = Array.from({ length: 60 }, (_, index) => `<message-${index}@a-long-domain.example.com>`).join(' ');
    const sent = send(raw([...header, `References: ${references}`]));
    expect(
      Math.max(
        ...sent
          .toString()
          .split('\r\n')
          .map((line) => line.length),
      ),
    ).toBeLessThan(998);
    expect(
      parseHeaderFields(sent)
        .find(({ name }) => name === 'References')!
        .value.toString()
        .replaceAll(/\s+/g, ' ')
        .trim(),
    ).toBe(references);
  });

  test('has no blank line, which would end the header, where a folded line of more than 998 octets begins with a long word', () => {
    const line = `\t${'x'.repeat(200)} ${'y '.repeat(500)}`;
    expect(sentText([...header, 'X-Long: a', line, 'Subject: b', 'MIME-Version: 1.0'])).toMatch(/\r\nX-Long: a\r\n\tx+\r\n (?:y[\r\n ]+)+Subject: b\r\n/);
  });

  test('does not exist for a header word of more than 998 octets', () => {
    expect(refusal(raw([...header, `X-Long: ${'x'.repeat(1200)}`]))).toMatchObject({ properties: ['header:X-Long'] });
  });

  test.each(inheritedNames)('does not exist for a header word of more than 998 octets in a field with the name %s', (name) => {
    expect(refusal(raw([...header, `${name}: ${'x'.repeat(1200)}`]))).toMatchObject({ properties: [`header:${name}`] });
  });

  test.each([
    ['a Content-Type', `Content-Type:${'x'.repeat(1000)}`],
    ['a Content-Type with a parameter', `Content-Type:${'x'.repeat(999)}\r\n boundary=b`],
    ['the name of a parameter', `Content-Type: text/plain; ${'x'.repeat(1000)}=1`],
    ['a Content-Disposition', `Content-Disposition: ${'x'.repeat(1000)}`],
  ])('does not exist for %s of more than 998 octets', (_, field) => {
    expect(refusal(raw([...header, field]))).toMatchObject({
      properties: ['bodyStructure'],
      message: expect.stringContaining('a word is too long for a line of a message') as string,
    });
  });

  test('has no line of blanks in its header, where a relay could end the header', () => {
    expect(sentText([...header, 'Subject: a', '   ', ' Bcc: still the subject', 'MIME-Version: 1.0'])).toContain('Subject: a\r\n Bcc: still the subject\r\n');
  });

  test('replaces a carriage return without line feed by a blank, so that it begins no field', () => {
    expect(sentText([...header, 'Subject: a\rBcc: x@example.net', 'MIME-Version: 1.0'])).toContain('\r\nSubject: a Bcc: x@example.net\r\n');
  });

  test('ends its lines with CRLF when the message has LF', () => {
    const text = [...header, 'MIME-Version: 1.0', '', 'one', 'two', ''].join('\n');
    expect(send(Buffer.from(text)).toString()).toBe(text.replaceAll('\n', '\r\n'));
  });

  test.each([
    ['8-bit text', 'Viele Grüße an alle, die im Büro sind\r\n', 'quoted-printable'],
    ['text that is mostly beyond ASCII', 'Здравствуйте\r\n', 'base64'],
    ['a line of more than 998 octets', `${'word '.repeat(300)}\r\n`, 'quoted-printable'],
  ])('encodes a body with %s', (_what, body, encoding) => {
    const message = raw([...header, 'MIME-Version: 1.0', 'Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: 8bit'], body);
    const sent = send(message);
    expect(
      parseHeaderFields(sent)
        .filter(({ name }) => name === 'Content-Transfer-Encoding')
        .map(({ value }) => value.toString().trim()),
    ).toEqual([encoding]);
    expect(contentsOf(sent)[0]!.toString()).toBe(body);
    expect(sent.toString('latin1')).toMatch(/^[\t\r\n\x20-\x7e]*$/);
  });

  const multipart = (type: string, parts: readonly string[]) =>
    raw([...header, 'MIME-Version: 1.0', `Content-Type: ${type}; boundary=b`], `preamble\r\n--b\r\n${parts.join('\r\n--b\r\n')}\r\n--b--\r\n`);

  test('encodes the parts that need it, and leaves the others unchanged', () => {
    const kept = 'Content-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<p>=C3=A9</p>';
    const message = multipart('multipart/mixed', [
      'Content-Type: text/plain; charset=utf-8\r\n\r\nGrüße',
      kept,
      `Content-Disposition: attachment; filename="ü.bin"\r\nContent-Transfer-Encoding: binary\r\n\r\na\nb\0c\rd`,
    ]);
    const sent = send(message);
    expect(sent.toString()).toContain(`--b\r\n${kept}\r\n--b\r\n`);
    expect(contentsOf(sent)).toEqual(contentsOf(message));
    expect(leaves(parseMessage(sent).email.bodyStructure)[2]!.name).toBe('ü.bin');
    expect(sent.toString('latin1')).toMatch(/^[\t\r\n\x20-\x7e]*$/);
  });

  test('changes nothing within a signed part but line breaks', () => {
    const signed = 'Content-Type: text/plain; charset=utf-8\r\n\r\nGrüße';
    const message = multipart('multipart/signed', [signed, 'Content-Type: application/pgp-signature\r\n\r\nsig']);
    expect(send(message).toString()).toContain(`--b\r\n${signed}\r\n--b\r\n`);
  });

  test('does not exist for a signed text with a line of more than 998 octets', () => {
    const message = multipart('multipart/signed', [
      `Content-Type: text/plain\r\n\r\n${'x'.repeat(1000)}`,
      'Content-Type: application/pgp-signature\r\n\r\nsig',
    ]);
    expect(refusal(message)).toMatchObject({ properties: ['bodyStructure'] });
  });

  const inner = (type: string, body: string, ...fields: readonly string[]) =>
    ['From: Nora <nora@elsewhere.test>', 'Subject: Inner', ...fields, 'MIME-Version: 1.0', `Content-Type: ${type}`, '', body].join('\r\n');
  const eightBit = inner('text/plain; charset=utf-8', 'Grüße\r\n', 'Content-Transfer-Encoding: 8bit');
  const attaching = (content: string, encoding: string, type = 'message/rfc822') =>
    multipart('multipart/mixed', [
      'Content-Type: text/plain\r\n\r\nsee below',
      `Content-Type: ${type}; name="eight.eml"\r\nContent-Disposition: attachment; filename="eight.eml"\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${content}`,
    ]);
  const base64 = (text: string) => Buffer.from(text).toString('base64').replaceAll(/.{76}/g, '$&\r\n');
  const signed = inner('multipart/signed; boundary=s', '--s\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nGrüße\r\n--s\r\n\r\nsig\r\n--s--');

  // @pitfall mime message-in-base64
  test.each([
    ['8bit text', eightBit, '8bit'],
    ['text in base64 around it, as other programs write it', eightBit, 'base64'],
    ['plain text in base64 around it', inner('text/plain', 'Hello\r\n'), 'base64'],
    ['text with line ends of Unix', inner('text/plain', 'Hello\r\n').replaceAll('\r\n', '\n'), 'binary'],
    ['a header beyond ASCII', inner('text/plain; charset=utf-8', 'Grüße\r\n', 'To: Jürgen <j@x.test>', 'Bcc: kept@x.test'), '8bit'],
    [
      'parts in 8bit',
      inner('multipart/mixed; boundary=i', `--i\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nGrüße\r\n--i\r\n\r\n${'x '.repeat(600)}\r\n--i--\r\n`),
      '8bit',
    ],
    ['a message in it', inner('message/rfc822', eightBit), '8bit'],
  ])('has an attached message with %s as message/rfc822 in 7bit, converted inside', (_, content, encoding) => {
    const sent = send(attaching(encoding === 'base64' ? base64(content) : content, encoding));
    expect(sent.toString('latin1')).toMatch(/^[\t\r\n\x20-\x7e]*$/);
    const [, part] = leaves(parseMessage(sent).email.bodyStructure);
    expect(part).toMatchObject({ type: 'message/rfc822', encoding: 'identity', name: 'eight.eml' });
    expect(sent.subarray(part!.headers.start, part!.headers.end).toString()).toMatch(/^Content-Transfer-Encoding: 7bit\r$/m);
    const [before, after] = [Buffer.from(content), sent.subarray(part!.range!.start, part!.range!.end)].map((octets) => {
      const { email } = parseMessage(octets);
      const texts = leaves(email.bodyStructure)
        .filter(({ type }) => type.startsWith('text/'))
        .map((leaf) => bodyValue(octets.subarray(leaf.range!.start, leaf.range!.end), leaf).value.trimEnd());
      return { ...email, bodyStructure: undefined, texts };
    });
    expect(after).toEqual(before);
  });

  test.each([
    ['a signed part in 8bit', signed, '8bit', 'message/rfc822'],
    ['a delimiter of the message around it', `${inner('text/plain', '')}--b\r\nBcc: x@example.net\r\n`, 'base64', 'message/rfc822'],
    ['an address that no field in ASCII can have', inner('text/plain', 'x', 'To: jürgen@x.test'), '8bit', 'message/rfc822'],
    ['another type of message, in 8bit', 'Reporting-MTA: dns; mx.test\r\nX: ä\r\n', '8bit', 'message/delivery-status'],
  ])('has an attached message with %s as a file, whole', (_, content, encoding, type) => {
    const sent = send(attaching(encoding === 'base64' ? base64(content) : content, encoding, type));
    expect(leaves(parseMessage(sent).email.bodyStructure)[1]).toMatchObject({ type: 'application/octet-stream', encoding: 'base64', name: 'eight.eml' });
    expect(contentsOf(sent)[1]!.toString()).toBe(content);
  });

  test('has a message of thousands of messages within each other after bounded work', () => {
    const nested = 'Content-Type: message/rfc822\r\n\r\n'.repeat(5000);
    expect(contentsOf(send(raw([...header, 'MIME-Version: 1.0', 'Content-Type: message/rfc822'], `${nested}Subject: ä\r\n\r\nx`)))).toHaveLength(1);
  });

  test('contains no delimiter in encoded text', () => {
    const message = multipart('multipart/mixed', [`Content-Type: text/plain; charset=utf-8\r\n\r\n${'x'.repeat(75)}--b--é`]);
    const sent = send(message);
    expect(contentsOf(sent)).toEqual(contentsOf(message));
    expect(bodyValue(sent, parseMessage(sent).email.bodyStructure.subParts![0]!, 1000).value).toBeDefined();
  });

  test('does not exist for a header beyond the parser’s limits', () => {
    expect(refusal(raw([...header, ...Array.from({ length: 2000 }, (_, index) => `X-${index}: 1`)]))).toMatchObject({ properties: ['headers'] });
  });
});
