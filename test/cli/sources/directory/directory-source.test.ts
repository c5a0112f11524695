import { mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { directorySource } from '../../../../cli/sources/directory/directory-source.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { described, readAll } from '../read-options.ts';

const root = temporaryDirectory();

const date = new Date('2026-11-21T08:38:00Z');
const put = async (path: string, content: string): Promise<void> => {
  const file = root(path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content, 'latin1');
  await utimes(file, date, date);
};
const read = async (options = {}) => described(await readAll(await directorySource(root(), 'mboxrd'), options));
const message = (text: string, folder: string, keywords: string[] = []) => ({ text, folders: [folder], keywords, receivedAt: date.toISOString() });

describe('a maildir', () => {
  test('has flags, dates, Dovecot’s keywords and subfolders', async () => {
    await put('cur/1.a.host:2,FRS', 'Subject: a\r\n\r\n');
    await put('cur/2.b.host,S=12:2,DPSab', 'Subject: b\n\n');
    await put('new/3.c.host', 'Subject: c\n\n');
    await put('tmp/4.d.host', 'Subject: incomplete');
    await put('dovecot-keywords', '0 Work\n1 $Junk\n');
    await put('dovecot-uidlist', '3 V1 N1\n');
    await put('.Sent/cur/5.e.host:2,S', 'Subject: e\n\n');
    await put('.Entw&APw-rfe.2026/cur/6.f.host:2,', 'Subject: f\n\n');
    await put('.Trash/maildirfolder', '');
    await mkdir(root('.Trash/cur'));
    expect(await read()).toEqual([
      message('Subject: a\r\n\r\n', 'Inbox (inbox)', ['$flagged', '$answered', '$seen']),
      message('Subject: b\n\n', 'Inbox (inbox)', ['$draft', '$forwarded', '$seen', 'work', '$junk']),
      message('Subject: c\n\n', 'Inbox (inbox)'),
      message('Subject: f\n\n', 'Entwürfe/2026'),
      message('Subject: e\n\n', 'Sent (sent)', ['$seen']),
      { note: 'left out, because mail programs keep no mail there: dovecot-keywords, dovecot-uidlist' },
    ]);
  });

  test('puts messages that are marked for deletion into the trash', async () => {
    await put('cur/1.a.host:2,ST', 'Subject: a\n\n');
    expect(await read()).toEqual([message('Subject: a\n\n', 'Trash (trash)', ['$seen'])]);
  });

  test('may have no subfolders, no messages, or other separators in its names', async () => {
    await mkdir(root('cur'));
    expect(await read()).toEqual([]);
    await put('cur/1.a.host;2,S', 'Subject: a\n\n');
    await put('cur/2.a.host!2,F', '');
    expect(await read()).toEqual([message('Subject: a\n\n', 'Inbox (inbox)', ['$seen']), message('', 'Inbox (inbox)', ['$flagged'])]);
  });

  test('may be one of several maildirs in folders', async () => {
    await put('Inbox/cur/1.a:2,', 'Subject: a\n\n');
    await put('Work/new/2.b', 'Subject: b\n\n');
    await put('Work/Old/cur/3.c:2,', 'Subject: c\n\n');
    expect((await read()).map((item) => 'folders' in item && item.folders)).toEqual([['Inbox (inbox)'], ['Work'], ['Work/Old']]);
  });

  test('reports messages that are too large as problems', async () => {
    await put('cur/1.a:2,', `Subject: a\n\n${'x'.repeat(99)}`);
    await put('cur/2.b:2,', 'Subject: b\n\n');
    expect(await read({ maxMessageSize: 50 })).toEqual([
      { problem: 'the message has 111 octets; the account takes messages of at most 50' },
      message('Subject: b\n\n', 'Inbox (inbox)'),
    ]);
  });
});

describe('a folder', () => {
  const received = 'Received: x; Sat, 21 Nov 2026 08:38:00 +0000\n';

  test('has messages in its folders, with the dates at which they were received', async () => {
    await put('Inbox/a.eml', `${received}Subject: a\n\n`);
    await put('Projects/2026/b', `${received}Subject: b\n\n`);
    await put('c.EML', `${received}Subject: c\n\n`);
    await put('Projects/notes.pdf', '%PDF');
    await put('.git/HEAD', 'ref');
    expect(await read()).toEqual([
      message(`${received}Subject: a\n\n`, 'Inbox (inbox)'),
      message(`${received}Subject: b\n\n`, 'Projects/2026'),
      { problem: 'the file is neither a message nor an mbox' },
      message(`${received}Subject: c\n\n`, 'Inbox (inbox)'),
      { note: 'left out, because mail programs keep no mail there: .git/' },
    ]);
  });

  test('has mboxes: by file name, of Thunderbird, and of Apple Mail', async () => {
    const mbox = `From a Sat Nov 21 08:38:00 2026\nSubject: a\n\n`;
    await put('Archives.mbox', `${mbox}\n`);
    await put('Empty.mbox', '');
    await put('Inbox', `${mbox}\n`);
    await put('Inbox.msf', 'index');
    await put('Inbox.sbd/Work', `${mbox}\n`);
    await put('Old.mbox/mbox', `${mbox}\n`);
    await put('Old.mbox/table_of_contents', 'index');
    expect((await read()).map((item) => 'folders' in item && item.folders)).toEqual([
      ['Archives'.concat(' (archive)')],
      ['Inbox (inbox)'],
      ['Inbox/Work'],
      ['Old'],
      false,
    ]);
  });

  const foldersOf = async () => (await read()).map((item) => (item.folders ? item.folders[0] : Object.values(item)[0]));
  const mbox = `From a Sat Nov 21 08:38:00 2026\nSubject: a\n\n`;

  test('has mboxes with the names of mail software and of its files', async () => {
    for (const name of ['dovecot', 'Courier', 'maildir users', 'subscriptions', 'build.log', 'Invoices.db', 'dovecot.index']) await put(name, mbox);
    await put('maildirsize', '5000000S\n');
    await put('dovecot.index.log', '\u0001\u0002');
    expect(await foldersOf()).toEqual([
      'Courier',
      'Invoices.db',
      'build.log',
      'dovecot',
      'dovecot.index',
      'maildir users',
      'subscriptions',
      'left out, because mail programs keep no mail there: dovecot.index.log, maildirsize',
    ]);
  });

  test('has the subfolders that KMail and Thunderbird keep in folders of their own, and mail in hidden folders', async () => {
    await put('inbox/cur/1.a.host', 'Subject: a\n\n');
    await put('Work/cur/2.a.host', 'Subject: b\n\n');
    await put('.Work.directory/Clients/cur/3.a.host', 'Subject: c\n\n');
    await put('.Work.directory/.Clients.directory/North/cur/4.a.host', 'Subject: d\n\n');
    await put('.Work.directory/.Clients.directory/South', mbox);
    await put('.Work.directory/.Clients.index', '\u0001');
    await put('Lists.sbd/Garden/cur/5.a.host', 'Subject: e\n\n');
    await put('.old/Letters.mbox', mbox);
    expect(new Set(await foldersOf())).toEqual(
      new Set([
        'Lists/Garden',
        'Work',
        'Work/Clients',
        'Work/Clients/North',
        'Work/Clients/South',
        'inbox (inbox)',
        'left out, because mail programs keep no mail there: .Work.directory/.Clients.index',
        'old/Letters',
      ]),
    );
  });

  test('may have mboxes and messages beside its maildir', async () => {
    await put('cur/1.a', 'Subject: a\n\n');
    await put('Archive', mbox);
    await put('letter.eml', 'Subject: b\n\n');
    expect(await foldersOf()).toEqual(['Inbox (inbox)', 'Archive (archive)', 'Inbox (inbox)']);
  });

  test('names links to folders and links that lead nowhere, and reads linked files', async () => {
    await put('Work/a.eml', 'Subject: a\n\n');
    await symlink(root('Work'), root('Linked'));
    await symlink(root('nowhere'), root('Lost'));
    await symlink(root('Work/a.eml'), root('b.eml'));
    expect(await foldersOf()).toEqual(['it is a link to a folder: import that folder itself', 'it cannot be read: ENOENT', 'Work', 'Inbox (inbox)']);
  });

  test('has messages whose first line a program has damaged', async () => {
    const fields = 'From: a@example.net\nSubject: x\n\n';
    const contents = {
      banner: `Mail Headers 2.0\n${fields}`,
      blank: `\r\n${fields}`,
      leftover: ` 22 15:03:38 2008\nX-Key: 5\n${fields}`,
      mark: `\u00EF\u00BB\u00BF${fields}`,
    };
    for (const [name, content] of Object.entries(contents)) await put(name, content);
    await put('notes', 'Shopping\nMilk: two\n');
    expect(await foldersOf()).toEqual([...Object.keys(contents).map(() => 'Inbox (inbox)'), 'the file is neither a message nor an mbox']);
  });

  test('has dates of messages before those of its files', async () => {
    await put('cur/1.a', 'Date: Fri, 20 Nov 2026 10:00:00 +0100\nSubject: a\n\n');
    await put('cur/2.b', 'Received: x; Thu, 19 Nov 2026 10:00:00 +0100\nDate: Fri, 20 Nov 2026 10:00:00 +0100\n\n');
    await put('cur/3.c', 'Subject: c\n\n');
    for (const [name, text] of Object.entries({
      4: 'Mon, 05 Jan 2009 10:00:00 CET',
      5: 'Di, 05 Mai 2009 12:31:00 +0200',
      6: 'fre, 29 maj 2009 10.00.00 +0200 (CEST)',
    })) {
      await put(`cur/${name}.x`, `Date: ${text}\nSubject: x\n\n`);
    }
    expect((await read()).map((item) => 'receivedAt' in item && item.receivedAt)).toEqual([
      '2026-11-20T09:00:00.000Z',
      '2026-11-19T09:00:00.000Z',
      date.toISOString(),
      '2009-01-05T09:00:00.000Z',
      '2009-05-05T10:31:00.000Z',
      '2009-05-29T08:00:00.000Z',
    ]);
  });

  test('keeps octets of file names that are not UTF-8', async () => {
    const path = Buffer.concat([Buffer.from(`${root()}/`), Buffer.from('Gr\xfc\xdfe', 'latin1')]);
    await mkdir(path);
    await writeFile(Buffer.concat([path, Buffer.from('/a.eml')]), `${received}Subject: a\n\n`);
    expect(await read()).toEqual([message(`${received}Subject: a\n\n`, 'Grüße')]);
  });
});
