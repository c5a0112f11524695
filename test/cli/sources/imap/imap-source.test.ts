import { readFile } from 'node:fs/promises';
import { parseImapUrl } from '../../../../cli/sources/imap/imap-connection.ts';
import { imapServer, type ImapAccount, type ImapMessage } from '../../../support/imap-server.ts';
import { openMailTerminal, type MailTerminal } from '../../mail-terminal.ts';

let terminal: MailTerminal;
let server: Awaited<ReturnType<typeof imapServer>> | undefined;
beforeEach(async () => {
  terminal = await openMailTerminal();
});
afterEach(async () => {
  server?.close();
  await terminal.close();
});

const message = (name: string, uid: number, more: Partial<ImapMessage> = {}): ImapMessage => ({
  uid,
  raw: Buffer.from(`Subject: ${name}\r\nMessage-ID: <${name}@example.net>\r\n\r\n`),
  ...more,
});
const serve = async (account: ImapAccount, options = {}) => {
  server = await imapServer(account, options);
  return server;
};
const run = (...args: string[]) => terminal.run('import', server!.url('ada%40example.net'), ...args);
const filed = async () => {
  const paths = await terminal.mailboxPaths();
  return (await terminal.emails())
    .map(({ subject, mailboxIds, keywords, receivedAt }) =>
      [
        subject,
        Object.keys(mailboxIds as object)
          .map((id) => paths.get(id) ?? '')
          .sort()
          .join(', '),
        (keywords as string[]).join(' '),
        receivedAt,
      ].join(' | '),
    )
    .sort();
};
const commands = (name: string) => server!.log.filter((line) => line.startsWith(name));

const account: ImapAccount = {
  folders: [
    {
      name: 'INBOX',
      messages: [message('a', 3, { flags: ['\\Seen', '$Label1'], date: '01-Feb-2020 23:30:00 -0500' }), message('b', 9, { flags: ['\\Deleted'] })],
    },
    { name: 'Gesendete', attributes: ['\\Sent'], messages: [message('c', 1, { flags: ['\\Answered', '\\Flagged'] })] },
    { name: 'Entw&APw-rfe', attributes: ['\\Drafts'], messages: [message('d', 1, { flags: ['\\Draft'] })] },
    { name: 'Work', attributes: ['\\Noselect'], messages: [] },
    { name: 'Work/Gr&APw-n', messages: [message('e', 1)] },
    { name: 'Sp&AOE-m', attributes: ['\\Junk'], messages: [] },
  ],
};

