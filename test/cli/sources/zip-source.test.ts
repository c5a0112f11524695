import { readFile, truncate, writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { wrappingFolders, zipFileSource } from '../../../cli/sources/zip-source.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { described, readAll } from './read-options.ts';

const root = temporaryDirectory();

const received = 'Received: x; Sat, 21 Nov 2026 08:38:00 +0000\n';
const message = (name: string) => `${received}Subject: ${name}\n\n`;

const zipOf = async (entries: Readonly<Record<string, string | Buffer>>): Promise<string> => {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(entries)) {
    zip.addBuffer(Buffer.from(content as string), name, { mtime: new Date('2026-11-21T08:38:00Z') });
  }
  zip.end();
  const path = root('mail.zip');
  await writeFile(path, await buffer(zip.outputStream));
  return path;
};
/** Replaces octets everywhere in a zip by others of the same length. */
const patch = async (path: string, from: string | Buffer, to: string | Buffer): Promise<void> => {
  let content = await readFile(path);
  for (let at = content.indexOf(from); at >= 0; at = content.indexOf(from, at + 1)) {
    content = Buffer.concat([content.subarray(0, at), Buffer.from(to as string), content.subarray(at + Buffer.byteLength(from))]);
  }
  await writeFile(path, content);
};
const read = async (path: string, options = {}) => described(await readAll(await zipFileSource(path, 'mboxrd'), options));
const folders = async (path: string) => (await read(path)).map((item) => (item.folders ? item.folders.join(', ') : Object.values(item)[0]));

