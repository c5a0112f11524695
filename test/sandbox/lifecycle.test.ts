import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { SandboxDescription } from '../../sandbox/sandbox-description.ts';
import { inboxSubjects } from '../../sandbox/jmap-client.ts';
import { freeBasePort } from '../../sandbox/ports.ts';
import { commandLine, commandLineInShell, jmapPortOf, leftOver, occupy, portsAreFree, ran } from './sandbox-runs.ts';

let directory: string;
let basePort: number;
let options: string[];
const at = (name: string): string => join(directory, name);

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'postrider-lifecycle-'));
  basePort = await freeBasePort(6100);
  options = ['--port', String(basePort), '--state', at('first')];
});
afterEach(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));

describe('a start that cannot succeed says why in words', () => {
  test('a port is taken', async () => {
    const other = await occupy(jmapPortOf(basePort));
    const { code, said } = await ran(['start', ...options]);
    await other.close();
    expect(code).toBe(1);
    expect(said).toContain(`taken by another program: ${jmapPortOf(basePort)} (JMAP API)`);
    expect(said).toContain('--port');
    expect(said).not.toMatch(/^\s+at /m);
  }, 20_000);

  test('there is no Python', async () => {
    const { code, said } = await ran(['start', ...options], { PATH: at('nothing'), POSTRIDER_VENV: at('venv') });
    expect(code).toBe(1);
    expect(said).toMatch(/needs Python 3\.10 or newer/);
    expect(said).toContain('apt-get install python3');
    expect(said).not.toMatch(/^\s+at /m);
    expect(await leftOver(directory, 2000)).toEqual([]);
    expect(existsSync(at('first/supervisor.json'))).toBe(false);
  }, 20_000);

  test('Python has no venv module', async () => {
    await writeFile(at('python3'), '#!/bin/sh\nif [ "$1" = -c ]; then echo /usr/bin/python3; echo 3.12; else echo "No module named venv" >&2; exit 1; fi\n');
    await chmod(at('python3'), 0o755);
    // The program that was found is asked by its own name; here it is the script's.
    await writeFile(at('python3'), (await readFile(at('python3'), 'utf8')).replace('/usr/bin/python3', at('python3')));
    const { code, said } = await ran(['start', ...options], { PATH: `${directory}:/bin:/usr/bin`, POSTRIDER_VENV: at('venv') });
    expect(code).toBe(1);
    expect(said).toContain('python3.12-venv');
  }, 20_000);

  test('an option is unknown', async () => {
    const { code, said } = await ran(['start', '--prot', '5000']);
    expect(code).toBe(2);
    expect(said).toContain("'--prot'");
    expect(said).toContain('--port N');
  });
});

describe('commands without a sandbox', () => {
  test.each([['token', 'alice@example.test'], ['send', '--from', 'x@elsewhere.test', '--to', 'alice@example.test', '--subject', 'Hi']])('%s says that none runs and how to start one', async (...args) => {
    const { code, said } = await ran([...args, '--state', at('first')]);
    expect(code).toBe(1);
    expect(said).toContain('No sandbox runs from');
    expect(said).toContain('npm start');
  });

  test('status, stop and reset are content with that', async () => {
    expect(await ran(['status', '--json', '--state', at('first')])).toMatchObject({ code: 1, said: '{"state":"stopped"}\n' });
    expect((await ran(['stop', '--state', at('first')])).code).toBe(0);
    expect((await ran(['reset', '--state', at('first')])).code).toBe(0);
  });

  test.each(['start', 'status', 'stop', 'reset', 'logs', 'token', 'send'])('%s --help explains it', async (command) => {
    const { code, said } = await ran([command, '--help']);
    expect(code).toBe(0);
    expect(said).toContain('--state DIR');
  });
});

