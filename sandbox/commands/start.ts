import { spawn, type ChildProcess } from 'node:child_process';
import { createWriteStream, mkdirSync, openSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { parseOptions } from '../../cli/terminal/parse.ts';
import { messageOf } from '../../contract/values/thrown.ts';
import { defaultBasePort, lastOffset } from '../process/ports.ts';
import { plainLines, progressReport, showOn, type Report, type ReportEvent } from '../process/progress-report.ts';
import { SandboxError } from '../process/sandbox-error.ts';
import { summaryText } from '../state/sandbox-summary.ts';
import { commandFor, privateLog, projectDirectory, type StateDirectory } from '../state/state-directory.ts';
import type { RunningSandbox, SandboxOptions } from '../supervisor.ts';
import { parseNumber, stateDirectoryFrom, stateOption, type Command } from './command-line.ts';

type Options = { readonly basePort: number; readonly state: StateDirectory; readonly enforceIam: boolean };

/** Messages from a detached sandbox's process to the command that started it. */
type SupervisorMessage = ReportEvent | { readonly kind: 'ready' } | { readonly kind: 'failed'; readonly message: string; readonly nextStep?: string };

class Interrupted extends Error {}

/** Imports the sandbox only when needed: it loads many AWS clients, and the other commands start faster without it. */
const startSandbox = async (options: SandboxOptions): Promise<RunningSandbox> => (await import('../supervisor.ts')).startSandbox(options);

/**
 * Aborts on Ctrl-C, on a closed terminal and on SIGTERM. npm sends the terminal's signals a second time, so only the
 * first one counts.
 */
const interruption = (): AbortController => {
  const controller = new AbortController();
  const interrupt = (): void => controller.abort(new Interrupted('Interrupted'));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);
  return controller;
};

/**
 * Aborts when npm is killed. That ends only the shell between npm and this process, so the parent process id changes.
 */
const endWithNpm = (controller: AbortController): void => {
  if (!process.env['npm_lifecycle_event']) return;
  const shell = process.ppid;
  setInterval(() => {
    if (process.ppid !== shell) controller.abort(new Interrupted('Interrupted'));
  }, 500).unref();
};

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Waits until the signal is aborted or the emulator ends, and stops the sandbox. @returns the exit code. */
const runUntilStopped = async (sandbox: RunningSandbox, state: StateDirectory, report: Report, signal: AbortSignal): Promise<number> => {
  const why = await Promise.race([untilAborted(signal), sandbox.broken.then(() => 'broken' as const)]);
  if (why === 'broken') report.line(`The AWS emulator ended unexpectedly. Its log: ${state.emulatorLog}`);
  await report.step('Stopping', () => sandbox.stop());
  report.line(`Stopped. The state is kept in ${state.path}`);
  return why === 'broken' ? 1 : 0;
};

/** Says how long the start will probably take: as long as the last start, if there was one. */
const expectedTime = async ({ startTime }: StateDirectory): Promise<string> => {
  const last = Number(await readFile(startTime, 'utf8').catch(() => ''));
  if (last > 0) return `Starting. The last start took ${(last / 1000).toFixed(0)} s.`;
  return 'Starting. The first start takes 30 to 60 seconds on two cores, longer on a slow network: it downloads the AWS emulator.';
};

