import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { freeBasePort, portsFrom } from '../../sandbox/process/ports.ts';
import { projectDirectory } from '../../sandbox/state/state-directory.ts';

/** A running command of the sandbox, as `npm start` and `npm run sandbox` start it. */
type CommandRun = {
  readonly child: ChildProcess;
  /** The output of both streams so far. */
  said(): string;
  /** Waits until the output contains this text. */
  prints(text: string | RegExp): Promise<void>;
  readonly exitCode: Promise<number | null>;
};

const follow = (child: ChildProcessByStdio<null, Readable, Readable>): CommandRun => {
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
  let ended = false;
  const exitCode = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      ended = true;
      resolve(code);
    });
  });
  return {
    child,
    said: () => said,
    async prints(text) {
      while (typeof text === 'string' ? !said.includes(text) : !text.test(said)) {
        if (ended) throw new Error(`It ended and did not print ${String(text)}:\n${said}`);
        await delay(20);
      }
    },
    exitCode,
  };
};

export const commandLine = (args: readonly string[], environment: Record<string, string | undefined> = {}): CommandRun =>
  follow(
    spawn(process.execPath, ['sandbox/main.ts', ...args], {
      cwd: projectDirectory,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );

/** Starts a command like npm: in a shell, which is the child process. */
export const commandLineInShell = (args: readonly string[]): CommandRun =>
  follow(
    spawn('sh', ['-c', `"$0" sandbox/main.ts ${args.join(' ')}; exit $?`, process.execPath], {
      cwd: projectDirectory,
      env: { ...process.env, npm_lifecycle_event: 'start' },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );

/** Runs a command until it ends. */
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

/** Processes with this directory in their command line or environment (Linux only; elsewhere an empty list). */
export const processesOf = (directory: string): number[] => {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && (contents(`/proc/${pid}/cmdline`).includes(directory) || contents(`/proc/${pid}/environ`).includes(directory)));
};

/** Waits at most a minute until no process of the directory remains. @returns the remaining processes. */
export const leftOver = async (directory: string): Promise<number[]> => {
  for (const until = Date.now() + 60_000; Date.now() < until && processesOf(directory).length > 0;) await delay(100);
  return processesOf(directory);
};

/** Whether all ports of a sandbox are free. */
export const portsAreFree = async (basePort: number): Promise<boolean> => (await freeBasePort(basePort)) === basePort;

/** Listens on a port until `close`. */
export const occupy = async (port: number): Promise<{ close(): Promise<void> }> => {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
};

export const jmapPortOf = (basePort: number): number => portsFrom(basePort).jmap;