describe('a start that is broken off', () => {
  test('Ctrl-C in the middle of the deployment leaves nothing behind', async () => {
    const start = commandLine(['start', ...options]);
    await start.says('mail out');
    start.child.kill('SIGINT');
    expect(await start.exitCode).toBe(130);
    expect(start.said()).toContain('Nothing is left running');
    expect(await leftOver(directory, 1000)).toEqual([]);
    expect(await portsAreFree(basePort)).toBe(true);
    expect(existsSync(at('first/supervisor.json'))).toBe(false);
  }, 120_000);

  test('its children notice when it is killed', async () => {
    const start = commandLine(['start', ...options]);
    await start.says('· CDK synth');
    start.child.kill('SIGKILL');
    await start.exitCode;
    expect(await leftOver(directory, 40_000)).toEqual([]);
    expect(await portsAreFree(basePort)).toBe(true);
  }, 120_000);

  test('a kill of npm, which reaches only the shell between, ends it', async () => {
    const start = commandLineInShell(['start', ...options]);
    await start.says('· CDK synth');
    start.child.kill('SIGTERM');
    expect(await leftOver(directory, 40_000)).toEqual([]);
    expect(await portsAreFree(basePort)).toBe(true);
  }, 120_000);

  test('Ctrl-C while a detached start is awaited ends the start too', async () => {
    const start = commandLine(['start', '--detach', ...options]);
    await start.says('· CDK synth');
    start.child.kill('SIGINT');
    expect(await start.exitCode).toBe(130);
    expect(await leftOver(directory, 5000)).toEqual([]);
  }, 120_000);
});

describe('two sandboxes side by side', () => {
  const descriptionOf = async (name: string): Promise<SandboxDescription> => JSON.parse(await readFile(join(at(name), 'sandbox.json'), 'utf8')) as SandboxDescription;
  const tokenOfAlice = async (): Promise<string> => (await ran(['token', 'alice@example.test', '--state', at('first')])).said.trim();
  const send = (to: string, subject: string) => ran(['send', '--from', 'x@elsewhere.test', '--to', to, '--subject', subject, '--state', at('first')]);
  const arrival = async (jmapUrl: string, subject: string): Promise<void> => {
    const token = await tokenOfAlice();
    while (!(await inboxSubjects(jmapUrl, token)).includes(subject)) await delay(100);
  };

  test('know nothing of each other, and what one stored is there after stop and start', async () => {
    const second = ['--port', String(await freeBasePort(basePort + 20)), '--state', at('second')];
    try {
      const starts = await Promise.all([ran(['start', '--detach', ...options]), ran(['start', '--detach', ...second])]);
      expect(starts.map(({ code, said }) => (code === 0 ? 0 : said))).toEqual([0, 0]);
      expect((await stat(join(at('first'), 'sandbox.json'))).mode & 0o777).toBe(0o600);
      const [here, there] = [await descriptionOf('first'), await descriptionOf('second')];
      expect(here.users.map(({ email }) => email)).toEqual(['admin@example.test', 'alice@example.test', 'bob@example.test']);
      expect(here.users[1]!.password).not.toBe(there.users[1]!.password);
      expect(await ran(['start', '--detach', ...options])).toMatchObject({ code: 1, said: expect.stringContaining('already') });

      const token = await tokenOfAlice();
      expect(token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
      expect((await fetch(`${there.jmapUrl}/.well-known/jmap`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(401);

      expect(await send('alice@example.test', 'Kept')).toEqual({ code: 0, said: 'accepted  alice@example.test\n' });
      expect(await send('nobody@nowhere.test', 'Lost')).toMatchObject({ code: 1, said: expect.stringContaining('refused   nobody@nowhere.test: 550') });
      await arrival(here.jmapUrl, 'Kept');

      expect((await ran(['stop', '--state', at('first')])).said).toContain('Stopped');
      const again = await ran(['start', '--detach', ...options]);
      expect(again).toMatchObject({ code: 0, said: expect.stringMatching(/CDK bootstrap \(done before\)[^]*CDK deploy \(unchanged\)[^]*\(kept from before\)/) });
      expect((await descriptionOf('first')).users).toEqual(here.users);
      await arrival(here.jmapUrl, 'Kept');
    } finally {
      await Promise.all([ran(['stop', '--state', at('first')]), ran(['stop', '--state', at('second')])]);
    }
    expect(await leftOver(directory, 3000)).toEqual([]);
  }, 300_000);
});
