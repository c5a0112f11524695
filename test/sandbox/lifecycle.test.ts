import { existsSync } from 'node:fs';
import { chmod, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { inboxSubjects } from '../../sandbox/clients/jmap-client.ts';
import { freeBasePort, lastOffset } from '../../sandbox/process/ports.ts';
import type { SandboxDescription } from '../../sandbox/state/sandbox-description.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { commandLine, commandLineInShell, jmapPortOf, leftOver, occupy, portsAreFree, ran } from './sandbox-runs.ts';

const at = temporaryDirectory();
let basePort: number;
let options: string[];

beforeEach(async () => {
  basePort = await freeBasePort(6100);
  options = ['--port', String(basePort), '--state', at('first')];
});

describe('npm start fails with a message for the user', () => {
  test('when a port is taken', async () => {
    const other = await occupy(jmapPortOf(basePort));
    const { code, said } = await ran(['start', ...options]);
    await other.close();
    expect(code).toBe(1);
    expect(said).toContain(`taken by another program: ${jmapPortOf(basePort)} (JMAP API)`);
    expect(said).toContain('--port');
    expect(said).not.toMatch(/^\s+at /m);
  });

  test('when there is no Python', async () => {
    const { code, said } = await ran(['start', ...options], { PATH: at('nothing'), POSTRIDER_VENV: at('venv') });
    expect(code).toBe(1);
    expect(said).toMatch(/needs Python 3\.10 or newer/);
    expect(said).toContain('apt-get install python3');
    expect(said).not.toMatch(/^\s+at /m);
    expect(await leftOver(at())).toEqual([]);
    expect(existsSync(at('first/supervisor.json'))).toBe(false);
  });

  test('when Python lacks the venv module', async () => {
    await writeFile(at('python3'), '#!/bin/sh\nif [ "$1" = -c ]; then echo /usr/bin/python3; echo 3.12; else echo "No module named venv" >&2; exit 1; fi\n');
    await chmod(at('python3'), 0o755);
    // The probe script's output must name this program.
    await writeFile(at('python3'), (await readFile(at('python3'), 'utf8')).replace('/usr/bin/python3', at('python3')));
    const { code, said } = await ran(['start', ...options], { PATH: `${at()}:/bin:/usr/bin`, POSTRIDER_VENV: at('venv') });
    expect(code).toBe(1);
    expect(said).toContain('python3.12-venv');
  });

  test('when an option is unknown', async () => {
    const { code, said } = await ran(['start', '--prot', '5000']);
    expect(code).toBe(2);
    expect(said).toContain("'--prot'");
    expect(said).toContain('--port N');
  });
});

describe('commands without a running sandbox', () => {
  test.each([
    ['token', 'alice@example.test'],
    ['send', '--from', 'x@elsewfirst.test', '--to', 'alice@example.test', '--subject', 'Hi'],
  ])('%s says that no sandbox runs and how to start one', async (...args) => {
    const { code, said } = await ran([...args, '--state', at('first')]);
    expect(code).toBe(1);
    expect(said).toContain('No sandbox runs with');
    expect(said).toContain('npm start');
  });

  test('status reports that it is stopped, stop and reset succeed', async () => {
    expect(await ran(['status', '--json', '--state', at('first')])).toMatchObject({ code: 1, said: '{"state":"stopped"}\n' });
    expect((await ran(['stop', '--state', at('first')])).code).toBe(0);
    expect((await ran(['reset', '--state', at('first')])).code).toBe(0);
  });

  test.each(['start', 'status', 'stop', 'reset', 'logs', 'debug', 'token', 'send'])('%s --help describes its options', async (command) => {
    const { code, said } = await ran([command, '--help']);
    expect(code).toBe(0);
    expect(said).toContain('--state DIR');
    if (command === 'start') expect(said).toContain(`ports N to N+${lastOffset} of`);
  });
});

describe('an interrupted start', () => {
  test('Ctrl-C during the deployment leaves no process behind', async () => {
    const start = commandLine(['start', ...options]);
    await start.prints('mail out');
    start.child.kill('SIGINT');
    expect(await start.exitCode).toBe(130);
    expect(start.said()).toContain('Nothing is left running');
    expect(await leftOver(at())).toEqual([]);
    expect(await portsAreFree(basePort)).toBe(true);
    expect(existsSync(at('first/supervisor.json'))).toBe(false);
  });

  test('its child processes end when it is killed', async () => {
    const start = commandLine(['start', ...options]);
    await start.prints('· CDK synth');
    start.child.kill('SIGKILL');
    await start.exitCode;
    expect(await leftOver(at())).toEqual([]);
    expect(await portsAreFree(basePort)).toBe(true);
  });

  test('it ends when npm is killed, which signals only the shell in between', async () => {
    const start = commandLineInShell(['start', ...options]);
    await start.prints('· CDK synth');
    start.child.kill('SIGTERM');
    expect(await leftOver(at())).toEqual([]);
    expect(await portsAreFree(basePort)).toBe(true);
  });

  test('Ctrl-C during a detached start ends the sandbox', async () => {
    const start = commandLine(['start', '--detach', ...options]);
    await start.prints('· CDK synth');
    start.child.kill('SIGINT');
    expect(await start.exitCode).toBe(130);
    expect(await leftOver(at())).toEqual([]);
  });
});

/** The files of the emulator and of the mail network, and the logs, that other users than their owner can read. */
const readableByOthers = async (state: string): Promise<string[]> => {
  const entries = await readdir(state, { recursive: true, withFileTypes: true });
  const found = await Promise.all(
    entries
      .filter((entry) => !entry.isSymbolicLink())
      .map(async (entry) => {
        const path = join(entry.parentPath, entry.name);
        return ((await stat(path)).mode & 0o077) === 0 ? [] : [path.slice(state.length)];
      }),
  );
  return found.flat().filter((path) => /^\/(emulator|mail)\b|\.json$|\.pem$|\.log$/.test(path) && !path.startsWith('/cdk.out'));
};

describe('a sandbox', () => {
  const descriptionOf = async (): Promise<SandboxDescription> => JSON.parse(await readFile(at('first/sandbox.json'), 'utf8')) as SandboxDescription;
  const tokenOfAlice = async (): Promise<string> => (await ran(['token', 'alice@example.test', '--state', at('first')])).said.trim();
  const send = (to: string, subject: string) => ran(['send', '--from', 'x@elsewfirst.test', '--to', to, '--subject', subject, '--state', at('first')]);
  const arrival = async (jmapUrl: string, subject: string): Promise<void> => {
    const token = await tokenOfAlice();
    while (!(await inboxSubjects(jmapUrl, token)).includes(subject)) await delay(100);
  };

  test('starts once, and keeps its state after stop and start', async () => {
    try {
      const start = await ran(['start', '--detach', ...options]);
      expect(start.code === 0 ? 0 : start.said).toBe(0);
      expect(start.said).toContain('The first start takes');
      expect((await stat(at('first/sandbox.json'))).mode & 0o777).toBe(0o600);
      const first = await descriptionOf();
      expect(first.users.map(({ email }) => email)).toEqual(['admin@example.test', 'alice@example.test', 'bob@example.test']);
      expect(new Set(first.users.map(({ password }) => password)).size).toBe(3);
      expect(await ran(['start', '--detach', ...options])).toMatchObject({ code: 1, said: expect.stringContaining('already') });
      expect(await tokenOfAlice()).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);

      expect(await send('alice@example.test', 'Kept')).toEqual({ code: 0, said: 'accepted  alice@example.test\n' });
      expect(await send('nobody@nowfirst.test', 'Lost')).toMatchObject({ code: 1, said: expect.stringContaining('refused   nobody@nowfirst.test: 550') });
      await arrival(first.jmapUrl, 'Kept');

      expect((await ran(['stop', '--state', at('first')])).said).toContain('Stopped');
      expect(await readableByOthers(at('first'))).toEqual([]);
      const again = await ran(['start', '--detach', ...options]);
      expect(again).toMatchObject({
        code: 0,
        said: expect.stringMatching(/The last start took \d+ s[^]*CDK bootstrap \(already done\)[^]*CDK deploy \(unchanged\)[^]*\(mail of an earlier start\)/),
      });
      expect((await descriptionOf()).users).toEqual(first.users);
      await arrival(first.jmapUrl, 'Kept');
    } finally {
      await ran(['stop', '--state', at('first')]);
    }
    expect(await leftOver(at())).toEqual([]);
  });
});
