import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { freeBasePort, portsFrom } from '../../sandbox/ports.ts';
import { projectDirectory } from '../../sandbox/state-directory.ts';

/** A run of the sandbox's command line, as `npm start` and `npm run sandbox` make it. */
export type CommandRun = {
  readonly child: ChildProcess;
  /** What it said so far on both streams. */
  said(): string;
  /** Resolves when it has said this. */
  says(words: string | RegExp): Promise<void>;
  readonly exitCode: Promise<number | null>;
};

const follow = (child: ChildProcessByStdio<null, Readable, Readable>): CommandRun => {
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => { said += chunk.toString(); });
  let ended = false;
  const exitCode = new Promise<number | null>((resolve) => {
    child.once('close', (code) => { ended = true; resolve(code); });
  });
  return {
    child,
    said: () => said,
    async says(words) {
      while (typeof words === 'string' ? !said.includes(words) : !words.test(said)) {
        if (ended) throw new Error(`It ended without having said ${String(words)}:\n${said}`);
        await delay(20);
      }
    },
    exitCode,
  };
};

export const commandLine = (args: readonly string[], environment: Record<string, string | undefined> = {}): CommandRun =>
  follow(spawn(process.execPath, ['sandbox/main.ts', ...args], { cwd: projectDirectory, env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] }));

/** A run as npm makes it: in a shell, which is the child. */
export const commandLineInShell = (args: readonly string[]): CommandRun =>
  follow(spawn('sh', ['-c', `"$0" sandbox/main.ts ${args.join(' ')}; exit $?`, process.execPath], {
    cwd: projectDirectory, env: { ...process.env, npm_lifecycle_event: 'start' }, stdio: ['ignore', 'pipe', 'pipe'],
  }));

/** A run that is awaited: its exit code and what it said. */
export const ran = async (args: readonly string[], environment: Record<string, string | undefined> = {}): Promise<{ code: number | null; said: string }> => {
  const run = commandLine(args, environment);
  const code = await run.exitCode;
  return { code, said: run.said() };
};

const contents = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

/** Processes that have this directory in their command line or environment. Linux tells; elsewhere none are found. */
export const processesOf = (directory: string): number[] => {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number)
    .filter((pid) => pid !== process.pid && (contents(`/proc/${pid}/cmdline`).includes(directory) || contents(`/proc/${pid}/environ`).includes(directory)));
};

/** Waits until no process of the directory is left, at most some seconds. @returns those that are. */
export const leftOver = async (directory: string, milliseconds: number): Promise<number[]> => {
  for (const until = Date.now() + milliseconds; Date.now() < until && processesOf(directory).length > 0;) await delay(100);
  return processesOf(directory);
};

/** Whether every port of a sandbox can be listened on. */
export const portsAreFree = async (basePort: number): Promise<boolean> => await freeBasePort(basePort) === basePort;

/** Takes a port until closed. */
export const occupy = async (port: number): Promise<{ close(): Promise<void> }> => {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { close: () => new Promise((resolve) => { server.close(() => resolve()); }) };
};

export const jmapPortOf = (basePort: number): number => portsFrom(basePort).jmap;