describe('a zip', () => {
  test('has the mailboxes of Apple Mail', async () => {
    const emlx = (name: string) => `${message(name).length}\n${message(name)}<plist><dict><key>flags</key><integer>1</integer></dict></plist>`;
    expect(
      await read(await zipOf({ 'Mail/Work.mbox/0F00/Data/1/Messages/1.emlx': emlx('a'), 'Mail/Work.mbox/Clients.mbox/Messages/2.emlx': emlx('b') })),
    ).toMatchObject([
      { text: message('a'), folders: ['Work'], keywords: ['$seen'] },
      { text: message('b'), folders: ['Work/Clients'], keywords: ['$seen'] },
    ]);
    expect(await folders(await zipOf({ 'INBOX.mbox/0F00/Data/Messages/1.emlx': emlx('a') }))).toEqual(['INBOX (inbox)']);
  });

  test('has no message in a symbolic link or a pipe, which are problems', async () => {
    const zip = new ZipFile();
    for (const [name, mode] of [
      ['a.eml', 0o100644],
      ['link.eml', 0o120777],
      ['pipe.eml', 0o010644],
    ] as const) {
      zip.addBuffer(Buffer.from(message(name)), `Inbox/${name}`, { mtime: new Date('2026-11-21T08:38:00Z'), mode });
    }
    zip.end();
    await writeFile(root('mail.zip'), await buffer(zip.outputStream));
    const problem = 'it is a link or a device, and no file';
    expect(await folders(root('mail.zip'))).toEqual(['Inbox (inbox)', problem, problem]);
  });

  test('has the messages of a mailbox in folders, as Amazon WorkMail exports it', async () => {
    const path = await zipOf({
      'Inbox/1.eml': message('a'),
      'Inbox/Projects/2.eml': message('b'),
      'Sent Items/3.eml': message('c'),
      'Deleted Items/4.eml': message('d'),
      'Junk E-mail/5.eml': message('e'),
      'Grüße/6.eml': message('f'),
    });
    expect(await folders(path)).toEqual(['Inbox (inbox)', 'Inbox/Projects', 'Sent Items (sent)', 'Deleted Items (trash)', 'Junk E-mail (junk)', 'Grüße']);
    expect((await read(path))[0]).toEqual({ text: message('a'), folders: ['Inbox (inbox)'], keywords: [], receivedAt: '2026-11-21T08:38:00.000Z' });
  });

  test('has mboxes, as Google Takeout exports them, without the folders around them', async () => {
    const mbox = `From a Sat Nov 21 08:38:00 2026\nX-Gmail-Labels: Inbox,Opened\nSubject: a\n\n\nFrom a Sat Nov 21 08:38:00 2026\nSubject: b\n\n`;
    const path = await zipOf({ 'Takeout/archive_browser.html': '<html>', 'Takeout/Mail/All mail Including Spam and Trash.mbox': mbox });
    expect(await folders(path)).toEqual([
      'Inbox (inbox)',
      'All mail Including Spam and Trash',
      'left out, because mail programs keep no mail there: Takeout/archive_browser.html',
    ]);
  });

  test('has mboxes without an ending, as mail programs name them, and names what it leaves out', async () => {
    const mbox = `From a Sat Nov 21 08:38:00 2026\nSubject: a\n\n\nFrom a Sat Nov 21 08:38:00 2026\nSubject: b\n\n`;
    const path = await zipOf({ 'Mail/Inbox': mbox, 'Mail/dovecot': mbox, 'Mail/Inbox.msf': 'index', 'Mail/Empty': '' });
    expect(await folders(path)).toEqual([
      'Inbox (inbox)',
      'Inbox (inbox)',
      'dovecot',
      'dovecot',
      'left out, because mail programs keep no mail there: Mail/Inbox.msf',
    ]);
  });

  test('without folders, or with one folder around all of them, is read into the mailboxes of its folders', async () => {
    expect(await folders(await zipOf({ '1.eml': message('a') }))).toEqual(['Inbox (inbox)']);
    expect(await folders(await zipOf({ 'ada@example.com/Inbox/1.eml': message('a'), 'ada@example.com/Sent/2.eml': message('b') }))).toEqual([
      'Inbox (inbox)',
      'Sent (sent)',
    ]);
    expect(
      wrappingFolders([
        ['Inbox', 'Work', 'a'],
        ['Inbox', 'Work', 'b'],
      ]),
    ).toBe(0);
    expect(
      wrappingFolders([
        ['x', 'y', 'a'],
        ['x', 'y', 'b', 'c'],
      ]),
    ).toBe(2);
    expect(wrappingFolders([])).toBe(0);
  });

  test('with one path outside the archive has a problem for this entry, and its other messages', async () => {
    const path = await zipOf({ 'aa/b.eml': message('a'), 'Inbox/c.eml': message('c') });
    await patch(path, 'aa/b.eml', '../b.eml');
    expect(await folders(path)).toEqual(['its path leaves the archive', 'Inbox (inbox)']);
    await patch(path, '../b.eml', '//tmp.em');
    expect((await folders(path))[1]).toBe('Inbox (inbox)');
  });

  test('decodes names in UTF-8 without its flag, and in the charset of DOS', async () => {
    const path = await zipOf({ 'Grusse12/a.eml': message('a'), 'Grusse34/b.eml': message('b') });
    await patch(path, 'Grusse12', Buffer.from('Gr\u00fc\u00dfe1', 'utf8'));
    await patch(path, 'Grusse34', Buffer.from('Gr\x81sse34', 'latin1'));
    const content = await readFile(path);
    // Clears the flag of UTF-8 in the headers of the files and of the directory.
    for (const [signature, offset] of [
      ['PK\u0003\u0004', 7],
      ['PK\u0001\u0002', 9],
    ] as const) {
      for (let at = content.indexOf(signature); at >= 0; at = content.indexOf(signature, at + 1)) content[at + offset]! &= 0xf7;
    }
    await writeFile(path, content);
    expect(await folders(path)).toEqual(['Grüße1', 'Grüsse34']);
  });

  test('reports a problem for an entry whose size or checksum is wrong', async () => {
    const path = await zipOf({ 'Inbox/a.eml': message('a').padEnd(5000, 'x'), 'Inbox/b.eml': message('b') });
    const size = Buffer.alloc(4);
    size.writeUInt32LE(5000);
    const smaller = Buffer.alloc(4);
    smaller.writeUInt32LE(100);
    await patch(path, size, smaller);
    expect(await folders(path)).toEqual([expect.stringMatching(/^it cannot be unpacked: .*too many bytes/), 'Inbox (inbox)']);
  });

  test('reports messages that are too large as problems, without unpacking them', async () => {
    const path = await zipOf({ 'Inbox/bomb.eml': Buffer.alloc(30_000_000), 'Inbox/b.eml': message('b') });
    expect((await readFile(path)).length).toBeLessThan(100_000);
    expect(await read(path)).toEqual([
      { problem: 'the message has 30000000 octets; the account takes messages of at most 1000000' },
      expect.objectContaining({ text: message('b') }),
    ]);
  });

  test('whose entries share octets is refused, because it could unpack to any size', async () => {
    const path = await zipOf({ 'Inbox/a.eml': message('a').padEnd(200_000, 'lorem ipsum dolor sit amet ') });
    const content = await readFile(path);
    const [directory, end] = [content.indexOf('PK\u0001\u0002'), content.indexOf('PK\u0005\u0006')];
    const entry = content.subarray(directory, end);
    const trailer = Buffer.from(content.subarray(end));
    for (const offset of [8, 10]) trailer.writeUInt16LE(1000, offset);
    trailer.writeUInt32LE(1000 * entry.length, 12);
    await writeFile(path, Buffer.concat([content.subarray(0, directory), ...Array.from({ length: 1000 }, () => entry), trailer]));
    await expect(zipFileSource(path, 'mboxrd')).rejects.toThrow('its entries overlap');
  });

  test('with an mbox whose header does not end reports a problem for it, and has its other messages', async () => {
    const endless = `From a Sat Nov 21 08:38:00 2026\n${'X'.repeat(20_000_000)}`;
    const path = await zipOf({ 'Mail/a.mbox': endless, 'Mail/b.mbox': `From a Sat Nov 21 08:38:00 2026\n${message('b')}\n` });
    expect((await readFile(path)).length).toBeLessThan(50_000);
    expect(await folders(path)).toEqual([expect.stringContaining('the message has 20000000 octets'), 'b']);
  });

  test('that is truncated, empty or not a zip is refused', async () => {
    const path = await zipOf({ 'Inbox/a.eml': message('a') });
    await truncate(path, (await readFile(path)).length - 10);
    await expect(zipFileSource(path, 'mboxrd')).rejects.toMatchObject({ exitCode: 1, message: expect.stringContaining('cannot be read as a zip file') });
    await truncate(path, 0);
    await expect(zipFileSource(path, 'mboxrd')).rejects.toThrow('cannot be read as a zip file');
    expect(await read(await zipOf({}))).toEqual([]);
  });
});
