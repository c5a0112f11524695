import { execFileSync } from 'node:child_process';
import { shellWord } from '../../../contract/values/shell-word.ts';
import { openPeopleTerminal, type PeopleTerminal } from './people/people-terminal.ts';

let terminal: PeopleTerminal;
beforeEach(async () => {
  terminal = await openPeopleTerminal();
});
afterEach(() => terminal.close());

/** The words that a shell makes of a text. */
const wordsInShell = (text: string): string[] =>
  execFileSync('sh', ['-c', `printf '%s\\0' ${text}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);

/** A valid address that a shell would take apart, and whose parts it would run. */
const address = "o'n`id`&$x|y*#~@firm.example";

describe('a command to copy has the address as one word of the shell', () => {
  test.each<[string, RegExp, () => Promise<{ out: string; err: string }>]>([
    ['for an address of somebody who left', /people release (.+)$/m, () => terminal.apply(`email,mail_address\nben@home.example,${address}\n`)],
    ['to release an address that somebody uses', /people release (.+) --yes$/m, () => terminal.run('people', 'release', address)],
    [
      'to give the mailbox of somebody who leaves to another',
      /--account (.+) --user PERSON/,
      () => terminal.run('people', 'leave', 'ann@home.example', '--mail', 'keep'),
    ],
  ])('%s', async (_, command, run) => {
    expect(await terminal.apply(`email,mail_address\nann@home.example,${address}\n`, '--sheet', terminal.sheet)).toMatchObject({ code: 0 });
    const { out, err } = await run();
    expect(wordsInShell(command.exec(`${out}${err}`)?.[1] ?? '')).toEqual([address]);
  });

  test.each([address, '', 'a b', '$(id)', '"; id', '\\', '-n', 'plain@firm.example', '!x', 'ä@firm.example', 'a\nb'])('%j', (text) => {
    expect(wordsInShell(shellWord(text))).toEqual([text]);
  });

  test('and an address without special characters as it is', () => {
    expect(shellWord('ben+x@firm.example')).toBe('ben+x@firm.example');
  });
});
