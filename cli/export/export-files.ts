import { constants } from 'node:fs';
import { lstat, mkdir, open, realpath, rename, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../contract/values/thrown.ts';
import { CliError } from '../terminal/cli-error.ts';

/**
 * The files of an export. Nothing outside of its folder is written, even if another program puts links into it: no
 * symbolic link is followed, and no file with several hard links is written.
 */

/** Windows does not have these flags. Without the second one, opening a pipe would never return. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants as Partial<typeof constants>;

const cannotBe = (verb: string, path: string, error: unknown): CliError => {
  if (error instanceof CliError) return error;
  const code = codeOf(error) ?? 'unknown error';
  return new CliError(code === 'ELOOP' ? `${path} is a symbolic link, which an export does not follow` : `${path} cannot be ${verb}: ${code}`);
};

const assertOwnFile = async (file: FileHandle, path: string): Promise<FileHandle> => {
  const found = await file.stat();
  if (found.isFile() && found.nlink === 1) return file;
  await file.close();
  throw new CliError(`${path} is ${found.isFile() ? 'a further link to another file' : 'no file'}: export to another place`);
};

const openFile = async (path: string, flags: number, verb: string): Promise<FileHandle> => {
  try {
    return await assertOwnFile(await open(path, flags | O_NOFOLLOW | O_NONBLOCK, 0o600), path);
  } catch (error) {
    throw cannotBe(verb, path, error);
  }
};

/**
 * The folder of an export, which is created if it does not exist. It may be a symbolic link, because the person named
 * it. @throws CliError.
 */
export const exportRoot = async (directory: string): Promise<string> => {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return await realpath(directory);
  } catch (error) {
    throw cannotBe('created', directory, error);
  }
};

/**
 * Creates the missing folders of a path below the root of an export.
 * @param place the folders, separated by slashes.
 * @throws CliError when one of them is a symbolic link, or not a folder.
 */
export const makeFolders = async (root: string, place: string): Promise<void> => {
  let path = root;
  for (const name of place.split('/')) {
    path = join(path, name);
    try {
      await mkdir(path, { mode: 0o700 });
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw cannotBe('created', path, error);
      const found = await lstat(path).catch((again: unknown) => {
        throw cannotBe('read', path, again);
      });
      if (found.isSymbolicLink()) throw new CliError(`${path} is a symbolic link, which an export does not follow`);
      if (!found.isDirectory()) throw new CliError(`${path} is no folder: export to another place`);
    }
  }
};

/** The text of a file; undefined when it does not exist. @throws CliError. */
export const readTextFile = async (path: string): Promise<string | undefined> => {
  const exists = await lstat(path).then(
    () => true,
    () => false,
  );
  if (!exists) return undefined;
  const file = await openFile(path, constants.O_RDONLY, 'read');
  try {
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
};

/** Opens a file to append to. The file is created if it does not exist. @throws CliError. */
export const openToAppend = async (path: string): Promise<FileHandle> => {
  const file = await openFile(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, 'written');
  try {
    // Somebody may have put an empty file there that others may read. One of another user cannot be changed, and fails.
    if ((await file.stat()).size === 0) await file.chmod(0o600);
    return file;
  } catch (error) {
    await file.close();
    throw cannotBe('written', path, error);
  }
};

/** Truncates a file. @throws CliError. */
export const truncateFile = async (path: string, length: number): Promise<void> => {
  const file = await openFile(path, constants.O_WRONLY, 'written');
  try {
    await file.truncate(length);
  } finally {
    await file.close();
  }
};

/** Writes a file atomically: any reader finds either the new content or the old one. */
export const replaceFile = async (
  path: string,
  content: string | Buffer,
  { draft = `${path}.new`, modifiedAt }: { readonly draft?: string; readonly modifiedAt?: Date } = {},
): Promise<void> => {
  try {
    // This removes a draft of a killed run, or a link of another program.
    await rm(draft, { force: true });
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(content);
      if (modifiedAt) await file.utimes(modifiedAt, modifiedAt);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    throw cannotBe('written', path, error);
  }
};
