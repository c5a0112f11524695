import * as fc from 'fast-check';
import { mboxEntry } from '../../../../cli/export/mbox-writer.ts';
import { fromLine, fromLineDate, quoteMessage, unquoteMessage } from '../../../../cli/sources/mbox/mbox-format.ts';
import { readMbox, type MboxOptions } from '../../../../cli/sources/mbox/mbox-reader.ts';
import { assertProperty } from '../../../support/assert-property.ts';
import { collect } from '../read-options.ts';

/** The octets in chunks of this length. */
const chunksOf = async function* (content: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < content.length; start += length) yield content.subarray(start, start + length);
};

const options: MboxOptions = { maxMessageSize: 1_000_000, quoting: 'mboxrd' };
const read = async (text: string | Buffer, more: Partial<MboxOptions> = {}, chunk = 7) => {
  const messages = await collect(readMbox(chunksOf(Buffer.from(text as string, 'latin1'), chunk), { ...options, ...more }));
  return messages.map(({ content, size }) => content?.toString('latin1') ?? `too large: ${size}`);
};

const dated = 'From a@example.net Sat Nov 21 08:38:00 2026';
const one = 'Subject: one\n\nHello\n';
const two = 'Subject: two\n\nBye\n';

describe('an mbox', () => {
  test('is split into the same messages for any chunks of the stream', async () => {
    const mbox = `${dated}\n${one}\n${dated}\n${two}\n`;
    for (const chunk of [1, 2, 3, 5, 64, 10_000]) expect(await read(mbox, {}, chunk)).toEqual([one, two]);
  });

  test('keeps body lines that begin with From after a text line, or without a date', async () => {
    const body = 'Subject: three\n\nFrom here on\nFrom a@b Sat Nov 21 08:38:00 2026\nand\n\nFrom the beginning of 2026\n\nFrom 10:00 in 2026 on\nwe met\n';
    expect(await read(`${dated}\n${body}\n${dated}\n${two}\n`)).toEqual([body, two]);
  });

  test('removes one > of each quoted line, also in a header (mboxrd)', async () => {
    const mbox = `${dated}\n>From x\nSubject: a\n\n>From you\n>>From me\n > From\n>from\n\n`;
    expect(await read(mbox)).toEqual(['From x\nSubject: a\n\nFrom you\n>From me\n > From\n>from\n']);
  });

  test('on request removes only the > of >From (mboxo), or none', async () => {
    const mbox = `${dated}\nSubject: a\n\n>From you\n>>From me\n\n`;
    expect(await read(mbox, { quoting: 'mboxo' })).toEqual(['Subject: a\n\nFrom you\n>>From me\n']);
    expect(await read(mbox, { quoting: 'none' })).toEqual(['Subject: a\n\n>From you\n>>From me\n']);
  });

  test('may have unquoted lines after a correct Content-Length (mboxcl2), and is split by From lines after a wrong one', async () => {
    const body = `x\n\n${dated}\nSubject: quoted\n\n>From y\n`;
    const right = `Subject: a\nContent-Length: ${body.length}\n\n${body}`;
    expect(await read(`${dated}\n${right}\n${dated}\n${two}\n`)).toEqual([right, two]);
    const wrong = `Subject: a\nContent-Length: 3\n\nHello there\n`;
    expect(await read(`${dated}\n${wrong}\n${dated}\n${two}\n`)).toEqual([wrong, two]);
    const long = `Subject: a\nContent-Length: 900000000000\n\nHello there\n`;
    expect(await read(`${dated}\n${long}\n${dated}\n${two}\n`)).toEqual([long, two]);
  });

  test('keeps CRLF, LF, and both in one message', async () => {
    const crlf = 'Subject: one\r\n\r\nHello\r\n';
    const mixed = 'Subject: two\r\n\nBye\r\n\n\r\nagain\n';
    expect(await read(`${dated}\r\n${crlf}\r\n${dated}\n${mixed}\n`)).toEqual([crlf, mixed]);
  });

  test('may have empty messages, messages without a body, blank lines around messages, and an incomplete end', async () => {
    expect(await read(`\n\n${dated}\n\n${dated}\nSubject: a\n\n\n${dated}\nSubject: b\n\nno line end`)).toEqual([
      '',
      'Subject: a\n\n',
      'Subject: b\n\nno line end',
    ]);
    expect(await read('')).toEqual([]);
    expect(await read('\n\n')).toEqual([]);
    expect(await read(dated)).toEqual(['']);
  });

  const header = 'From: a@example.net\nSubject: three\nDate: Sat, 21 Nov 2026 08:38:00 +0000\n\n';

  test('without blank lines between its messages is split by whole From lines before a header', async () => {
    const messages = ['One\n', 'Two\n', 'Three\n'].map((text) => `${header}${text}`);
    for (const line of [dated, 'From MAILER-DAEMON Fri Jul  8 12:08:34 2011', 'From a@b Sat Nov 21 08:38:00 +0100 2026']) {
      expect(await read(messages.map((text) => `${line}\n${text}`).join(''))).toEqual(messages);
    }
    const crlf = messages.map((text) => text.replaceAll('\n', '\r\n'));
    expect(await read(crlf.map((text) => `${dated}\r\n${text}`).join(''))).toEqual(crlf);
  });

  test('with dates in some of its From lines is split by those without a date too, when a header follows', async () => {
    const messages = ['One\n', 'Two\n', 'Three\n', 'Four\n', 'Five\n'].map((text) => `${header}${text}`);
    const lines = [dated, 'From ', 'From -', 'From ben@elsewhere.test', 'From MAILER-DAEMON'];
    expect(await read(messages.map((text, index) => `${lines[index]}\n${text}\n`).join(''))).toEqual(messages);
  });

  test('keeps text that only looks like the beginning of a message, and says where it may be one', async () => {
    const letter = `${header}From now on:\nNote: x\n\nFrom \nTo: the bridge\n`;
    const doubtful = `${header}Hello\n\nFrom what I wrote:\n${header}`;
    const mbox = `${dated}\n${letter}\n${dated}\n${doubtful}\n`;
    const messages = await collect(readMbox(chunksOf(Buffer.from(mbox), 7), options));
    expect(messages.map(({ content }) => content?.toString())).toEqual([letter, doubtful]);
    expect(messages.map(({ doubtAt }) => doubtAt)).toEqual([undefined, mbox.indexOf('From what')]);
  });

  test.each([
    'From 9:00 on 3 March 2026 the office is closed.\n\nThe key is with Ben.\n',
    'From 9:00 in 2026:\nNote: bring a key\n',
    'From 9:00 to 10:00 in 2026\n',
    'From 9:00 in 2026\n\n',
    `${dated}\n\nthe text that I got\n`,
    `${dated}\nis a line that begins a message\n`,
  ])('keeps a paragraph that begins like a From line: %j', async (paragraph) => {
    const text = `${header}Dear all,\n\n${paragraph}`;
    for (const line of [dated, 'From nobody']) {
      const mbox = `${line}\n${text}\n${line}\n${header}Bye\n`;
      const messages = await collect(readMbox(chunksOf(Buffer.from(mbox), 7), options));
      expect(messages.map(({ content }) => content?.toString())).toEqual([text, `${header}Bye\n`]);
      expect(messages.map(({ doubtAt }) => doubtAt)).toEqual([mbox.indexOf('From', mbox.indexOf('Dear all')), undefined]);
    }
  });

  test.each([
    'From a@b 2026-11-21T08:38:00Z',
    'From a@b Sat, 21 Nov 2026 08:38:00 +0100',
    'From - Sat Nov 21 08:38:00 2026',
    'From "a b"@c Sat Nov 21 08:38:00 2026',
  ])('is split by %s, whatever field follows', async (line) => {
    expect(await read(`${line}\nX-Note: a\n\nHello\n\n${line}\nX-Note: b\n\nBye\n`)).toEqual(['X-Note: a\n\nHello\n', 'X-Note: b\n\nBye\n']);
  });

  test('without dates in its From lines is split by lines that begin with From', async () => {
    expect(await read(`From nobody\n${one}\nFrom nobody\n${two}\n`)).toEqual([one, two]);
  });

  test('is refused when it does not begin with a From line', async () => {
    await expect(read('Subject: a\n\nHello\n')).rejects.toThrow('does not begin with a line From');
  });

  test('keeps no more of a message in memory than the limit, and continues after the message', async () => {
    const large = `Subject: large\n\n${'x'.repeat(99)}\n`.padEnd(30_000, 'lorem ipsum\n').concat('\n');
    expect(await read(`${dated}\n${large}\n${dated}\n${two}\n`, { maxMessageSize: 2000 }, 512)).toEqual([`too large: ${large.length}`, two]);
  });

  test('of an export is read octet for octet, for any messages', async () => {
    const line = fc.oneof(
      fc.constantFrom('From a Sat Nov 21 08:38:00 2026', '>From x', '>>From ', 'From ', '', '\r', 'Subject: x', 'Content-Length: 4', 'x', '\u00e4'),
      fc.string({ maxLength: 5 }).map((text) => text.replaceAll(/[^\x20-\x7e]/g, '.')),
    );
    const message = fc.array(line, { maxLength: 8 }).map((lines) => lines.map((each) => `${each}\n`).join(''));
    await assertProperty(
      fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 50 }), async (messages, chunk) => {
        const written = messages.map((text) => mboxEntry(Buffer.from(text, 'latin1'), new Date(0)));
        expect(await read(Buffer.concat(written).toString('latin1'), { isExact: true }, chunk)).toEqual(messages);
      }),
      { numRuns: 150 },
    );
  });
});

