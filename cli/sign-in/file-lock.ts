import { randomBytes } from 'node:crypto';
import { link, mkdir, open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from '../../contract/values/thrown.ts';
import { CliError } from '../terminal/cli-error.ts';

/** Milliseconds between two attempts to take the lock, and between two updates of the lock file by its owner. */
const pollInterval = 50;
const touchInterval = 1000;

/** Milliseconds without an update after which the lock is stale, because its owner has ended. */
const staleLockAge = 5000;

/** A text that identifies the lock file and its last update. Undefined when the file does not exist. */
const lockFileVersion = async (file: string): Promise<string | undefined> => {
  try {
    const { ino, mtimeNs } = await stat(file, { bigint: true });
    return `${ino} ${mtimeNs}`;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
};

const tryLock = async (file: string): Promise<FileHandle | undefined> => {
  try {
    return await open(file, 'wx', 0o600);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return undefined;
    throw new CliError(`${file} cannot be written: ${codeOf(error)}`);
  }
};

/** Removes a stale lock. If another process has just taken the lock, its lock file is restored. */
const removeStaleLock = async (file: string, version: string): Promise<void> => {
  const aside = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await rename(file, aside);
    if ((await lockFileVersion(aside)) !== version) await link(aside, file);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(aside, { force: true });
  }
};

/** Waits for the lock. It counts attempts instead of time, because time also passes while the machine sleeps. */
const waitForLock = async (file: string, staleAfter: number): Promise<FileHandle> => {
  let lastVersion: string | undefined;
  for (let attempts = 0; ; attempts += 1) {
    const lock = await tryLock(file);
    if (lock) return lock;
    const version = await lockFileVersion(file);
    if (version !== lastVersion) [lastVersion, attempts] = [version, 0];
    else if (version !== undefined && attempts * pollInterval >= staleAfter) await removeStaleLock(file, version);
    await pause(pollInterval);
  }
};

const releaseLock = async (file: string, lock: FileHandle): Promise<void> => {
  const isOwnLock = await stat(file).then(
    async ({ ino }) => ino === (await lock.stat()).ino,
    () => false,
  );
  if (isOwnLock) await rm(file, { force: true });
  await lock.close();
};

/**
 * Runs `work` while it holds the lock of a file. Other processes wait. The lock is the file `<path>.turn`. The lock of
 * a process that has ended is removed after five seconds. Calls must not be nested.
 * @throws CliError when the lock file cannot be written, and the errors of `work`.
 */
export const withFileLock = async <T>(path: string, work: () => Promise<T>, staleAfter = staleLockAge): Promise<T> => {
  const file = `${path}.turn`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw new CliError(`${dirname(path)} cannot be written: ${codeOf(error)}`);
  });
  const lock = await waitForLock(file, staleAfter);
  const touchTimer = setInterval(() => {
    lock.utimes(new Date(), new Date()).catch(() => undefined);
  }, touchInterval);
  try {
    return await work();
  } finally {
    clearInterval(touchTimer);
    await releaseLock(file, lock);
  }
};
