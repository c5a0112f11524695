import * as fc from 'fast-check';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { bodyLists } from '../../../core/mime/body/body-lists.ts';
import { bodyValue } from '../../../core/mime/body/body-value.ts';
import { decodeTransferEncoding } from '../../../core/mime/encoding/transfer-encoding.ts';
import { parseMessage, unparsedMessage } from '../../../core/mime/parse-message.ts';
import type { BodyPart } from '../../../core/mime/parsed-email.ts';
import { assertProperty } from '../../support/assert-property.ts';

const message = (...lines: string[]) => Buffer.from(lines.join('\r\n'));

test('parseMessage returns the properties of the Email, and the ids for finding its Thread', () => {
  const parsed = parseMessage(
    message(
      'Message-ID: <m@example.test>',
      'In-Reply-To: <p@example.test>',
      'References: <r@example.test>',
      ' <p@example.test>',
      'From: Alice <alice@example.test>',
      'Sender: bob@example.test',
      'Reply-To: team@example.test',
      'To: bob@example.test, Carol <carol@example.test>',
      'Cc: dave@example.test',
      'Bcc: erin@example.test',
      'Subject: Re: Lunch',
      'Date: Sat, 21 Nov 2026 08:38:00 +0100',
      '',
      'Shall we?',
      '',
    ),
  );
  expect(parsed).toEqual({
    email: {
      messageId: ['m@example.test'],
      inReplyTo: ['p@example.test'],
      references: ['r@example.test', 'p@example.test'],
      from: [{ name: 'Alice', email: 'alice@example.test' }],
      sender: [{ name: null, email: 'bob@example.test' }],
      replyTo: [{ name: null, email: 'team@example.test' }],
      to: [
        { name: null, email: 'bob@example.test' },
        { name: 'Carol', email: 'carol@example.test' },
      ],
      cc: [{ name: null, email: 'dave@example.test' }],
      bcc: [{ name: null, email: 'erin@example.test' }],
      subject: 'Re: Lunch',
      sentAt: '2026-11-21T08:38:00+01:00',
      preview: 'Shall we?',
      hasAttachment: false,
      bodyStructure: expect.objectContaining({ type: 'text/plain' }),
    },
    sentAt: Date.UTC(2026, 10, 21, 7, 38),
    threadMessageIds: ['m@example.test', 'p@example.test', 'r@example.test'],
    baseSubject: 'lunch',
  });
});

test('properties that the message does not have are undefined', () => {
  const { email, sentAt, threadMessageIds, baseSubject } = parseMessage(message('X: y', '', ''));
  expect(JSON.parse(JSON.stringify(email))).toEqual({ preview: '', hasAttachment: false, bodyStructure: expect.anything() });
  expect([sentAt, threadMessageIds, baseSubject]).toEqual([undefined, [], '']);
});

test('the last field of a name is used', () => {
  expect(parseMessage(message('Subject: one', 'Subject: two', '', '')).email.subject).toBe('two');
});

test('threadMessageIds of a long chain are its own id, In-Reply-To, the nearest references and the first one', () => {
  const references = Array.from({ length: 200 }, (_, i) => `<${i}@example.test>`).join(' ');
  const { threadMessageIds } = parseMessage(message('Message-ID: <m@example.test>', 'In-Reply-To: <199@example.test>', `References: ${references}`, '', ''));
  expect(threadMessageIds.slice(0, 3)).toEqual(['m@example.test', '199@example.test', '198@example.test']);
  expect(threadMessageIds.at(-1)).toBe('0@example.test');
  expect(threadMessageIds).toHaveLength(20);
});

