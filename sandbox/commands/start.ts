import { spawn, type ChildProcess } from 'node:child_process';
import { createWriteStream, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { numberFrom, readOptions, stateFrom, stateOption, type Command } from '../command-line.ts';
import { defaultBasePort } from '../ports.ts';
import { plainLines, reportTo, shownOn, type Report, type ReportEvent } from '../progress-report.ts';
import { SandboxError } from '../sandbox-error.ts';
import { commandFor, projectDirectory, type StateDirectory } from '../state-directory.ts';
import { summaryOf } from '../sandbox-summary.ts';
import type { RunningSandbox, SandboxOptions } from '../supervisor.ts';

type Options = { readonly basePort: number; readonly state: StateDirectory; readonly enforceIam: boolean };

/** What a detached sandbox tells the command that waits for it. */
type Word = ReportEvent | { readonly kind: 'ready' } | { readonly kind: 'failed'; readonly message: string; readonly nextStep?: string };

class Interrupted extends Error {}

/** Loaded when needed: it brings every AWS client, and the other commands start faster without. */
const startSandbox = async (options: SandboxOptions): Promise<RunningSandbox> => (await import('../supervisor.ts')).startSandbox(options);

/** Ctrl-C, a closed terminal or a polite kill. npm passes the terminal's signals on once more, so only the first of them counts. */
const interruption = (): AbortController => {
  const controller = new AbortController();
  const interrupt = (): void => controller.abort(new Interrupted('Interrupted'));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);
  return controller;
};

/** A kill of npm reaches the shell that it started us by, and not us: when that shell is gone, so is whoever wanted us. */
const endWithNpm = (controller: AbortController): void => {
  if (!process.env['npm_lifecycle_event']) return;
  const shell = process.ppid;
  setInterval(() => { if (process.ppid !== shell) controller.abort(new Interrupted('Interrupted')); }, 500).unref();
};

const untilAborted = (signal: AbortSignal): Promise<void> => new Promise((resolve) => {
  if (signal.aborted) resolve();
  else signal.addEventListener('abort', () => resolve(), { once: true });
});

