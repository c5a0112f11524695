import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

/** Child processes of the sandbox. Each leads a process group of its own, so that ending it ends what it started too. */
const living = new Set<ChildProcess>();

/** Starts a child in a process group of its own; {@link endAll} ends it at the latest. */
export const startProcess = (command: string, args: readonly string[], options: SpawnOptions): ChildProcess => {
  const child = spawn(command, args, { ...options, detached: true });
  living.add(child);
  child.once('close', () => living.delete(child));
  child.once('error', () => living.delete(child));
  return child;
};

const signalGroup = (child: ChildProcess, signal: NodeJS.Signals): void => {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // The group is gone: what we wanted.
  }
};

/** Ends the child and all it started: asks first, insists after `patience` milliseconds. Resolves when it has ended. */
export const endProcess = async (child: ChildProcess, patience = 8000): Promise<void> => {
  if (child.pid === undefined || !living.has(child)) return;
  const closed = new Promise<void>((resolve) => { child.once('close', () => resolve()); });
  signalGroup(child, 'SIGTERM');
  const insisting = new AbortController();
  await Promise.race([closed, delay(patience, undefined, { signal: insisting.signal }).catch(() => undefined)]);
  insisting.abort();
  signalGroup(child, 'SIGKILL');
  await closed;
};

export const endAll = async (): Promise<void> => { await Promise.all([...living].map((child) => endProcess(child, 3000))); };

export type Finished = {
  readonly code: number | null;
  /** What it said on both streams, as lines in the order they came. */
  readonly lines: readonly string[];
};

export type RunOptions = {
  readonly cwd?: string;
  /** The whole environment of the child: nothing is inherited unless it is in here. */
  readonly environment: Record<string, string | undefined>;
  /** Ends the child when aborted; the promise is then rejected with the signal's reason. */
  readonly signal?: AbortSignal;
  readonly onLine?: (line: string) => void;
};

const linesOf = (stream: Readable, take: (line: string) => void): void => {
  createInterface({ input: stream, crlfDelay: Infinity }).on('line', take);
};

/** Runs a command to its end. A command that does not exist rejects with the system's error (`code` ENOENT). */
export const run = (command: string, args: readonly string[], options: RunOptions): Promise<Finished> => {
  options.signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const lines: string[] = [];
    const child = startProcess(command, args, { cwd: options.cwd, env: options.environment, stdio: ['ignore', 'pipe', 'pipe'] });
    const take = (line: string): void => { lines.push(line); options.onLine?.(line); };
    linesOf(child.stdout!, take);
    linesOf(child.stderr!, take);
    const abort = (): void => { void endProcess(child, 2000); };
    options.signal?.addEventListener('abort', abort, { once: true });
    child.once('error', reject);
    child.once('close', (code) => {
      options.signal?.removeEventListener('abort', abort);
      if (options.signal?.aborted) reject(options.signal.reason instanceof Error ? options.signal.reason : new Error('Interrupted'));
      else resolve({ code, lines });
    });
  });
};

/** Whether a process with this id exists (and is ours to see). */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};