const storeStartTime = (state: StateDirectory, startedAt: number): Promise<void> => writeFile(state.startTime, (performance.now() - startedAt).toFixed(0));

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(0)} s`;

/** Runs the sandbox in this process until it is interrupted. */
const runHere = async ({ basePort, state, enforceIam }: Options): Promise<number> => {
  const startedAt = performance.now();
  const controller = interruption();
  endWithNpm(controller);
  mkdirSync(state.path, { recursive: true });
  const log = createWriteStream(state.log, privateLog);
  const toFile = plainLines((text) => {
    log.write(text);
  });
  const toTerminal = showOn(process.stdout);
  const report = progressReport((event) => {
    toFile(event);
    toTerminal(event);
  });
  report.line(await expectedTime(state));
  try {
    const sandbox = await startSandbox({ basePort, state, enforceIam, report, signal: controller.signal });
    await storeStartTime(state, startedAt);
    report.line(`\nPostrider is ready after ${seconds(startedAt)}.\n${summaryText(sandbox.description, state, basePort)}`);
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

const followMessages = (child: ChildProcess, onMessage: (message: SupervisorMessage) => void): Promise<number | null> =>
  new Promise((resolve, reject) => {
    child.on('message', (message: SupervisorMessage) => onMessage(message));
    child.once('error', reject);
    child.once('exit', resolve);
  });

/**
 * Starts the sandbox in another process and shows its steps until it is ready. An interruption before that stops the
 * sandbox.
 */
const runDetached = async ({ basePort, state, enforceIam }: Options): Promise<number> => {
  const startedAt = performance.now();
  const controller = interruption();
  endWithNpm(controller);
  mkdirSync(state.path, { recursive: true });
  const errors = openSync(state.log, 'a', privateLog.mode);
  const child = spawn(
    process.execPath,
    [join(projectDirectory, 'sandbox', 'main.ts'), 'supervise', '--port', String(basePort), '--state', state.path, ...(enforceIam ? ['--enforce-iam'] : [])],
    { cwd: projectDirectory, detached: true, stdio: ['ignore', 'ignore', errors, 'ipc'] },
  );
  controller.signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  const show = showOn(process.stdout);
  show({ kind: 'line', text: await expectedTime(state) });
  let failure: SandboxError | undefined;
  const ready = new Promise<'ready'>((resolve) => {
    child.on('message', (message: SupervisorMessage) => {
      if (message.kind === 'ready') resolve('ready');
    });
  });
  const ended = followMessages(child, (message) => {
    if (message.kind === 'failed') failure = new SandboxError(message.message, message.nextStep);
    else if (message.kind !== 'ready') show(message);
  });
  const outcome = await Promise.race([ready, ended]);
  if (outcome !== 'ready') {
    if (failure) throw failure;
    if (controller.signal.aborted) return 130;
    throw new SandboxError(`The sandbox ended before it was ready (exit code ${outcome}).`, `The log: ${state.log}`);
  }
  await storeStartTime(state, startedAt);
  child.disconnect();
  child.unref();
  const stop = commandFor(state, 'npm run sandbox -- stop');
  process.stdout.write(`\nReady after ${seconds(startedAt)}. The sandbox runs in the background. Stop it: ${stop}\n`);
  return 0;
};

const sendToParent = (message: SupervisorMessage): void => {
  if (process.connected) process.send?.(message);
};

/**
 * The process of a detached sandbox: it reports its progress to its parent, and ends when the parent ends before the
 * sandbox is ready.
 */
const supervise = async ({ basePort, state, enforceIam }: Options): Promise<number> => {
  const controller = interruption();
  let isReady = false;
  process.on('disconnect', () => {
    if (!isReady) controller.abort(new Interrupted('Interrupted'));
  });
  const log = createWriteStream(state.log, privateLog);
  const toFile = plainLines((text) => {
    log.write(text);
  });
  const report = progressReport((event) => {
    toFile(event);
    sendToParent(event);
  });
  try {
    const sandbox = await startSandbox({ basePort, state, enforceIam, report, signal: controller.signal });
    report.line(summaryText(sandbox.description, state, basePort));
    isReady = true;
    sendToParent({ kind: 'ready' });
    return await runUntilStopped(sandbox, state, report, controller.signal);
  } catch (error) {
    if (error instanceof Interrupted) {
      report.line('Stopped before it was ready. Nothing is left running.');
      return 130;
    }
    const known = error instanceof SandboxError ? error : undefined;
    log.write(`${known?.message ?? (error instanceof Error ? error.stack : String(error))}\n`);
    const message = known?.message ?? `Unexpected error: ${messageOf(error)}\nThe log: ${state.log}`;
    sendToParent({ kind: 'failed', message, nextStep: known?.nextStep });
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
  const { values } = parseOptions(args, options);
  return { basePort: parseNumber('--port', values.port), state: stateDirectoryFrom(values), enforceIam: values['enforce-iam'], detach: values.detach };
};

export const start: Command = {
  summary: 'start a sandbox: emulator, deployment, mail network, users',
  usage: `npm start [-- options]

  --detach         return when the sandbox is ready and leave it running
  --port N         listen on the ports N to N+${lastOffset} of 127.0.0.1 (default ${defaultBasePort})
  --state DIR      store the state in DIR (default .postrider); one sandbox per directory
  --enforce-iam    the emulator refuses calls that no IAM policy allows`,
  run: (args) => {
    const { detach, ...given } = optionsFrom(args);
    return detach ? runDetached(given) : runHere(given);
  },
};

/** Internal: the process that `start --detach` leaves in the background. */
export const superviseCommand: Command = { summary: '', usage: '', run: (args) => supervise(optionsFrom(args)) };
