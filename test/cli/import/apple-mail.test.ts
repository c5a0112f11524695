import { readFile } from 'node:fs/promises';
import { openMailTerminal, type MailTerminal } from '../mail-terminal.ts';

let terminal: MailTerminal;
beforeEach(async () => {
  terminal = await openMailTerminal();
});
afterEach(() => terminal.close());

const emlx = (name: string, flags = 1): string => {
  const message = `From: a@example.net\nSubject: ${name}\nMessage-ID: <${name}@example.net>\n\nHello\n`;
  const keys = `<key>flags</key><integer>${flags}</integer><key>date-received</key><integer>1772445600</integer>`;
  return `${message.length}\n${message}<?xml version="1.0"?>\n<plist version="1.0"><dict>${keys}</dict></plist>\n`;
};
const filed = async () => {
  const paths = await terminal.mailboxPaths();
  return (await terminal.emails())
    .map(({ subject, mailboxIds, keywords, receivedAt }) =>
      [
        subject,
        Object.keys(mailboxIds as object)
          .map((id) => paths.get(id))
          .join(', '),
        keywords,
        receivedAt,
      ].join(' | '),
    )
    .sort();
};
const report = () => terminal.path('report.tsv');
const run = (path: string, ...args: string[]) => terminal.run('import', terminal.path(path), '--report', report(), ...args);

test('mailboxes of Apple Mail are imported with their names, flags and dates', async () => {
  await terminal.put('Mail/V10/6A1B2C3D-0000-4000-8000-0123456789AB/INBOX.mbox/0F00/Data/Messages/1.emlx', emlx('a', 5));
  await terminal.put('Mail/V10/6A1B2C3D-0000-4000-8000-0123456789AB/INBOX.mbox/0F00/Data/3/Messages/2.emlx', emlx('b', 2));
  await terminal.put('Mail/V10/6A1B2C3D-0000-4000-8000-0123456789AB/Work.mbox/Info.plist', '<plist/>');
  await terminal.put('Mail/V10/6A1B2C3D-0000-4000-8000-0123456789AB/Work.mbox/Clients.mbox/Messages/3.emlx', emlx('c'));
  expect(await run('Mail')).toMatchObject({ code: 0, out: expect.stringContaining('3 imported') as string });
  expect(await filed()).toEqual([
    'a | Inbox | $answered,$seen | 2026-03-02T10:00:00Z',
    'b | Trash |  | 2026-03-02T10:00:00Z',
    'c | Work/Clients | $seen | 2026-03-02T10:00:00Z',
  ]);
});

test.each([
  ['Work.mbox', 'Work'],
  ['Work.mbox/Clients.mbox', 'Work/Clients'],
  ['Work.mbox/Clients.mbox/Messages', 'Work/Clients'],
  ['Work.mbox/Clients.mbox/Messages/1.emlx', 'Inbox'],
])('the mailbox of %s is %s', async (source, mailbox) => {
  await terminal.put(`${source.replace(/\/1\.emlx$/, '')}${source.includes('Messages') ? '' : '/Messages'}/1.emlx`, emlx('a'));
  expect(await run(source)).toMatchObject({ code: 0 });
  expect(await filed()).toEqual([`a | ${mailbox} | $seen | 2026-03-02T10:00:00Z`]);
});

test('a message whose attachments are elsewhere is imported, and they are named as missing', async () => {
  await terminal.put('INBOX.mbox/Data/Messages/7.partial.emlx', emlx('a'));
  expect((await run('INBOX.mbox', '--dry-run')).code).toBe(4);
  const foretold = await readFile(report(), 'utf8');
  expect(await run('INBOX.mbox')).toMatchObject({ code: 4, out: expect.stringContaining('1 imported, 0 there already, 1 failed') as string });
  expect(await readFile(report(), 'utf8')).toBe(foretold);
  expect(foretold).toBe(
    'Data/Messages/7.partial.emlx: attachments\tApple Mail keeps the attachments of this message in other files: it was imported without them\n',
  );
});

test('what cannot be read of a message of Apple Mail is a note', async () => {
  await terminal.put('INBOX.mbox/Messages/1.emlx', emlx('a').replace(/^\d+/, '3'));
  await terminal.put('INBOX.mbox/Messages/2.emlx', emlx('b').replace(/<\?xml[^]*/, ''));
  expect(await run('INBOX.mbox')).toMatchObject({ code: 0, out: expect.stringContaining('2 imported, 0 there already, 0 failed, 2 notes') as string });
  expect(await readFile(report(), 'utf8')).toMatch(/^Messages\/1\.emlx\tthe count of octets .*\nMessages\/2\.emlx\tit has no property list .*\n$/);
});