describe('a message to very many people', () => {
  const people = (count: number, name: string, octets = 100) =>
    Array.from({ length: count }, (_, index) => {
      const email = `${name}.${index}@conference.co.uk`;
      return `"${'x'.repeat(octets - email.length - 5)}" <${email}>`;
    }).join(',\r\n ');
  const recipients = (...lines: string[]) => {
    const { email } = parseMessage(message(...lines, '', 'x'));
    const emails = (list: typeof email.to) => (list ?? []).map((each) => each.email);
    return { to: emails(email.to), cc: emails(email.cc), from: emails(email.from), replyTo: emails(email.replyTo) };
  };

  test('has 1,100 of them, and all of the shorter fields, whatever the order', () => {
    const { to, cc } = recipients(`To: ${people(1100, 'to')}`, 'Cc: Last Person <last@elsewhere.test>');
    expect([to.length, to.at(-1), cc]).toEqual([1100, 'to.1099@conference.co.uk', ['last@elsewhere.test']]);
  });
  // @pitfall attack cut-addresses
  test.each([
    ['people', people(6000, 'to')],
    ['long names', people(500, 'to', 900)],
    ['encoded names', people(3000, 'to').replaceAll(/"x+"/g, `=?utf-8?B?${'w7w'.repeat(20)}?=`)],
    ['names of two octets a letter', people(1000, 'to', 300).replaceAll('x', 'ü')],
  ])('has whole addresses only when it has too many: %s', (_, list) => {
    const { to, cc, from, replyTo } = recipients(`To: ${list}`, `Cc: ${people(3000, 'cc')}`, 'From: a@b.test', 'Reply-To: c@d.test');
    for (const [name, emails] of Object.entries({ to, cc })) {
      expect(emails.length).toBeGreaterThan(100);
      expect(emails).toEqual(emails.map((_each, index) => `${name}.${index}@conference.co.uk`));
    }
    expect([from, replyTo]).toEqual([['a@b.test'], ['c@d.test']]);
  });
  test('has no address that is longer than any mailbox, instead of its beginning', () => {
    expect(recipients(`To: a@${'b'.repeat(600)}.test, c@d.test`).to).toEqual(['c@d.test']);
  });
});

test('texts of a part beyond their limit are left out, but a file name keeps its ending', () => {
  const {
    email: { bodyStructure },
  } = parseMessage(
    message(
      `Content-Type: application/pdf; name="${'plan '.repeat(400)}.pdf"`,
      `Content-Id: <${'i'.repeat(2000)}@b>`,
      `Content-Location: https://a.test/${'l'.repeat(2000)}`,
      '',
      'x',
    ),
  );
  expect(bodyStructure.name).toMatch(/^plan plan .*\.pdf$/);
  expect(bodyStructure).toEqual(expect.not.objectContaining({ cid: expect.anything(), location: expect.anything() }));
});

test('the parsed email of a plain message has less than 1.5 KB', () => {
  const { email } = parseMessage(
    message(
      `Message-ID: <${'a'.repeat(60)}@mail.example.test>`,
      `In-Reply-To: <${'b'.repeat(60)}@mail.example.test>`,
      'From: Alice Liddell <alice@example.test>',
      'To: Bob Builder <bob@example.test>',
      'Subject: Minutes of the meeting on the new building in November',
      'Date: Sat, 21 Nov 2026 08:38:00 +0100',
      'Content-Type: multipart/alternative; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'Word after word, and then another one. '.repeat(20),
      '--b',
      'Content-Type: text/html; charset=utf-8',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      '<p>Word after word</p>',
      '--b--',
      '',
    ),
  );
  expect(email.preview).toHaveLength(256);
  expect(JSON.stringify(email).length).toBeLessThan(1536);
});

test('a message that could not be parsed is one part, the whole message', () => {
  const raw = message('Subject: x', '', 'y');
  const { email, failure } = unparsedMessage(raw, new Error('a mistake'));
  expect(failure?.message).toBe('a mistake');
  expect(email).toMatchObject({ preview: '', bodyStructure: { range: { start: 0, end: raw.length }, size: raw.length, type: 'application/octet-stream' } });
});

/** Maximum octets of a record. An item of the mail table holds at most 400 KB, including its keys. */
const largestRecord = 350 * 1024;
/** Seconds of CPU time below which the work is not compared: quadratic work would take minutes. */
const unnoticed = 1;
/** The work for a message, by that for a quarter of it: about 4 if it is linear, 16 if it is quadratic. */
const maxRatio = 10;

const parts = (part: BodyPart): number => 1 + (part.subParts ?? []).reduce((sum, inner) => sum + parts(inner), 0);
const depth = (part: BodyPart): number => 1 + Math.max(0, ...(part.subParts ?? []).map(depth));
const lastOf = (part: BodyPart): BodyPart => (part.subParts ? lastOf(part.subParts.at(-1)!) : part);

