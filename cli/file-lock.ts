import { randomBytes } from 'node:crypto';
import { link, mkdir, open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CliError } from './cli-error.ts';

/** Milliseconds: how often those who wait look, and how often who has the turn gives a sign of life. */
const pollInterval = 50;
const touchInterval = 1000;

/** Milliseconds without a sign of life after which whoever has the turn is taken for dead. */
const staleLockAge = 5000;

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** What tells one turn from another, and from itself a sign of life ago; undefined when nobody has it. */
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
    throw new CliError(`${file} can't be written: ${codeOf(error)}`);
  }
};

/** Ends the turn of somebody dead. Where another was faster and has it by now, they get it back. */
const removeStaleLock = async (file: string, sight: string): Promise<void> => {
  const aside = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await rename(file, aside);
    if (await lockFileVersion(aside) !== sight) await link(aside, file);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(aside, { force: true });
  }
};

/** Looks are counted and not time, which also passes while the machine sleeps. */
const waitForLock = async (file: string, patience: number): Promise<FileHandle> => {
  let seen: string | undefined;
  for (let looks = 0; ; looks += 1) {
    const turn = await tryLock(file);
    if (turn) return turn;
    const sight = await lockFileVersion(file);
    if (sight !== seen) [seen, looks] = [sight, 0];
    else if (sight !== undefined && looks * pollInterval >= patience) await removeStaleLock(file, sight);
    await pause(pollInterval);
  }
};

const releaseLock = async (file: string, turn: FileHandle): Promise<void> => {
  const isOurs = await stat(file).then(async ({ ino }) => ino === (await turn.stat()).ino, () => false);
  if (isOurs) await rm(file, { force: true });
  await turn.close();
};

/**
 * Reads and writes a file while no other process does so in a turn of its own; those that come meanwhile wait. The turn is the file `<path>.turn`. Whoever died
 * in theirs is waited for five seconds. Not for turns within turns.
 * @throws CliError when nothing can be written there, and what `work` throws.
 */
export const withFileLock = async <T>(path: string, work: () => Promise<T>, patience = staleLockAge): Promise<T> => {
  const file = `${path}.turn`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch((error: unknown) => { throw new CliError(`${dirname(path)} can't be written: ${codeOf(error)}`); });
  const turn = await waitForLock(file, patience);
  const signsOfLife = setInterval(() => { turn.utimes(new Date(), new Date()).catch(() => undefined); }, touchInterval);
  try {
    return await work();
  } finally {
    clearInterval(signsOfLife);
    await releaseLock(file, turn);
  }
};
