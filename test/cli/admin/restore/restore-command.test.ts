import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { readRestoreArguments } from '../../../../cli/admin/restore/restore-command.ts';
import type { RestoreReport } from '../../../../cli/admin/restore/restore-deployment.ts';
import { reportText } from '../../../../cli/admin/restore/restore-report.ts';
import { runCommandLine } from '../../../../cli/admin/run-command-line.ts';
import { openTerminal } from '../../test-terminal.ts';

const now = Date.parse('2026-11-26T09:00:00Z');

describe('postrider-admin restore', () => {
  test('refuses a report that is a link, before it calls AWS', async () => {
    const terminal = await openTerminal();
    const report = join(terminal.home, 'report.json');
    await symlink(join(terminal.home, 'elsewhere'), report);
    expect(await terminal.run('restore', '--to', '2026-11-20T07:55:00Z', '--report', report)).toEqual({
      code: 1,
      out: '',
      err: `${report} is a symbolic link, and is not written: name another file\n`,
    });
    await terminal.close();
  });

  test('takes a time with its zone, and names the report after it', () => {
    expect(readRestoreArguments(['--to', '2026-11-26T08:55:00.700+01:00'], now)).toEqual({
      time: new Date('2026-11-26T07:55:00Z'),
      deployment: 'Postrider',
      isPreparation: false,
      report: 'restore-20261126T075500Z.json',
    });
    expect(readRestoreArguments(['--to', '2026-11-26T07:55Z', '--stack', 'Staging', '--prepare', '--report', 'r.json'], now)).toEqual({
      time: new Date('2026-11-26T07:55:00Z'),
      deployment: 'Staging',
      isPreparation: true,
      report: 'r.json',
    });
  });

  test.each<[string, readonly string[], string]>([
    ['no time', [], 'restore needs --to TIME'],
    ['a time without a zone', ['--to', '2026-11-26T07:55:00'], '--to is a date, a time and a zone'],
    ['a day', ['--to', '2026-11-26'], '--to is a date, a time and a zone'],
    ['a day that does not exist', ['--to', '2026-13-26T07:55:00Z'], '--to is a date, a time and a zone'],
    ['a time to come', ['--to', '2026-11-26T09:00:01Z'], '--to is a time that has passed; it is 2026-11-26T09:00:00.000Z now'],
    ['a stack that no deployment is called', ['--to', '2026-11-26T07:55:00Z', '--stack', 'a/b'], '--stack is the name of a deployment'],
    ['an unknown option', ['--to', '2026-11-26T07:55:00Z', '--force'], 'Unknown option'],
  ])('refuses %s with the exit code 2, before it calls AWS', async (_, args, message) => {
    const messages: string[] = [];
    const code = await runCommandLine(['restore', ...args], {
      environment: {},
      print: () => undefined,
      printMessage: (text) => {
        messages.push(text);
      },
      readInput: async () => '',
      fetch,
      now: () => now,
      openBrowser: () => undefined,
    });
    expect({ code, message: messages.join('\n') }).toEqual({ code: 2, message: expect.stringContaining(message) });
  });

  test('prints what was restored, what is missing and what to do', () => {
    const report: RestoreReport = {
      tables: [{ table: 'mail', source: 'Old', target: 'Postrider-mail-20261126T075500Z' }],
      accounts: 3,
      emails: 1200,
      messages: { readable: 1000, repaired: 199, missing: ['messages/acc_1/lost'], later: Array.from({ length: 7 }, (_, index) => `messages/acc_1/${index}`) },
      programs: ['Aerc client_1'],
      sending: { settled: 2, released: 1 },
      withoutSignIn: ['ann@example.com'],
      withoutUser: [],
      erasures: [],
      seconds: {},
    };
    const lines = reportText(report, 'restore.json', 400).split('\n');
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
      ['mail table', 'Old stays as it is; Postrider-mail-20261126T075500Z is the restored one'],
      ['accounts', '3', 'Mail clients load them again'],
      ['messages', '1,200', '1,000 raw messages were readable, 199 are readable again'],
      ['waiting mail', '1', 'It is sent as it was to be. 2 more had waited, and was sent or canceled since'],
      ['missing messages', '1', expect.stringMatching(/content is not: messages\/acc_1\/lost$/)],
      ['mail since then', '7', expect.stringMatching(/messages\/acc_1\/4 · and 2 more$/)],
      ['mail programs', '1', expect.stringMatching(/register again: Aerc client_1$/)],
      ['no sign-in', '1', expect.stringMatching(/invite them again: ann@example\.com$/)],
      ['no user', '0', 'nothing to do'],
      ['erase again', '0', 'nothing to do'],
      ['all of it', 'The whole lists, and the time of each step: restore.json'],
    ]);
  });
});