const measured = <T>(run: () => T): { readonly value: T; readonly seconds: number } => {
  const started = process.cpuUsage();
  const value = run();
  return { value, seconds: process.cpuUsage(started).user / 1_000_000 };
};

const parsed = (raw: Buffer) => {
  const { value: message, seconds } = measured(() => parseMessage(raw));
  if (seconds > unnoticed) {
    const quarter = measured(() => parseMessage(raw.subarray(0, raw.length / 4)));
    expect(seconds / quarter.seconds).toBeLessThan(maxRatio);
  }
  expect(message.failure).toBeUndefined();
  expect(Buffer.byteLength(JSON.stringify(message.email))).toBeLessThan(largestRecord);
  return message;
};

const nested = (levels: number) =>
  Array.from({ length: levels }, (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n`).join('') + '\r\ntext';

// @pitfall mime nested-multiparts
test('of 1,000 nested multiparts, those below the depth limit are one part', () => {
  const raw = Buffer.from(nested(1000));
  const { bodyStructure } = parsed(raw).email;
  expect(depth(bodyStructure)).toBeLessThanOrEqual(13);
  expect(lastOf(bodyStructure)).toMatchObject({ type: 'application/octet-stream', range: { end: raw.length } });
});

// @pitfall mime nested-messages
test('1,000 nested messages are one part, without work on each level', () => {
  expect(parts(parsed(Buffer.from('Content-Type: message/rfc822\r\n\r\n'.repeat(1000))).email.bodyStructure)).toBe(1);
});

// @pitfall mime many-parts
test('of 100,000 parts, those after the limit are one part', () => {
  const raw = Buffer.from(`Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\nx\r\n'.repeat(100_000)}--b--`);
  const { bodyStructure } = parsed(raw).email;
  expect(parts(bodyStructure)).toBe(401);
  expect(lastOf(bodyStructure)).toMatchObject({ type: 'application/octet-stream' });
  expect(lastOf(bodyStructure).size).toBeGreaterThan(0.99 * raw.length - 5000);
});

test('parts with long properties keep as much of them as the limits allow', () => {
  const part =
    `--b\r\nContent-Type: application/${'x'.repeat(70)}; name="${'\u0001ü"'.repeat(400)}"\r\n` +
    `Content-Id: <${'ü'.repeat(900)}>\r\nContent-Language: ${'abcdefgh-'.repeat(3)}x, de\r\n` +
    `Content-Location: ${'\\'.repeat(2000)}\r\nContent-Disposition: ${'y'.repeat(60)}\r\n\r\nx\r\n`;
  const { bodyStructure } = parsed(Buffer.from(`Content-Type: multipart/mixed; boundary=b\r\n\r\n${part.repeat(500)}--b--`)).email;
  expect(parts(bodyStructure)).toBeGreaterThan(400);
  expect(bodyStructure.subParts![0]!.name).toBeDefined();
});

