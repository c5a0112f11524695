import { parseMessage } from '../../../core/mime/parse-message.ts';
import type { BodyPart } from '../../../core/mime/parsed-email.ts';

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
