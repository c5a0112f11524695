import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, lstatSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { codeOf } from '../../contract/values/thrown.ts';
import { CliError } from './cli-error.ts';

/**
 * Makes a file anew that only its owner can read, in place of an earlier one, and opens it to append. A link there is
 * replaced, and not followed.
 * @throws CliError when the file cannot be written.
 */
export const makePrivateFile = (path: string, content: string): number => {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    const file = openSync(draft, 'ax', 0o600);
    try {
      writeFileSync(file, content);
      fsyncSync(file);
      renameSync(draft, path);
    } catch (error) {
      closeSync(file);
      throw error;
    }
    return file;
  } catch (error) {
    rmSync(draft, { force: true });
    throw new CliError(`${path} cannot be written: ${codeOf(error)}`);
  }
};

/** Writes a file as {@link makePrivateFile} makes it. */
export const writePrivateFile = (path: string, content: string): void => closeSync(makePrivateFile(path, content));

/** @throws CliError when a path that the person named is a link or a device, which a new file would replace. */
export const assertReplaceable = (path: string): void => {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found || found.isFile()) return;
  throw new CliError(`${path} is ${found.isSymbolicLink() ? 'a symbolic link' : 'no file'}, and is not written: name another file`);
};