/** Waits until somebody wants it to stop, or it must. @returns the exit code. */
const runUntilStopped = async (sandbox: RunningSandbox, state: StateDirectory, report: Report, signal: AbortSignal): Promise<number> => {
  const why = await Promise.race([untilAborted(signal), sandbox.broken.then(() => 'broken' as const)]);
  if (why === 'broken') report.line(`The AWS emulator ended by itself. Its last words are in ${state.emulatorLog}`);
  await report.step('Stopping', () => sandbox.stop());
  report.line(`Stopped. What was stored is kept in ${state.path}`);
  return why === 'broken' ? 1 : 0;
};

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(0)} s`;

/** Runs the sandbox in this process until it is interrupted. */
const runHere = async ({ basePort, state, enforceIam }: Options): Promise<number> => {
  const begun = performance.now();
  const controller = interruption();
  endWithNpm(controller);
  mkdirSync(state.path, { recursive: true });
  const log = createWriteStream(state.log, { flags: 'w' });
  const toFile = plainLines((text) => { log.write(text); });
  const toPerson = shownOn(process.stdout);
  const report = reportTo((event) => { toFile(event); toPerson(event); });
  try {
    const sandbox = await startSandbox({ basePort, state, enforceIam, report, signal: controller.signal });
    report.line(`\nPostrider is ready after ${seconds(begun)}.\n${summaryOf(sandbox.description, state, basePort)}`);
    report.line('Ctrl-C stops it. Mail in, mail out and errors:\n');
    return await runUntilStopped(sandbox, state, report, controller.signal);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    report.line('Stopped before it was ready. Nothing is left running.');
    return 130;
  } finally {
    log.end();
    await finished(log).catch(() => undefined);
  }
};

const words = (child: ChildProcess, take: (word: Word) => void): Promise<number | null> => new Promise((resolve, reject) => {
  child.on('message', (word: Word) => take(word));
  child.once('error', reject);
  child.once('exit', resolve);
});

/** Starts the sandbox in a process that stays, and shows its steps until it is ready. Interrupted before that, it ends with us. */
const runDetached = async ({ basePort, state, enforceIam }: Options): Promise<number> => {
  const begun = performance.now();
  const controller = interruption();
  endWithNpm(controller);
  mkdirSync(state.path, { recursive: true });
  const errors = openSync(state.log, 'a');
  const child = spawn(process.execPath, [
    join(projectDirectory, 'sandbox', 'main.ts'), 'supervise', '--port', String(basePort), '--state', state.path, ...(enforceIam ? ['--enforce-iam'] : []),
  ], { cwd: projectDirectory, detached: true, stdio: ['ignore', 'ignore', errors, 'ipc'] });
  controller.signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  const show = shownOn(process.stdout);
  let failure: SandboxError | undefined;
  const ready = new Promise<'ready'>((resolve) => {
    child.on('message', (word: Word) => { if (word.kind === 'ready') resolve('ready'); });
  });
  const ended = words(child, (word) => {
    if (word.kind === 'failed') failure = new SandboxError(word.message, word.nextStep);
    else if (word.kind !== 'ready') show(word);
  });
  const outcome = await Promise.race([ready, ended]);
  if (outcome !== 'ready') {
    if (failure) throw failure;
    if (controller.signal.aborted) return 130;
    throw new SandboxError(`The sandbox ended while it started (exit code ${outcome}).`, `Its log: ${state.log}`);
  }
  child.disconnect();
  child.unref();
  process.stdout.write(`\nIt runs on in the background, ready after ${seconds(begun)}.  ${commandFor(state, 'npm run sandbox -- stop')}\n`);
  return 0;
};

const tell = (word: Word): void => { if (process.connected) process.send?.(word); };

/** The process that a detached start leaves behind: tells its parent how it goes; ends when the parent does before it is ready. */
const supervise = async ({ basePort, state, enforceIam }: Options): Promise<number> => {
  const controller = interruption();
  let isReady = false;
  process.on('disconnect', () => { if (!isReady) controller.abort(new Interrupted('Interrupted')); });
  const log = createWriteStream(state.log, { flags: 'w' });
  const toFile = plainLines((text) => { log.write(text); });
  const report = reportTo((event) => { toFile(event); tell(event); });
  try {
    const sandbox = await startSandbox({ basePort, state, enforceIam, report, signal: controller.signal });
    report.line(summaryOf(sandbox.description, state, basePort));
    isReady = true;
    tell({ kind: 'ready' });
    return await runUntilStopped(sandbox, state, report, controller.signal);
  } catch (error) {
    if (error instanceof Interrupted) {
      report.line('Stopped before it was ready. Nothing is left running.');
      return 130;
    }
    const { message, nextStep, stack } = error as SandboxError;
    log.write(`${error instanceof SandboxError ? message : stack}\n`);
    tell({ kind: 'failed', message: error instanceof SandboxError ? message : `Something unforeseen: ${message}\nMore in ${state.log}`, nextStep });
    return 1;
  } finally {
    log.end();
    await finished(log).catch(() => undefined);
    if (process.connected) process.disconnect();
  }
};

const options = {
  ...stateOption,
  port: { type: 'string', default: String(defaultBasePort) },
  detach: { type: 'boolean', default: false },
  'enforce-iam': { type: 'boolean', default: false },
} as const;

const optionsFrom = (args: readonly string[]): Options & { readonly detach: boolean } => {
  const { values } = readOptions(args, options);
  return { basePort: numberFrom('--port', values.port), state: stateFrom(values), enforceIam: values['enforce-iam'], detach: values.detach };
};

export const start: Command = {
  summary: 'start a sandbox: emulator, deployment, mail network, people',
  usage: `npm start [-- options]

  --detach         return when it is ready and leave it running
  --port N         listen on the ports N to N+11 of 127.0.0.1 (default ${defaultBasePort})
  --state DIR      keep what is stored in DIR (default .postrider); one directory, one sandbox
  --enforce-iam    the emulator refuses what no IAM policy allows`,
  run: (args) => {
    const { detach, ...given } = optionsFrom(args);
    return detach ? runDetached(given) : runHere(given);
  },
};

/** Not for people: what `start --detach` runs in the background. */
export const superviseCommand: Command = { summary: '', usage: '', run: (args) => supervise(optionsFrom(args)) };
