import { randomBytes, createHmac } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isAlive } from './child-processes.ts';
import { SandboxError } from './sandbox-error.ts';

/** The project's root. */
export const projectDirectory = dirname(dirname(fileURLToPath(import.meta.url)));

/** What all sandboxes of this checkout have in common and `reset` leaves alone: the Python environment. POSTRIDER_VENV puts it elsewhere. */
export const environmentDirectory = process.env['POSTRIDER_VENV'] ?? join(projectDirectory, '.postrider', 'venv');

export const defaultStateDirectory = join(projectDirectory, '.postrider');

/** Where one sandbox keeps what is its own. */
export type StateDirectory = {
  readonly path: string;
  /** The description for tests and tools. */
  readonly description: string;
  /** Process id and base port of the process that runs this sandbox. */
  readonly supervisor: string;
  readonly log: string;
  readonly emulatorLog: string;
  /** What the emulator stores. */
  readonly emulator: string;
  readonly mail: string;
  /** The synthesized template and assets. */
  readonly assembly: string;
  readonly outputs: string;
  /** Random octets from which this sandbox's passwords are made. */
  readonly seed: string;
};

export const stateDirectory = (path: string = defaultStateDirectory): StateDirectory => {
  const root = resolve(path);
  return {
    path: root,
    description: join(root, 'sandbox.json'),
    supervisor: join(root, 'supervisor.json'),
    log: join(root, 'sandbox.log'),
    emulatorLog: join(root, 'emulator.log'),
    emulator: join(root, 'emulator'),
    mail: join(root, 'mail'),
    assembly: join(root, 'cdk.out'),
    outputs: join(root, 'outputs.json'),
    seed: join(root, 'seed'),
  };
};

/** Removes everything that a sandbox stored; the next start begins anew. */
export const removeState = async (state: StateDirectory): Promise<void> => {
  const { path: _, ...contents } = state;
  for (const content of Object.values(contents)) await rm(content, { recursive: true, force: true, maxRetries: 3 });
};

/**
 * Passwords of this sandbox's people: the same at every start, different in every sandbox, good enough for Cognito's default policy
 * (lower case, upper case, digit, symbol).
 */
export const passwordsOf = async (state: StateDirectory): Promise<(email: string) => string> => {
  await writeFile(state.seed, randomBytes(32), { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const seed = await readFile(state.seed);
  return (email) => `${createHmac('sha256', seed).update(email).digest('base64url').replaceAll(/[-_]/g, '').slice(0, 18)}-aA1`;
};

export type Supervisor = { readonly pid: number; readonly basePort: number };

/** What the front page of a sandbox says at `/status.json`. */
export type SandboxStatus = { readonly pid: number; readonly state: 'starting' | 'ready' | 'stopping'; readonly doing?: string; readonly since: string };

/** Asks the sandbox on this base port how it is; undefined when nothing answers there as a sandbox does. */
export const askStatus = async (basePort: number): Promise<SandboxStatus | undefined> => {
  try {
    const answer = await fetch(`http://127.0.0.1:${basePort}/status.json`, { signal: AbortSignal.timeout(2000) });
    return answer.ok ? await answer.json() as SandboxStatus : undefined;
  } catch {
    return undefined;
  }
};

/** The running supervisor of this state directory. A file left by one that was killed does not count: its front page is silent. */
export const findSupervisor = async (state: StateDirectory): Promise<(Supervisor & SandboxStatus) | undefined> => {
  const text = await readFile(state.supervisor, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const supervisor = JSON.parse(text) as Supervisor;
  if (!isAlive(supervisor.pid)) return undefined;
  const status = await askStatus(supervisor.basePort);
  return status?.pid === supervisor.pid ? { ...supervisor, ...status } : undefined;
};

/**
 * Takes the state directory for this process, whose front page must answer already.
 * @returns what gives it back. Throws SandboxError while another sandbox runs from it.
 */
export const claim = async (state: StateDirectory, basePort: number): Promise<() => Promise<void>> => {
  await mkdir(state.path, { recursive: true });
  for (;;) {
    try {
      await writeFile(state.supervisor, JSON.stringify({ pid: process.pid, basePort }), { flag: 'wx' });
      return () => rm(state.supervisor, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const other = await findSupervisor(state);
    if (other) throw alreadyRunning(state, other);
    await rm(state.supervisor, { force: true });
  }
};

/** A command line that means this sandbox, to be copied: it names the state directory when that is not the usual one. */
export const commandFor = (state: StateDirectory, command: string): string => {
  if (state.path === resolve(defaultStateDirectory)) return command;
  return `${command}${command.includes(' -- ') ? '' : ' --'} --state ${state.path}`;
};

export const alreadyRunning = (state: StateDirectory, other: Supervisor): SandboxError => new SandboxError(
  `A sandbox runs from ${state.path} already (process ${other.pid}, front page http://127.0.0.1:${other.basePort}/).`,
  `Stop it: ${commandFor(state, 'npm run sandbox -- stop')}\nOr start another beside it: npm start -- --state .postrider/second --port ${other.basePort + 100}`,
);