// @pitfall mime huge-header
test.each([
  ['fields', 'a: b\r\n'.repeat(500_000)],
  ['a field of three megabytes', `Subject: ${'x'.repeat(3_000_000)}\r\nTo: a@b.test\r\n`],
  ['a folded field', `Subject: x${'\r\n y'.repeat(500_000)}\r\n`],
  ['encoded words', `Subject: ${'=?utf-8?q?=00=22?= '.repeat(100_000)}\r\n`],
  ['addresses', `To: ${'"\\"" <a@b.test>, '.repeat(100_000)}\r\nCc: ${'x'.repeat(900_000)}\r\nFrom: ${'a,'.repeat(400_000)}\r\n`],
  ['groups within groups', `To: ${'g:'.repeat(100_000)}\r\n`],
  [
    'unclosed quotes and comments',
    `To: ${'"\\'.repeat(100_000)}\r\nCc: ${'(('.repeat(100_000)}\r\nContent-Type: ${'('.repeat(100_000)}\r\n` +
      `Content-Disposition: x; a="${'\\"'.repeat(100_000)}\r\n`,
  ],
  ['references', `References: ${'<a@b> '.repeat(200_000)}\r\nIn-Reply-To: ${'<'.repeat(200_000)}\r\nMessage-ID: <${'x'.repeat(200_000)}>\r\n`],
  ['lines that are no fields', `Content-Type: multipart/mixed; boundary=${'z'.repeat(200)}\r\n${'x\r\n--z\r\n'.repeat(300_000)}`],
  ['lines that are no fields, between fields', 'no field\r\nContent-Type: a/b; boundary=c\r\n--d\r\nX-A: b\r\n'.repeat(50_000)],
  ['lines that are no base64', `Content-Transfer-Encoding: base64\r\n${'no base64!\r\n'.repeat(200_000)}`],
  ['marks and empty lines', `${'\r\n'.repeat(200_000)}From: a@b\r\n${'\ufeffX-A: b\r\n'.repeat(100_000)}`],
  ['parameters without quotes', `Content-Type: a/b; name=${'(a'.repeat(50_000)}\r\nContent-Disposition: a; filename=${'name '.repeat(100_000)}`],
  ['parameters that are not folded', `Content-Type: a/b;\r\n${'a=b;\r\n'.repeat(200_000)}`],
  ['names that are repeated', `Content-Type: ${'Content-Type:'.repeat(100_000)}\r\nContent-Disposition: ${'a/'.repeat(200_000)}`],
  ['blanks behind a slash', `Content-Type: /a${`\r\n${' '.repeat(900)}`.repeat(1200)}x\r\n`],
  [
    'charset names of quotes',
    `Subject: =?a${"'".repeat(250_000)}b?Q?x?=\r\nFrom: =?a${'"'.repeat(120_000)}b?Q?x?= <a@b>\r\n` +
      `Content-Type: text/plain; charset=${"'".repeat(16_000)}\0x\r\n`,
  ],
  ['escaped parentheses in message ids', `References: ${'(\\'.repeat(130_000)}\r\nList-Id: ${'(\\'.repeat(130_000)}\r\n`],
  ['parameters', `Content-Type: text/plain${'; a*0*=x'.repeat(100_000)}${';'.repeat(100_000)}\r\n`],
])('a huge header with %s is parsed in linear time', (_, header) => {
  parsed(Buffer.from(`${header}\r\nbody`));
});

test.each([
  ['NUL', Buffer.alloc(10_000_000)],
  ['line feeds', Buffer.alloc(10_000_000, '\n')],
  ['dashes', Buffer.from(`Content-Type: multipart/mixed; boundary=b\n\n${'\n--\n--b-'.repeat(1_000_000)}`)],
  ['truncated base64', Buffer.from(`Content-Transfer-Encoding: base64\n\n${'AAAA'.repeat(2_000_000)}A`)],
  ['soft line breaks', Buffer.from(`Content-Transfer-Encoding: quoted-printable\n\n${'= \t'.repeat(2_000_000)}`)],
  ['nested unclosed HTML', Buffer.from(`Content-Type: text/html\n\n${'<a <!-- <style ="'.repeat(500_000)}`)],
  ['zero-width joiners', Buffer.from(`Content-Type: text/html\n\n${'&zwj;'.repeat(1_000_000)}`)],
])('a huge body of %s is parsed in linear time', (_, raw) => {
  parsed(raw);
});

test('hostile fields of 390 parts are read within one budget, and each once', () => {
  const fields = [
    `Content-Type: text/plain; charset=${"'".repeat(15_000)}\0x`,
    `Content-Disposition: /a${`\r\n${' '.repeat(900)}`.repeat(17)}x`,
    `Content-Transfer-Encoding: /a${`\r\n${' '.repeat(900)}`.repeat(17)}x`,
    '--x',
    'no field',
  ];
  parsed(Buffer.from(`Content-Type: multipart/mixed; boundary=b\r\n\r\n${`--b\r\n${fields.join('\r\n')}\r\n\r\nx\r\n`.repeat(390)}--b--`));
});

// @pitfall mime nul
test('NUL is removed from all texts of the parsed email', () => {
  const { email } = parsed(Buffer.from('Subject: a\0b\r\nFrom: A\0 <a@b\0.test>\r\nMessage-ID: <a\0@b>\r\nContent-Type: text/plain; name="a\0b"\r\n\r\nx\0y'));
  expect(JSON.stringify(email)).not.toContain('\\u0000');
});

