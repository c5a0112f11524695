import { execFileSync } from 'node:child_process';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { openMailTerminal, type MailTerminal } from '../mail-terminal.ts';

let terminal: MailTerminal;
beforeEach(async () => {
  terminal = await openMailTerminal();
});
afterEach(() => terminal.close());

const message = (name: string) => `From: a@example.net\nSubject: ${name}\nMessage-ID: <${name}@example.net>\n\nHello\n`;
const mbox = (name: string) => `From a Sat Nov 21 08:38:00 2026\n${message(name)}\n`;
const subjects = async () => (await terminal.emails()).map(({ subject }) => String(subject)).toSorted();
const report = () => readFile(terminal.path('report.tsv'), 'utf8');
const runImport = () => terminal.run('import', terminal.path('mail'), '--report', terminal.path('report.tsv'));

const linkOut = 'it is a link to a place outside of the folder: import that place itself';
const notAFile = 'it is a pipe, a socket or a device, and no file';

describe('an import of a folder', () => {
  test.each([
    ['a message', 'mail/Work/stolen.eml', message('stolen')],
    ['an mbox', 'mail/stolen.mbox', mbox('stolen')],
    ['a message in a maildir', 'mail/cur/2.b:2,', message('stolen')],
    ['flags of an mbox', 'mail/Own.mbox.flags.jsonl', ''],
    ['Dovecot’s keywords', 'mail/dovecot-keywords', '0 Stolen\n'],
    ['a manifest of an export', 'mail/postrider-export.json', '{}'],
    ['a message in a hidden folder with mail', 'mail/.Old.directory/stolen.eml', message('stolen')],
  ])('reads nothing through a link out of it to %s, and names the link', async (_, name, content) => {
    await terminal.put('mail/cur/1.a:2,', message('own'));
    await terminal.put('mail/.Old.directory/old.eml', message('old'));
    const outside = await terminal.put('outside/target', content);
    await mkdir(dirname(terminal.path(name)), { recursive: true });
    await symlink(outside, terminal.path(name));
    expect(await runImport()).toMatchObject({ code: 4 });
    expect(await subjects()).toEqual(['old', 'own']);
    expect((await report()).split('\n')).toContainEqual(expect.stringMatching(new RegExp(`${name.split('/').at(-1)!}\t${linkOut}`)));
  });

  test('reads nothing through a link to a folder in place of cur', async () => {
    await terminal.put('mail/new/1.a', message('own'));
    await terminal.put('outside/2.b:2,', message('stolen'));
    await symlink(terminal.path('outside'), terminal.path('mail/cur'));
    expect(await runImport()).toMatchObject({ code: 4 });
    expect([await subjects(), await report()]).toEqual([['own'], expect.stringContaining(`./cur/2.b:2,\t${linkOut}`)]);
  });

  test('reads a link to a file inside of it, and a folder that the person names by a link', async () => {
    await terminal.put('mail/Work/a.eml', message('a'));
    await terminal.put('mail/cur/1.b:2,', message('b'));
    await symlink('../Work/a.eml', terminal.path('mail/cur/2.a:2,'));
    await symlink(terminal.path('mail'), terminal.path('linked'));
    expect(await terminal.run('import', terminal.path('linked'))).toMatchObject({ code: 0 });
    expect(await subjects()).toEqual(['a', 'b']);
  });

  test.each(['mail/Work/pipe.eml', 'mail/cur/2.pipe:2,', 'mail/Own.mbox.flags.jsonl', 'mail/dovecot-keywords', 'mail/postrider-export.json'])(
    'never opens a pipe, which would not return: %s',
    async (name) => {
      await terminal.put('mail/cur/1.a:2,', message('own'));
      await terminal.put('mail/Own.mbox', mbox('mbox'));
      await mkdir(dirname(terminal.path(name)), { recursive: true });
      execFileSync('mkfifo', [terminal.path(name)]);
      expect(await runImport()).toMatchObject({ code: 4 });
      expect([await subjects(), await report()]).toEqual([['mbox', 'own'], expect.stringContaining(`${name.split('/').at(-1)!}\t${notAFile}`)]);
    },
  );

  test('never opens a socket or a device', async () => {
    await terminal.put('mail/a.eml', message('own'));
    const server = createServer().listen(terminal.path('mail/socket.eml'));
    await new Promise((resolve) => {
      server.once('listening', resolve);
    });
    await symlink('/dev/zero', terminal.path('mail/zero.eml'));
    expect(await runImport()).toMatchObject({ code: 4 });
    server.close();
    expect([await subjects(), await report()]).toEqual([['own'], `socket.eml\t${notAFile}\nzero.eml\t${linkOut}\n`]);
  });
});

describe('an import of a file', () => {
  test('may be named by a link', async () => {
    await terminal.put('outside/Work.mbox', mbox('a'));
    await symlink(terminal.path('outside/Work.mbox'), terminal.path('Linked.mbox'));
    expect(await terminal.run('import', terminal.path('Linked.mbox'))).toMatchObject({ code: 0 });
    expect(await subjects()).toEqual(['a']);
  });

  test('is refused for a pipe and a device', async () => {
    execFileSync('mkfifo', [terminal.path('pipe')]);
    for (const path of [terminal.path('pipe'), '/dev/zero']) {
      expect(await terminal.run('import', path)).toMatchObject({ code: 2, err: expect.stringContaining(`${path} is a pipe, a socket or a device`) });
    }
  });

  test('is refused when the flags beside an mbox are a link out of its folder', async () => {
    const path = await terminal.put('in/Work.mbox', mbox('a'));
    await symlink(await terminal.put('outside/flags', ''), `${path}.flags.jsonl`);
    expect(await terminal.run('import', path)).toMatchObject({ code: 1, err: expect.stringContaining(`${path}.flags.jsonl is not read: it is a link`) });
  });
});
