import { constants, type Stats } from 'node:fs';
import { lstat, open, realpath, type FileHandle } from 'node:fs/promises';
import { sep } from 'node:path';
import { codeOf } from '../../contract/values/thrown.ts';

/** A file of a source that is not read. The message is the reason. */
export class NotRead extends Error {}

/** The folder that a source may not leave. Undefined for a file that the person named. */
export type SourceRoot = Buffer | undefined;

/** Windows does not have these flags. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants as Partial<typeof constants>;

export const sourceRoot = (directory: string): Promise<Buffer> => realpath(directory, 'buffer');

const isBelow = (root: Buffer, path: Buffer): boolean => {
  const folder = root.toString('latin1').endsWith(sep) ? root : Buffer.concat([root, Buffer.from(sep)]);
  return path.subarray(0, folder.length).equals(folder);
};

const realPath = async (path: Buffer | string, root: SourceRoot): Promise<Buffer> => {
  const real = await realpath(path, 'buffer');
  if (root && !isBelow(root, real)) throw new NotRead('it is a link to a place outside of the folder: import that place itself');
  return real;
};

/**
 * Finds a regular file or a folder, also by a link.
 * @throws NotRead for a link out of the root, and for a pipe, a socket or a device.
 */
export const findInSource = async (path: Buffer | string, root: SourceRoot): Promise<{ readonly real: Buffer; readonly stats: Stats }> => {
  const real = await realPath(path, root);
  const stats = await lstat(real);
  if (!stats.isFile() && !stats.isDirectory()) throw new NotRead('it is a pipe, a socket or a device, and no file');
  return { real, stats };
};

/** Opens a regular file to read. @throws NotRead as {@link findInSource} does. */
export const openInSource = async (path: Buffer | string, root: SourceRoot): Promise<FileHandle> => {
  const { real } = await findInSource(path, root);
  const file = await open(real, constants.O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new NotRead('it is no file');
    // A folder of the path may have been replaced by a link since it was found.
    if (root) await realPath(real, root);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
};

/** Reads a regular file. @throws NotRead as {@link findInSource} does. */
export const readInSource = async (path: Buffer | string, root: SourceRoot): Promise<Buffer> => {
  const file = await openInSource(path, root);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
};

/** The text of a file beside mail; empty when it does not exist or is not read. */
export const textInSource = (path: Buffer, root: Buffer): Promise<string> =>
  readInSource(path, root).then(
    (content) => content.toString('utf8'),
    () => '',
  );

/** The reason why a file is not read, in words. */
export const reasonNotRead = (error: unknown): string => (error instanceof NotRead ? error.message : `it cannot be read: ${codeOf(error) ?? String(error)}`);