test('multiparts without any empty line are read in linear time', () => {
  const part = (level: number) => `Content-Type: multipart/mixed; boundary=b${level}\r\nno field\r\n--b${level}\r\n`;
  parsed(Buffer.from(`${Array.from({ length: 12 }, (_, level) => part(level)).join('')}${'x\r\n--y\r\n'.repeat(300_000)}`));
  parsed(Buffer.from(`Content-Type: multipart/mixed; boundary=b\r\n${'--b\r\nno field\r\n'.repeat(100_000)}`));
});

/** A message composed by nodemailer. */
const composed = async (mail: SendMailOptions): Promise<Buffer> => {
  const { message } = await createTransport({ streamTransport: true, buffer: true, newline: 'windows' }).sendMail({
    from: 'a@example.test',
    to: 'b@example.test',
    ...mail,
  });
  return message as Buffer;
};

const contentOf = (raw: Buffer, part: BodyPart) => decodeTransferEncoding(raw.subarray(part.range!.start, part.range!.end), part.encoding);
const textOf = (raw: Buffer, part: BodyPart) => bodyValue(raw.subarray(part.range!.start, part.range!.end), part).value;

const word = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .map((text) => text.replaceAll(/[\p{C}\s"\\<>,;:()[\]@]/gu, 'x').normalize('NFC'))
  .filter((text) => text.isWellFormed() && text !== '');
const sentence = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(' '));
const fileName = word.filter((name) => !/^=|[/%*'?=]/.test(name)).map((name) => `${name}.bin`);

test('parseMessage reads messages of nodemailer: subject, names, text, and attachments octet by octet', async () => {
  await assertProperty(
    fc.asyncProperty(
      sentence,
      word,
      fc.array(sentence, { minLength: 1, maxLength: 20 }),
      fc.boolean(),
      fc.array(fc.tuple(fileName, fc.uint8Array({ maxLength: 3000 })), { maxLength: 4 }),
      async (subject, name, lines, withHtml, files) => {
        const text = lines.join('\n');
        const raw = await composed({
          subject,
          from: { name, address: 'a@example.test' },
          text,
          html: withHtml ? `<p>${lines.length} lines</p>` : undefined,
          attachments: files.map(([filename, octets]) => ({ filename, content: Buffer.from(octets) })),
        });
        const { email } = parseMessage(raw);
        const { textBody, htmlBody, attachments } = bodyLists(email.bodyStructure);
        expect(email.subject).toBe(subject);
        expect(email.from).toEqual([{ name, email: 'a@example.test' }]);
        expect(textOf(raw, textBody[0]!).trimEnd()).toBe(text.trimEnd());
        if (withHtml) expect(textOf(raw, htmlBody[0]!).trimEnd()).toBe(`<p>${lines.length} lines</p>`);
        expect(attachments.map((part) => part.name)).toEqual(files.map(([filename]) => filename));
        for (const [i, part] of attachments.entries()) {
          expect(contentOf(raw, part).equals(Buffer.from(files[i]![1]))).toBe(true);
          expect(part.size).toBe(files[i]![1].length);
        }
        expect(email.hasAttachment).toBe(files.length > 0);
      },
    ),
    { numRuns: 150 },
  );
});

test('a calendar is an attachment; an inline image is an attachment with the disposition inline', async () => {
  const raw = await composed({
    subject: 'Invitation',
    text: 'Come',
    html: '<img src="cid:logo@example.test">',
    icalEvent: { method: 'REQUEST', content: 'BEGIN:VCALENDAR\r\nEND:VCALENDAR' },
    attachments: [{ filename: 'logo.png', content: Buffer.from([1, 2, 3]), cid: 'logo@example.test', contentDisposition: 'inline' }],
  });
  const { bodyStructure } = parseMessage(raw).email;
  const { attachments } = bodyLists(bodyStructure);
  expect(attachments.find(({ cid }) => cid === 'logo@example.test')).toMatchObject({ type: 'image/png', disposition: 'inline' });
  expect(attachments.some(({ type }) => type === 'text/calendar' || type === 'application/ics')).toBe(true);
});
