import type { Dirent } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { exportedMailboxes, manifestFile } from '../mbox/export-manifest.ts';
import { decodeFileName, decodeModifiedUtf7, folderNamed } from '../folder-names.ts';
import type { SourceFolder } from '../mail-source.ts';
import { mboxFolder } from '../mbox/mbox-source.ts';

/** A file of a folder. The path has the octets of the file system, which need not be UTF-8. */
export type FoundFile = { readonly path: Buffer; readonly name: string; readonly size: number; readonly modifiedAt: Date };

/** An item to read from a folder, in reading order. */
export type DirectoryPart =
  | { readonly kind: 'mbox'; readonly folder: SourceFolder; readonly file: FoundFile }
  | { readonly kind: 'message'; readonly folder: SourceFolder; readonly file: FoundFile }
  | { readonly kind: 'maildir'; readonly folder: SourceFolder; readonly path: Buffer; readonly files: readonly FoundFile[] }
  | { readonly kind: 'unknown'; readonly file: FoundFile };

const pathIn = (directory: Buffer, name: Buffer): Buffer => Buffer.concat([directory, Buffer.from('/'), name]);

type Entry = Dirent<Buffer>;

const entriesOf = async (directory: Buffer): Promise<Entry[]> =>
  (await readdir(directory, { withFileTypes: true, encoding: 'buffer' })).sort((one, other) => Buffer.compare(one.name, other.name));

const foundFile = async (path: Buffer, name: string): Promise<FoundFile> => {
  const { size, mtime } = await stat(path);
  return { path, name, size, modifiedAt: mtime };
};

/** The first octets of a file, at most 2048. */
export const firstOctets = async (path: Buffer | string): Promise<Buffer> => {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2048), 0, 2048, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
};

/** Whether a file with this name is an auxiliary file of a mail program or of an export, not a message. */
export const isIndex = (name: string): boolean =>
  /\.(?:msf|dat|jsonl?(?:\.new)?|html?|plist|db|lock|log|cache)$|^(?:\.|dovecot|maildir|courier|subscriptions$|table_of_contents$)/i.test(name);

const kindOf = async ({ path, name, size }: FoundFile): Promise<'message' | 'mbox' | 'unknown' | 'index'> => {
  if (/\.eml$/i.test(name)) return 'message';
  if (isIndex(name)) return 'index';
  if (size === 0) return /\.(?:mbox|mbx)$/i.test(name) ? 'mbox' : 'index';
  const start = (await firstOctets(path)).toString('latin1');
  if (start.trimStart().startsWith('From ')) return 'mbox';
  return /^[!-9;-~]+[ \t]*:/.test(start) ? 'message' : 'unknown';
};

const isMaildir = (entries: readonly Entry[]): boolean =>
  entries.some((entry) => entry.isDirectory() && ['cur', 'new'].includes(entry.name.toString()));

const maildirFiles = async (directory: Buffer, place: string): Promise<FoundFile[]> => {
  const files: FoundFile[] = [];
  for (const sub of ['cur', 'new']) {
    const path = pathIn(directory, Buffer.from(sub));
    const entries = await entriesOf(path).catch(() => []);
    for (const entry of entries) {
      const name = decodeFileName(entry.name);
      if (entry.isFile() && !name.startsWith('.')) files.push(await foundFile(pathIn(path, entry.name), `${place}/${sub}/${name}`));
    }
  }
  return files;
};

/** The names in the directory name of a Maildir++ folder, such as `.Projects.Old`. */
const dottedNames = (name: string): string[] => name.slice(1).split('.').map(decodeModifiedUtf7);

/**
 * Finds the maildirs, mboxes and messages in a folder and its subfolders: Maildir++ of Dovecot and Courier, maildirs in
 * folders, and folders with files.
 */
export const scanDirectory = async (root: string): Promise<DirectoryPart[]> => {
  const exported = await exportedMailboxes(root);
  const parts: DirectoryPart[] = [];

  const scan = async (directory: Buffer, place: string, names: readonly string[]): Promise<void> => {
    const entries = await entriesOf(directory);
    const isMail = isMaildir(entries) && !exported.hasMboxesIn(place);
    if (isMail) {
      parts.push({
        kind: 'maildir', path: directory, folder: exported.folderOf(place || '.') ?? folderNamed(names),
        files: await maildirFiles(directory, place || '.'),
      });
    }
    for (const entry of entries) {
      const name = decodeFileName(entry.name);
      const path = pathIn(directory, entry.name);
      const inner = place ? `${place}/${name}` : name;
      if (entry.isDirectory()) {
        if (isMail && ['cur', 'new', 'tmp'].includes(name)) continue;
        const isDotted = name.startsWith('.');
        if (isDotted && !isMaildir(await entriesOf(path))) continue;
        await scan(path, inner, [...names, ...isDotted ? dottedNames(name) : [decodeModifiedUtf7(name)]]);
      } else if (!isMail && entry.isFile() && name !== manifestFile) {
        const file = await foundFile(path, inner);
        const folder = exported.folderOf(inner);
        const kind = folder ? 'mbox' : await kindOf({ ...file, name });
        if (kind === 'mbox') parts.push({ kind, file, folder: folder ?? mboxFolder([...names, name]) });
        else if (kind === 'message') parts.push({ kind, file, folder: folderNamed(names) });
        else if (kind === 'unknown') parts.push({ kind, file });
      }
    }
  };
  await scan(Buffer.from(root.replace(/\/+$/, '') || '/'), '', []);
  return parts;
};
