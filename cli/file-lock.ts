import { randomBytes } from 'node:crypto';
import { link, mkdir, open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CliError } from './cli-error.ts';

/** Milliseconds: how often those who wait look, and how often who has the turn gives a sign of life. */
const lookEvery = 50;
const signOfLifeEvery = 1000;

/** Milliseconds without a sign of life after which whoever has the turn is taken for dead. */
const turnPatience = 5000;

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** What tells one turn from another, and from itself a sign of life ago; undefined when nobody has it. */
const sightOf = async (file: string): Promise<string | undefined> => {
  try {
    const { ino, mtimeNs } = await stat(file, { bigint: true });
    return `${ino} ${mtimeNs}`;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
};

const take = async (file: string): Promise<FileHandle | undefined> => {
  try {
    return await open(file, 'wx', 0o600);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return undefined;
    throw new CliError(`${file} can't be written: ${codeOf(error)}`);
  }
};

/** Ends the turn of somebody dead. Where another was faster and has it by now, they get it back. */
const endTurnOfDead = async (file: string, sight: string): Promise<void> => {
  const aside = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await rename(file, aside);
    if (await sightOf(aside) !== sight) await link(aside, file);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(aside, { force: true });
  }
};

/** Looks are counted and not time, which also passes while the machine sleeps. */
const waitForTurn = async (file: string, patience: number): Promise<FileHandle> => {
  let seen: string | undefined;
  for (let looks = 0; ; looks += 1) {
    const turn = await take(file);
    if (turn) return turn;
    const sight = await sightOf(file);
    if (sight !== seen) [seen, looks] = [sight, 0];
    else if (sight !== undefined && looks * lookEvery >= patience) await endTurnOfDead(file, sight);
    await pause(lookEvery);
  }
};

const endTurn = async (file: string, turn: FileHandle): Promise<void> => {
  const isOurs = await stat(file).then(async ({ ino }) => ino === (await turn.stat()).ino, () => false);
  if (isOurs) await rm(file, { force: true });
  await turn.close();
};

/**
 * Reads and writes a file while no other process does so in a turn of its own; those that come meanwhile wait. The turn is the file `<path>.turn`. Whoever died
 * in theirs is waited for five seconds. Not for turns within turns.
 * @throws CliError when nothing can be written there, and what `work` throws.
 */
export const inTurn = async <T>(path: string, work: () => Promise<T>, patience = turnPatience): Promise<T> => {
  const file = `${path}.turn`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch((error: unknown) => { throw new CliError(`${dirname(path)} can't be written: ${codeOf(error)}`); });
  const turn = await waitForTurn(file, patience);
  const signsOfLife = setInterval(() => { turn.utimes(new Date(), new Date()).catch(() => undefined); }, signOfLifeEvery);
  try {
    return await work();
  } finally {
    clearInterval(signsOfLife);
    await endTurn(file, turn);
  }
};
