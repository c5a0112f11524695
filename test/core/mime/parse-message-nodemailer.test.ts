import * as fc from 'fast-check';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { bodyLists } from '../../../core/mime/body/body-lists.ts';
import { bodyValue } from '../../../core/mime/body/body-value.ts';
import { decodeTransferEncoding } from '../../../core/mime/encoding/transfer-encoding.ts';
import { parseMessage } from '../../../core/mime/parse-message.ts';
import type { BodyPart } from '../../../core/mime/parsed-email.ts';
import { assertProperty } from '../../support/assert-property.ts';

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