describe('postrider import from an IMAP server', () => {
  test('keeps folders, special uses, flags, keywords and dates, and changes nothing on the server', async () => {
    await serve(account);
    terminal.environment['POSTRIDER_IMAP_PASSWORD'] = 'secret';
    expect(await run()).toMatchObject({ code: 0, err: '', out: expect.stringContaining('5 imported') });
    expect(await filed()).toEqual([
      'a | Inbox | $label1 $seen | 2020-02-02T04:30:00Z',
      'b | Trash |  | 2026-11-21T08:38:00Z',
      'c | Sent | $answered $flagged | 2026-11-21T08:38:00Z',
      'd | Drafts | $draft | 2026-11-21T08:38:00Z',
      'e | Work/Grün |  | 2026-11-21T08:38:00Z',
    ]);
    expect(commands('SELECT')).toEqual([]);
    expect(server!.log.filter((line) => /STORE|EXPUNGE|BODY\[/.test(line))).toEqual([]);
  });

  test('from another server of the same host reads its messages, though they have the same folder and UIDs', async () => {
    const first = await serve(account);
    await run();
    await serve({ ...account, folders: [{ name: 'INBOX', messages: [message('other', 1)] }] });
    expect(await run()).toMatchObject({ code: 0, out: expect.stringContaining('1 imported, 0 there already') });
    first.close();
  });

  test('again downloads only what is new', async () => {
    await serve(account);
    await run();
    server!.log.length = 0;
    const inbox = account.folders[0]!;
    (inbox.messages as ImapMessage[]).push(message('new', 12));
    expect(await run()).toMatchObject({ code: 0, out: expect.stringContaining('1 imported, 5 there already') });
    (inbox.messages as ImapMessage[]).pop();
    expect(commands('UID FETCH').filter((line) => line.includes('BODY.PEEK'))).toEqual([expect.stringMatching(/^UID FETCH 12 /)]);
  });

  test('of Gmail reads all mail once, and adds it to the mailboxes of its labels', async () => {
    await serve({
      capabilities: ['X-GM-EXT-1'],
      folders: [
        { name: 'INBOX', messages: [message('a', 1)] },
        { name: '[Gmail]', attributes: ['\\Noselect'], messages: [] },
        {
          name: '[Gmail]/Alle Nachrichten',
          attributes: ['\\All'],
          messages: [
            message('a', 1, { labels: ['\\Inbox', '\\Important', 'Work/Gr&APw-n'] }),
            message('b', 2, { labels: ['\\Sent'], flags: ['\\Seen'] }),
            message('c', 3),
          ],
        },
        { name: '[Gmail]/Papierkorb', attributes: ['\\Trash'], messages: [message('d', 1)] },
        { name: '[Gmail]/Spam', attributes: ['\\Junk'], messages: [message('e', 1)] },
        { name: '[Gmail]/Gesendet', attributes: ['\\Sent'], messages: [message('b', 1)] },
        { name: 'Work/Gr&APw-n', messages: [message('a', 1)] },
      ],
    });
    expect(await run()).toMatchObject({ code: 0, out: expect.stringContaining('5 messages') });
    expect((await filed()).map((text) => text.replace(/ \| [^|]*$/, ''))).toEqual([
      'a | Inbox, Work/Grün | $important',
      'b | Sent | $seen',
      'c | Archive | ',
      'd | Trash | ',
      'e | Junk | ',
    ]);
  });

  test('of one folder treats the inbox as the namespace when all folders are below it', async () => {
    await serve({
      delimiter: '.',
      folders: [
        { name: 'INBOX', messages: [] },
        { name: 'INBOX.Sent', messages: [message('a', 1)] },
        { name: 'INBOX.Work', messages: [message('b', 1)] },
      ],
    });
    expect(await terminal.run('import', `${server!.url('ada')}/INBOX.Work`)).toMatchObject({ code: 0, out: expect.stringContaining('1 messages') });
    expect(await run()).toMatchObject({ code: 0, out: expect.stringContaining('1 imported') });
    expect((await filed()).map((text) => text.split(' | ').slice(0, 2).join(': '))).toEqual(['a: Sent', 'b: Work']);
  });

  test('continues after lost connections, and adds no message twice', async () => {
    const messages = Array.from({ length: 150 }, (_, index) => message(`m${index}`, index * 2 + 1));
    await serve({ folders: [{ name: 'INBOX', messages }] });
    server!.cutAfter(20_000);
    expect(await run()).toMatchObject({ code: 0, out: expect.stringContaining('150 messages') });
    expect(await filed()).toHaveLength(150);
    expect(commands('LOGIN').length + commands('AUTHENTICATE').length).toBeGreaterThan(1);
  });

  test.each([
    ['refuses', { of: 'content', by: 'NO' }, 'the server cannot give this message: Internal error occurred.', 0],
    ['refuses even to describe', { of: 'anything', by: 'NO' }, 'the server cannot give this message: Internal error occurred.', 0],
    ['ends the connection for', { of: 'content', by: 'BYE' }, 'the server ends the connection when it is asked for this message', 20_000],
  ] as const)('reports a message that the server %s, reads all others, and ends in the same way again', async (_, fault, reason, longest) => {
    const messages = [1, 2, 3, 4, 5, 6].map((uid) => message(`m${uid}`, uid, uid === 3 ? { fault } : {}));
    await serve({
      folders: [
        { name: 'INBOX', messages },
        { name: 'Work', messages: [message('w', 1)] },
      ],
    });
    const report = terminal.path('report.tsv');
    for (const counts of [': 6 imported, 0 there already, 1 failed', ': 0 imported, 6 there already, 1 failed']) {
      terminal.pauses.length = 0;
      expect(await run('--report', report)).toMatchObject({ code: 4, out: expect.stringContaining(counts) });
      expect(await readFile(report, 'utf8')).toBe(`INBOX: UID 3\t${reason}\n`);
      expect(terminal.pauses.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(longest);
    }
    expect((await filed()).map((text) => text.split(' ')[0])).toEqual(['m1', 'm2', 'm4', 'm5', 'm6', 'w']);
  });

  test('imports what was read before the connection is lost for good', async () => {
    const messages = Array.from({ length: 30 }, (_, index) =>
      message(`m${index}`, index + 1, { raw: Buffer.from(`Subject: m${index}\r\n\r\n${'x'.repeat(500_000)}`) }),
    );
    await serve({ folders: [{ name: 'INBOX', messages }] });
    server!.closeAfter(13_000_000);
    expect(await run()).toMatchObject({ code: 1, err: expect.stringContaining('the connection to 127.0.0.1 is lost') });
    expect((await filed()).length).toBeGreaterThanOrEqual(16);
  });

  test('reports a folder that the server refuses to open, and reads the others', async () => {
    await serve({
      folders: [
        { name: 'Broken', isRefused: true, messages: [message('a', 1)] },
        { name: 'Work', messages: [message('b', 1)] },
      ],
    });
    const report = terminal.path('report.tsv');
    expect(await run('--report', report)).toMatchObject({ code: 4, out: expect.stringContaining(': 1 imported, 0 there already, 1 failed') });
    expect(await readFile(report, 'utf8')).toBe('Broken\tthe folder cannot be read any further: no such mailbox\n');
  });

  test('says with --dry-run what an import would report, and adds nothing', async () => {
    await serve({
      folders: [
        {
          name: 'INBOX',
          messages: [
            message('a', 1),
            message('b', 2, { raw: Buffer.alloc(0) }),
            message('c', 3, { raw: Buffer.from('no message\r\n') }),
            message('d', 4, { fault: { of: 'content', by: 'NO' } }),
          ],
        },
      ],
    });
    const report = terminal.path('report.tsv');
    expect(await run('--dry-run', '--report', report)).toMatchObject({
      code: 4,
      out: expect.stringMatching(/INBOX: 1 messages.*\n4 messages .*: 0 there already, 3 that cannot be imported/) as string,
    });
    const foretold = await readFile(report, 'utf8');
    expect(await filed()).toEqual([]);
    expect(await run('--report', report)).toMatchObject({ code: 4, out: expect.stringContaining('1 imported, 0 there already, 3 failed') });
    expect(await readFile(report, 'utf8')).toBe(foretold);
  });

  test('signs in with an OAuth token, and reports a refused sign-in', async () => {
    await serve(account, { password: 'auth=Bearer good' });
    terminal.environment['POSTRIDER_IMAP_TOKEN'] = 'good';
    expect(await run('--dry-run')).toMatchObject({ code: 0 });
    terminal.environment['POSTRIDER_IMAP_TOKEN'] = 'bad';
    expect(await run()).toMatchObject({ code: 3, err: expect.stringContaining('refused the sign-in of ada@example.net') });
  });

  test('reports a server that cannot be reached, and a folder that does not exist', async () => {
    await serve(account);
    expect(await terminal.run('import', `${server!.url('ada')}/Nowhere`)).toMatchObject({ code: 2, err: expect.stringContaining('no folder Nowhere') });
    const url = server!.url('ada');
    server!.close();
    expect(await terminal.run('import', url)).toMatchObject({ code: 1, err: expect.stringContaining('cannot be reached') });
  });
});

describe('the URL of an IMAP server', () => {
  test.each([
    ['imaps://ada@imap.example.com', { host: 'imap.example.com', port: 993, secure: true, user: 'ada', folder: '' }],
    [
      'imaps://ada%40example.com@imap.example.com:1993/Sent%20Items',
      { host: 'imap.example.com', port: 1993, secure: true, user: 'ada@example.com', folder: 'Sent Items' },
    ],
    ['imaps://ada@example.com@imap.example.com/100%', { host: 'imap.example.com', port: 993, secure: true, user: 'ada@example.com', folder: '100%' }],
  ])('%s', (url, parsed) => {
    expect(parseImapUrl(url)).toEqual(parsed);
  });
});