describe('quoting', () => {
  test('is removed exactly as it was added', () => {
    const content = Buffer.from('From a\n>From b\nx From c\n\r>From d\nFrom', 'latin1');
    expect(quoteMessage(content).toString()).toBe('>From a\n>>From b\nx From c\n\r>From d\nFrom');
    expect(unquoteMessage(quoteMessage(content), 'mboxrd')).toEqual(content);
  });
});

describe('the line of a message', () => {
  test.each([
    ['From MAILER-DAEMON Fri Jul  8 12:08:34 2011', '2011-07-08T12:08:34.000Z'],
    ['From 1834567890123@xxx Sat Nov 21 08:38:00 +0000 2026', '2026-11-21T08:38:00.000Z'],
    ['From a@b Sat Nov 21 08:38:00 +0100 2026', '2026-11-21T07:38:00.000Z'],
    ['From a@b Sat Nov 21 08:38:00 EST 2026', '2026-11-21T13:38:00.000Z'],
    ['From a@b Sat Nov 21 08:38 2026', '2026-11-21T08:38:00.000Z'],
    ['From a@b Sat Nov 21 08:38:00 2026 +0100', '2026-11-21T07:38:00.000Z'],
    ['From a@b Sat, 21 Nov 2026 08:38:00 +0100', '2026-11-21T07:38:00.000Z'],
    ['From a@b 2026-11-21T08:38:00Z', '2026-11-21T08:38:00.000Z'],
    ['From - Sat Nov 21 08:38:00 2026', undefined],
    ['From nobody', undefined],
  ])('%s is of %s', (line, date) => {
    expect(fromLineDate(line)?.toISOString()).toBe(date);
  });

  test('is read again as it was written', () => {
    const date = new Date('2026-01-02T03:04:05Z');
    expect(fromLine(date)).toBe('From MAILER-DAEMON Fri Jan  2 03:04:05 2026');
    expect(fromLineDate(fromLine(date))).toEqual(date);
  });
});
