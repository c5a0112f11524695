import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Running child processes. Each has its own process group, so that ending it also ends the processes that it started.
 */
const runningChildren = new Set<ChildProcess>();

/** Starts a child process in its own process group. {@link endAllProcesses} ends it at the latest. */
export const startProcess = (command: string, args: readonly string[], options: SpawnOptions): ChildProcess => {
  const child = spawn(command, args, { ...options, detached: true });
  runningChildren.add(child);
  child.once('close', () => runningChildren.delete(child));
  child.once('error', () => runningChildren.delete(child));
  return child;
};

const signalGroup = (child: ChildProcess, signal: NodeJS.Signals): void => {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // The process group has ended already.
  }
};

/**
 * Ends a child process and all processes that it started: by SIGTERM, and by SIGKILL after `timeout` milliseconds.
 * Resolves when it has ended.
 */
export const endProcess = async (child: ChildProcess, timeout = 8000): Promise<void> => {
  if (child.pid === undefined || !runningChildren.has(child)) return;
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  signalGroup(child, 'SIGTERM');
  const killTimer = new AbortController();
  await Promise.race([closed, delay(timeout, undefined, { signal: killTimer.signal }).catch(() => undefined)]);
  killTimer.abort();
  signalGroup(child, 'SIGKILL');
  await closed;
};

export const endAllProcesses = async (): Promise<void> => {
  await Promise.all([...runningChildren].map((child) => endProcess(child, 3000)));
};

export type Finished = {
  readonly code: number | null;
  /** The lines of both output streams, in order of arrival. */
  readonly lines: readonly string[];
};

export type RunOptions = {
  readonly cwd?: string;
  /** The whole environment of the child; nothing else is inherited. */
  readonly environment: Record<string, string | undefined>;
  /** Ends the child when aborted; the promise is then rejected with the signal's reason. */
  readonly signal?: AbortSignal;
  readonly onLine?: (line: string) => void;
};

const linesOf = (stream: Readable, onLine: (line: string) => void): void => {
  createInterface({ input: stream, crlfDelay: Infinity }).on('line', onLine);
};

/** Runs a command until it exits. Rejects with the system's error (`code` ENOENT) when the command does not exist. */
export const run = (command: string, args: readonly string[], options: RunOptions): Promise<Finished> => {
  options.signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const lines: string[] = [];
    const child = startProcess(command, args, { cwd: options.cwd, env: options.environment, stdio: ['ignore', 'pipe', 'pipe'] });
    const onLine = (line: string): void => {
      lines.push(line);
      options.onLine?.(line);
    };
    linesOf(child.stdout!, onLine);
    linesOf(child.stderr!, onLine);
    const abort = (): void => {
      void endProcess(child, 2000);
    };
    options.signal?.addEventListener('abort', abort, { once: true });
    child.once('error', reject);
    child.once('close', (code) => {
      options.signal?.removeEventListener('abort', abort);
      if (options.signal?.aborted) reject(options.signal.reason instanceof Error ? options.signal.reason : new Error('Interrupted'));
      else resolve({ code, lines });
    });
  });
};
