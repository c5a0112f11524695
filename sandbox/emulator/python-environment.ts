import { createHash } from 'node:crypto';
import { access, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isAlive } from '../../cli/import/process-start.ts';
import { codeOf } from '../../contract/values/thrown.ts';
import { run, type Finished } from '../process/child-processes.ts';
import { SandboxError } from '../process/sandbox-error.ts';

const here = dirname(fileURLToPath(import.meta.url));
const emulatorRequirements = join(here, 'requirements.lock');

/** Minor version of the oldest Python that the locked packages support. */
const oldestMinor = 10;
const pythonNames = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python3.10', 'python'];

type Preparation = {
  /** The directory of the Python environment. */
  readonly directory: string;
  /** The locked packages to install; by default the emulator's. */
  readonly requirements?: string;
  /** Locked packages that are published as source only. They are built with what `requirements` installs. */
  readonly sourceRequirements?: string;
  /** Called with the current action. */
  readonly report?: (text: string) => void;
  /** Ends the preparation when aborted. */
  readonly signal?: AbortSignal;
  /** The PATH on which Python is searched. Default: that of this process. */
  readonly path?: string;
};

/** The path of the environment's Python. */
export const pythonIn = (venvDirectory: string): string => join(resolve(venvDirectory), 'bin', 'python');

type Python = { readonly executable: string; readonly version: string };

const probeScript = 'import sys; print(sys.executable); print("%d.%d" % sys.version_info[:2])';

const probePython = async (command: string, environment: Record<string, string | undefined>, signal?: AbortSignal): Promise<Python | undefined> => {
  try {
    const { code, lines } = await run(command, ['-c', probeScript], { environment, signal });
    const [executable, version] = lines;
    return code === 0 && executable && version ? { executable, version } : undefined;
  } catch (error) {
    signal?.throwIfAborted();
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
};

const isNewEnough = ({ version }: Python): boolean => {
  const [major, minor] = version.split('.').map(Number);
  return major === 3 && minor! >= oldestMinor;
};

/** @throws SandboxError when this machine has no Python that is new enough. */
const findPython = async (environment: Record<string, string | undefined>, signal?: AbortSignal): Promise<Python> => {
  let tooOld: Python | undefined;
  for (const name of pythonNames) {
    const python = await probePython(name, environment, signal);
    if (python && isNewEnough(python)) return python;
    tooOld ??= python;
  }
  throw new SandboxError(
    tooOld
      ? `The AWS emulator needs Python 3.${oldestMinor} or newer; this machine has ${tooOld.version} (${tooOld.executable}).`
      : `The AWS emulator needs Python 3.${oldestMinor} or newer, and no python3 was found in PATH.`,
    'Install it, for example: apt-get install python3 python3-venv (Debian, Ubuntu), dnf install python3 (Fedora), brew install python3 (macOS).',
  );
};

const errorLines = (finished: Finished): string => {
  const errors = finished.lines.filter((line) => /^(ERROR|error)/.test(line));
  return (errors.length > 0 ? errors : finished.lines.filter((line) => line.trim() !== '')).slice(-6).join('\n');
};

/** Creates the environment. In Debian, python3 lacks venv, which is in a package named after the version. */
const makeEnvironment = async (python: Python, { directory, signal }: Preparation, environment: Record<string, string | undefined>): Promise<void> => {
  const finished = await run(python.executable, ['-m', 'venv', '--clear', directory], { environment, signal });
  if (finished.code === 0) return;
  const text = finished.lines.join('\n');
  if (/ensurepip|No module named '?venv/.test(text)) {
    throw new SandboxError(
      `Python ${python.version} (${python.executable}) lacks the venv module.`,
      `Install it: apt-get install python3-venv (or python${python.version}-venv; Debian and Ubuntu leave it out of python3).`,
    );
  }
  throw new SandboxError(`Python could not create an environment in ${directory}:\n${errorLines(finished)}`);
};

/** The progress that a line of pip's output reports; undefined for other lines. */
const pipProgress = (line: string): string | undefined =>
  /^\s*((?:Collecting|Downloading|Using cached|Installing collected packages).*)$/.exec(line)?.[1]?.slice(0, 80);

/** Runs pip with one file of requirements. Each file names all dependencies, so that pip resolves none. */
const installFile = async (
  file: string,
  options: readonly string[],
  { directory, report, signal }: Preparation,
  environment: Record<string, string | undefined>,
): Promise<void> => {
  const finished = await run(
    pythonIn(directory),
    ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-input', '--progress-bar', 'off', '--require-hashes', '--no-deps', ...options, '-r', file],
    {
      environment,
      signal,
      onLine: (line) => {
        const progress = pipProgress(line);
        if (progress) report?.(`pip: ${progress}`);
      },
    },
  );
  if (finished.code === 0) return;
  throw new SandboxError(
    `pip could not install ${file === emulatorRequirements ? 'the AWS emulator' : `the packages of ${basename(file)}`}:\n${errorLines(finished)}`,
    "Check the network and pip's package index, then start again.",
  );
};

const installRequirements = async (preparation: Preparation, environment: Record<string, string | undefined>): Promise<void> => {
  const { requirements = emulatorRequirements, sourceRequirements } = preparation;
  await installFile(requirements, ['--only-binary', ':all:'], preparation, environment);
  if (sourceRequirements) await installFile(sourceRequirements, ['--no-build-isolation'], preparation, environment);
};

const stampFile = (directory: string): string => join(directory, 'postrider-requirements');

const requirementsStamp = async ({ requirements = emulatorRequirements, sourceRequirements }: Preparation): Promise<string> => {
  const hash = createHash('sha256').update(await readFile(requirements));
  if (sourceRequirements) hash.update(await readFile(sourceRequirements));
  return hash.digest('hex');
};

/**
 * Whether the environment is complete, has these requirements, and its Python still runs (a system upgrade may remove
 * it).
 */
const isReady = async (directory: string, stamp: string, signal?: AbortSignal): Promise<boolean> => {
  const content = await readFile(stampFile(directory), 'utf8').catch(() => undefined);
  if (content === undefined) return false;
  const [requirementsHash, version] = content.split('\n');
  if (requirementsHash !== stamp) return false;
  const python = await probePython(pythonIn(directory), { PATH: process.env['PATH'] }, signal);
  return python !== undefined && python.version === version;
};

/** Milliseconds after which a lock is stale, even when its process id exists again. */
const lockExpiry = 10 * 60_000;

const lockOwner = async (lock: string): Promise<number | undefined> => {
  const [text, status] = await Promise.all([readFile(lock, 'utf8').catch(() => ''), stat(lock).catch(() => undefined)]);
  const owner = Number(text);
  const isFresh = status !== undefined && Date.now() - status.mtimeMs < lockExpiry;
  return isFresh && owner > 0 && isAlive(owner) ? owner : undefined;
};

/** Lets one process at a time create the environment. The lock of an ended process is removed. */
const withLock = async (directory: string, { report, signal }: Preparation, work: () => Promise<void>): Promise<void> => {
  const lock = `${directory}.lock`;
  await mkdir(dirname(lock), { recursive: true });
  const take = (): Promise<boolean> =>
    writeFile(lock, String(process.pid), { flag: 'wx' }).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return false;
        throw error;
      },
    );
  for (let ownerless = 0; !(await take());) {
    signal?.throwIfAborted();
    const owner = await lockOwner(lock);
    if (owner !== undefined) report?.(`waiting for process ${owner}, which creates it`);
    ownerless = owner === undefined ? ownerless + 1 : 0;
    if (ownerless > 2) await rm(lock, { force: true });
    await delay(100);
  }
  try {
    await work();
  } finally {
    await rm(lock, { force: true });
  }
};

