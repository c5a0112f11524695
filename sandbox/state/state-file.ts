import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A value that is stored in a JSON file. */
export type StateFile<Value> = {
  /** The current value. Change it in place, then call {@link StateFile.save}. */
  readonly value: Value;
  /** Writes the current value. Resolves when it is on disk. */
  save(): Promise<void>;
};

/** Writes a file atomically: a reader gets the old or the new content. */
export const writeWhole = async (path: string, content: string | Buffer): Promise<void> => {
  await writeFile(`${path}.new`, content, { mode: 0o600 });
  await rename(`${path}.new`, path);
};

/** Opens a JSON file. The value is `initial` when the file does not exist. Saves run one after another. */
export const openStateFile = async <Value>(path: string, initial: Value): Promise<StateFile<Value>> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
  const value: Value = text === undefined ? initial : JSON.parse(text);
  let last: Promise<void> = Promise.resolve();
  return {
    value,
    save() {
      const write = () => writeWhole(path, JSON.stringify(value, undefined, 1));
      last = last.then(write, write);
      return last;
    },
  };
};
