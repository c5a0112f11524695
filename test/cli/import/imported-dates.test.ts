import { utimes, writeFile } from 'node:fs/promises';
import { openMailTerminal, type MailTerminal } from '../mail-terminal.ts';

let terminal: MailTerminal;
beforeEach(async () => {
  terminal = await openMailTerminal();
});
afterEach(() => terminal.close());

const message = (...fields: string[]): string => ['From: a@example.net', 'Subject: a', ...fields, '', 'Hello', ''].join('\n');
const fileDate = '2020-05-05T10:00:00Z';
const receivedOf = async (name: string, content: string, modified = fileDate) => {
  const path = await terminal.put(name, content);
  await utimes(path, new Date(modified), new Date(modified));
  const { code, out } = await terminal.run('import', name.includes('/') ? terminal.path(name.split('/')[0]!) : path);
  expect([code, out]).toEqual([0, expect.stringContaining('1 imported')]);
  return (await terminal.emails())[0]!['receivedAt'] as string;
};
const mbox = (line: string, ...fields: string[]): string => `${line}\n${message(...fields)}\n`;

test.each([
  ['a.eml', message('Date: Wed, 31 Dec 1969 10:00:00 +0000'), '1969-12-31T10:00:00Z'],
  ['a.eml', message('Date: Fri, 1 Jan 1904 00:00:00 +0000'), '1904-01-01T00:00:00Z'],
  ['a.eml', message('Received: by x; Mon, 02 Jan 1961 10:00:00 +0000', 'Date: Mon, 02 Mar 2026 10:00:00 +0000'), '1961-01-02T10:00:00Z'],
  ['a.eml', message('Date: Sat, 31 Dec 9999 23:59:59 -1200'), fileDate],
  ['a.eml', message('Received: by x; Sat, 31 Dec 9999 23:59:59 -1200', 'Date: Mon, 02 Mar 2026 10:00:00 +0000'), '2026-03-02T10:00:00Z'],
  ['a.eml', message('Date: Sat, 31 Dec 9999 23:59:59 +0000'), '9999-12-31T23:59:59Z'],
  ['a.eml', message('Date: Sat, 31 Dec 12026 23:59:59 +0000'), fileDate],
  ['a.mbox', mbox('From a@b Wed Dec 31 10:00:00 1969'), '1969-12-31T10:00:00Z'],
  ['a.mbox', mbox('From a@b Sat Dec 31 23:59:59 9999 -1200', 'Date: Mon, 02 Mar 2026 10:00:00 +0000'), '2026-03-02T10:00:00Z'],
  ['a.mbox', mbox('From a@b Sat Nov 31 08:38:00 2026', 'Date: Mon, 02 Mar 2026 10:00:00 +0000'), '2026-03-02T10:00:00Z'],
  ['Mail/cur/1.a.host:2,SZz9%', message('Date: Wed, 31 Dec 1969 10:00:00 +0000'), '1969-12-31T10:00:00Z'],
])('%s: %j is received at %s', async (name, content, receivedAt) => {
  expect(await receivedOf(name, content)).toBe(receivedAt);
});

test.each(['1969-12-31T00:00:00Z', '1906-08-16T20:26:40Z', '1970-01-01T00:00:00Z'])(
  'a message without a date has that of its file, also when it is %s',
  async (date) => {
    expect(await receivedOf('a.eml', message(), date)).toBe(date);
  },
);

test('flags of an export that are none do not keep a message out', async () => {
  const content = message('Date: Mon, 02 Mar 2026 10:00:00 +0000');
  const entry = `From a@b Sat Nov 21 08:38:00 2026\n${content}\n`;
  const path = await terminal.put('a.mbox', entry);
  const keywords = ['$Seen', 'a(b)', '', 'x'.repeat(300), '100%', 'work'];
  await writeFile(`${path}.flags.jsonl`, `${JSON.stringify({ id: '1', size: content.length, end: entry.length, keywords, receivedAt: 'yesterday' })}\n`);
  expect(await terminal.run('import', path)).toMatchObject({ code: 0, out: expect.stringContaining('1 imported') as string });
  expect(await terminal.emails()).toMatchObject([{ keywords: ['$seen', '100_', 'a_b_', 'work', 'x'.repeat(255)], receivedAt: '2026-03-02T10:00:00Z' }]);
});
