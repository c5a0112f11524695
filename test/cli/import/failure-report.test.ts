import { chmod, link, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { openMailTerminal, type MailTerminal } from '../mail-terminal.ts';

let terminal: MailTerminal;
let report: string;
beforeEach(async () => {
  terminal = await openMailTerminal();
  report = terminal.path('report.tsv');
  await mkdir(terminal.path('mail'));
});
afterEach(() => terminal.close());

/** Imports a folder with one file of this name, which is no message. */
const importUnreadable = async (name: string) => {
  await writeFile(terminal.path('mail', name), '%PDF');
  return terminal.run('import', terminal.path('mail'), '--report', report);
};

describe('the report of an import', () => {
  test('is made anew, and only its owner can read it', async () => {
    await writeFile(report, 'earlier\n');
    await chmod(report, 0o666);
    await link(report, terminal.path('seen.tsv'));
    expect(await importUnreadable('a.pdf')).toMatchObject({ code: 4 });
    expect([(await stat(report)).mode & 0o777, await readFile(terminal.path('seen.tsv'), 'utf8')]).toEqual([0o600, 'earlier\n']);
  });

  test('is refused where a link or a device is, before anything is imported', async () => {
    await symlink(terminal.path('elsewhere'), report);
    await writeFile(terminal.path('mail/a.eml'), 'Subject: a\n\n');
    for (const [name, what] of [
      [report, 'a symbolic link'],
      ['/dev/null', 'no file'],
    ] as const) {
      expect(await terminal.run('import', terminal.path('mail'), '--report', name)).toMatchObject({
        code: 1,
        err: `${name} is ${what}, and is not written: name another file\n`,
      });
    }
    expect(await terminal.emails()).toEqual([]);
  });

  test.each(['=1+1', '+1', '-1', '@SUM(1)', '\t=1', '\r=1', ' =1', '＝1+1'])('has no formula for a spreadsheet in the place %j', async (name) => {
    expect(await importUnreadable(`${name}.pdf`)).toMatchObject({ code: 4 });
    expect(await readFile(report, 'utf8')).toMatch(/^'[^\t\n]*1[^\t\n]*\.pdf\tthe file is neither a message nor an mbox\n$/);
  });
});