/**
 * Creates the emulator's Python environment unless it exists. It is created again when the locked requirements or the
 * machine's Python have changed. Several processes may call this at once.
 * @throws SandboxError for a missing Python, a missing venv module (naming Debian's package) or an error of pip.
 */
export const preparePythonEnvironment = async (preparation: Preparation): Promise<void> => {
  const directory = resolve(preparation.directory);
  const { report, signal } = preparation;
  const stamp = await requirementsStamp(preparation);
  if (await isReady(directory, stamp, signal)) return;
  const environment = { ...process.env, PATH: preparation.path ?? process.env['PATH'], PYTHONHOME: undefined, PYTHONPATH: undefined, VIRTUAL_ENV: undefined };
  await withLock(directory, preparation, async () => {
    if (await isReady(directory, stamp, signal)) return;
    report?.('finding Python');
    const python = await findPython(environment, signal);
    report?.(`creating an environment with Python ${python.version}`);
    await makeEnvironment(python, { ...preparation, directory }, environment);
    report?.('installing MiniStack');
    await installRequirements({ ...preparation, directory }, environment);
    const made = await probePython(pythonIn(directory), environment, signal);
    await writeFile(stampFile(directory), `${stamp}\n${made?.version}\n`);
  });
};

/** @throws SandboxError when {@link preparePythonEnvironment} has not created this environment. */
export const assertPythonEnvironment = async (venvDirectory: string): Promise<void> => {
  await access(stampFile(resolve(venvDirectory))).catch(() => {
    throw new SandboxError(`There is no Python environment in ${venvDirectory}.`, 'npm start creates it.');
  });
};
