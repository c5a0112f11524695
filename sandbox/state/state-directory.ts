import { randomBytes, createHmac } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isAlive } from '../../cli/import/process-start.ts';
import { shellWord } from '../../contract/values/shell-word.ts';
import { codeOf } from '../../contract/values/thrown.ts';
import { SandboxError } from '../process/sandbox-error.ts';

/** The project's root. */
export const projectDirectory = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * The Python environment, which all sandboxes of this checkout share and `reset` keeps. POSTRIDER_VENV sets another
 * directory.
 */
export const pythonEnvironmentDirectory = process.env['POSTRIDER_VENV'] ?? join(projectDirectory, '.postrider', 'venv');

const defaultStateDirectory = join(projectDirectory, '.postrider');

/** The files of one sandbox. */
export type StateDirectory = {
  readonly path: string;
  /** The path of the description for tests and tools. */
  readonly description: string;
  /** Process id and base port of the process that runs this sandbox. */
  readonly supervisor: string;
  readonly log: string;
  readonly emulatorLog: string;
  /** The emulator's state. */
  readonly emulator: string;
  readonly mail: string;
  /** Bundles of debugged Lambdas. */
  readonly debug: string;
  /** The synthesized template and assets. */
  readonly assembly: string;
  readonly outputs: string;
  /** Milliseconds that the last start took. */
  readonly startTime: string;
  /** Random octets from which this sandbox's passwords are derived. */
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
    debug: join(root, 'debug'),
    assembly: join(root, 'cdk.out'),
    outputs: join(root, 'outputs.json'),
    startTime: join(root, 'start-time'),
    seed: join(root, 'seed'),
  };
};

/** Options of a log that only its owner can read. It may have addresses and subjects of mail. */
export const privateLog = { flags: 'w', mode: 0o600 } as const;

/**
 * Makes all files of a sandbox readable only by its owner, including new files of this process and its children. The
 * emulator's state contains passwords, secrets and private keys.
 */
export const protectState = async ({ path, emulator, mail }: StateDirectory): Promise<void> => {
  process.umask(0o077);
  await mkdir(path, { recursive: true });
  await chmod(path, 0o700);
  for (const folder of [emulator, mail]) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    if (entries.length > 0) await chmod(folder, 0o700);
    for (const entry of entries) {
      if (!entry.isSymbolicLink()) await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o700 : 0o600).catch(() => undefined);
    }
  }
};

/** Deletes the state of a sandbox. */
export const removeState = async (state: StateDirectory): Promise<void> => {
  const { path: _, ...contents } = state;
  for (const content of Object.values(contents)) await rm(content, { recursive: true, force: true, maxRetries: 3 });
};

/**
 * Passwords of this sandbox's users: the same at every start, different in every sandbox, valid by Cognito's default
 * policy (lower case, upper case, digit, symbol).
 */
export const passwordGenerator = async (state: StateDirectory): Promise<(email: string) => string> => {
  await writeFile(state.seed, randomBytes(32), { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const seed = await readFile(state.seed);
  return (email) => `${createHmac('sha256', seed).update(email).digest('base64url').replaceAll(/[-_]/g, '').slice(0, 18)}-aA1`;
};

export type Supervisor = { readonly pid: number; readonly basePort: number };

/** The response of a sandbox's `/status.json`. */
export type SandboxStatus = { readonly pid: number; readonly state: 'starting' | 'ready' | 'stopping'; readonly doing?: string; readonly since: string };

/** Reads `/status.json` of the sandbox on this base port; undefined when no sandbox responds. */
const fetchStatus = async (basePort: number): Promise<SandboxStatus | undefined> => {
  try {
    const answer = await fetch(`http://127.0.0.1:${basePort}/status.json`, { signal: AbortSignal.timeout(2000) });
    const status: SandboxStatus | undefined = answer.ok ? JSON.parse(await answer.text()) : undefined;
    return status;
  } catch {
    return undefined;
  }
};

/**
 * The running supervisor of this state directory. The file of a killed supervisor is ignored, because its front page
 * does not respond.
 */
export const findSupervisor = async (state: StateDirectory): Promise<(Supervisor & SandboxStatus) | undefined> => {
  const text = await readFile(state.supervisor, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const supervisor: Supervisor = JSON.parse(text);
  if (!isAlive(supervisor.pid)) return undefined;
  const status = await fetchStatus(supervisor.basePort);
  return status?.pid === supervisor.pid ? { ...supervisor, ...status } : undefined;
};

/**
 * Reserves the state directory for this process. Its front page must already respond.
 * @returns a function that releases the directory.
 * @throws SandboxError while another sandbox uses it.
 */
export const claimStateDirectory = async (state: StateDirectory, basePort: number): Promise<() => Promise<void>> => {
  await mkdir(state.path, { recursive: true });
  for (;;) {
    try {
      await writeFile(state.supervisor, JSON.stringify({ pid: process.pid, basePort }), { flag: 'wx' });
      return () => rm(state.supervisor, { force: true });
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    const other = await findSupervisor(state);
    if (other) throw alreadyRunningError(state, other);
    await rm(state.supervisor, { force: true });
  }
};

/** A command line for this sandbox, to copy: with `--state` unless the state directory is the default one. */
export const commandFor = (state: StateDirectory, command: string): string => {
  if (state.path === resolve(defaultStateDirectory)) return command;
  return `${command}${command.includes(' -- ') ? '' : ' --'} --state ${shellWord(state.path)}`;
};

export const alreadyRunningError = (state: StateDirectory, other: Supervisor): SandboxError =>
  new SandboxError(
    `A sandbox already runs with the state directory ${state.path} (process ${other.pid}, front page http://127.0.0.1:${other.basePort}/).`,
    `Stop it: ${commandFor(state, 'npm run sandbox -- stop')}\n` +
      `Or start another one: npm start -- --state .postrider/second --port ${other.basePort + 100}`,
  );
