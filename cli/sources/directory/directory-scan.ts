import type { Dirent } from 'node:fs';
import { readdir, type FileHandle } from 'node:fs/promises';
import { emlxFolder, isEmlx } from '../emlx.ts';
import { decodeFileName, decodeModifiedUtf7, folderNamed } from '../folder-names.ts';
import type { SourceFolder } from '../mail-source.ts';
import { exportedMailboxes, manifestFile } from '../mbox/export-manifest.ts';
import { mboxFolder } from '../mbox/mbox-source.ts';
import { beginsLikeMbox, beginsLikeMessage, beginsWithHeader } from '../message-header.ts';
import { findInSource, openInSource, reasonNotRead, sourceRoot } from '../source-file.ts';

/** A file of a folder. The path has the octets of the file system, which need not be UTF-8. */
export type FoundFile = {
  readonly path: Buffer;
  readonly root: Buffer;
  readonly name: string;
  readonly size: number;
  readonly modifiedAt: Date;
  readonly isFolder: boolean;
};

type UnreadPart = { readonly kind: 'problem' | 'note'; readonly place: string; readonly reason: string; readonly size: number };

/** An item to read from a folder, in reading order. */
export type DirectoryPart =
  | { readonly kind: 'mbox'; readonly folder: SourceFolder; readonly file: FoundFile }
  | { readonly kind: 'message'; readonly folder: SourceFolder; readonly file: FoundFile }
  | { readonly kind: 'maildir'; readonly folder: SourceFolder; readonly path: Buffer; readonly root: Buffer; readonly files: readonly FoundFile[] }
  | UnreadPart;

const pathIn = (directory: Buffer, name: Buffer): Buffer => Buffer.concat([directory, Buffer.from(directory.at(-1) === 0x2f ? '' : '/'), name]);

type Entry = Dirent<Buffer>;

const entriesOf = async (directory: Buffer): Promise<Entry[]> =>
  (await readdir(directory, { withFileTypes: true, encoding: 'buffer' })).sort((one, other) => Buffer.compare(one.name, other.name));

const foundFile = async (root: Buffer, path: Buffer, name: string): Promise<FoundFile> => {
  const { stats } = await findInSource(path, root);
  return { path, root, name, size: stats.size, modifiedAt: stats.mtime, isFolder: stats.isDirectory() };
};

const linkToFolder = 'it is a link to a folder: import that folder itself';

const notRead = (place: string, reason: string): UnreadPart => ({ kind: 'problem', place, reason, size: 0 });

/** The first octets of a file, at most 2048. */
export const firstOctets = async (file: FileHandle): Promise<Buffer> => {
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2048), 0, 2048, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
};

/** Files that mail programs and exports keep beside mail, by the whole of their names. */
const besideMail = new RegExp(
  `^(?:${[
    String.raw`\..*`,
    String.raw`dovecot[.-](?:index|list\.index|mailbox\.log|uid|keywords|acl|attributes|shared|expire|quota|sieve|svbin).*`,
    'courier(?:imap|pop3)[a-z]+',
    'maildir(?:size|folder)',
    'subscriptions',
    'table_of_contents',
    String.raw`(?:thumbs\.db|desktop\.ini)`,
  ].join('|')})$`,
  'i',
);

/** Endings of files without mail, unless they begin like mail. */
const endingBesideMail = /\.(?:msf|dat|jsonl?(?:\.new)?|html?|plist|db|lock|log|cache|cmeta|ev-summary(?:-meta)?|ibex\.index(?:\.data)?|index(?:\.\w+)?)$/i;

/** Whether a file with this name has no mail, unless it begins like mail. */
export const isNamedBesideMail = (name: string): boolean => besideMail.test(name) || endingBesideMail.test(name);

/** The kind of a file, by its beginning and its name. `none`: a file without mail, or an mbox without messages. */
export const kindOfFile = (name: string, start: Buffer): 'message' | 'mbox' | 'none' | 'unknown' => {
  if (/\.eml$/i.test(name) || isEmlx(name)) return 'message';
  if (beginsLikeMbox(start)) return 'mbox';
  if (start.length === 0 || besideMail.test(name)) return 'none';
  if (endingBesideMail.test(name)) return beginsWithHeader(start) ? 'message' : 'none';
  return beginsLikeMessage(start) ? 'message' : 'unknown';
};

export const unknownFile = 'the file is neither a message nor an mbox';

/** The note about files that are left out. */
export const leftOutNote = (names: readonly string[]): string =>
  `left out, because mail programs keep no mail there: ${names.slice(0, 5).join(', ')}` + (names.length > 5 ? ` and ${names.length - 5} more` : '');

const isMaildir = (entries: readonly Entry[]): boolean => entries.some((entry) => entry.isDirectory() && ['cur', 'new'].includes(entry.name.toString()));

/** The names of the mailboxes that a subdirectory stands for. */
const namesOfDirectory = (name: string, hasMaildir: boolean): string[] => {
  // Maildir++: `.Projects.Old`.
  if (name.startsWith('.') && hasMaildir) return name.slice(1).split('.').map(decodeModifiedUtf7);
  // KMail has the subfolders of `Work` in `.Work.directory`, Thunderbird in `Work.sbd`.
  const [, parent] = /^\.(.+)\.directory$/i.exec(name) ?? /^(.+)\.sbd$/i.exec(name) ?? [];
  return [decodeModifiedUtf7(parent ?? name.replace(/^\./, ''))];
};

/** The mailboxes of Apple Mail that a folder and those above it are. */
const mailboxesAbove = (directory: Buffer): string[] => {
  const names = decodeFileName(directory).split('/');
  const last = names.findLastIndex((name) => /.\.mbox$/i.test(name));
  return names.slice(names.findLastIndex((name, index) => index < last && !/.\.mbox$/i.test(name)) + 1, last + 1);
};

/**
 * Finds the maildirs, mboxes and messages in a folder and its subfolders: Maildir++ of Dovecot and Courier, maildirs in
 * folders, folders with files, and the hidden folders in which mail programs keep subfolders. What is left out is a part
 * too.
 */
export const scanDirectory = async (directory: string): Promise<DirectoryPart[]> => {
  const root = await sourceRoot(directory);
  const exported = await exportedMailboxes(root);
  const leftOut: string[] = [];

  const maildirFiles = async (maildir: Buffer, place: string) => {
    const [files, problems]: [FoundFile[], UnreadPart[]] = [[], []];
    for (const sub of ['cur', 'new']) {
      const path = pathIn(maildir, Buffer.from(sub));
      for (const entry of await entriesOf(path).catch(() => [])) {
        const name = decodeFileName(entry.name);
        const inner = `${place}/${sub}/${name}`;
        if (entry.isDirectory() || name.startsWith('.')) leftOut.push(inner);
        else {
          try {
            const file = await foundFile(root, pathIn(path, entry.name), inner);
            if (file.isFolder) problems.push(notRead(inner, linkToFolder));
            else files.push(file);
          } catch (error) {
            problems.push(notRead(inner, reasonNotRead(error)));
          }
        }
      }
    }
    return { files, problems };
  };

  const scanFile = async (file: FoundFile, name: string, names: readonly string[], isBesideMaildir: boolean): Promise<DirectoryPart[]> => {
    const folder = exported.folderOf(file.name);
    const kind = folder ? 'mbox' : kindOfFile(name, await firstOctets(await openInSource(file.path, root)));
    if (kind === 'mbox') return [{ kind, file, folder: folder ?? mboxFolder([...names, name]) }];
    if (kind === 'message') return [{ kind, file, folder: isEmlx(name) ? emlxFolder([...mailboxesAbove(root), ...names]) : folderNamed(names) }];
    if (kind === 'unknown' && !isBesideMaildir) return [{ kind: 'problem', place: file.name, reason: unknownFile, size: file.size }];
    if (file.size > 0) leftOut.push(file.name);
    return [];
  };

  const scanSubdirectory = async (path: Buffer, place: string, names: readonly string[], name: string): Promise<DirectoryPart[]> => {
    const hasMaildir = isMaildir(await entriesOf(path));
    const parts = await scan(path, place, [...names, ...namesOfDirectory(name, hasMaildir)]);
    const isHidden = name.startsWith('.') && !hasMaildir;
    if (!isHidden || parts.some(({ kind }) => kind !== 'problem' && kind !== 'note')) return parts;
    leftOut.push(`${place}/`);
    return [];
  };

  const scanEntry = async (entry: Entry, directory: Buffer, place: string, names: readonly string[], isMail: boolean): Promise<DirectoryPart[]> => {
    const name = decodeFileName(entry.name);
    const path = pathIn(directory, entry.name);
    const inner = place ? `${place}/${name}` : name;
    if (isMail && ['cur', 'new', 'tmp'].includes(name)) return [];
    try {
      if (entry.isDirectory()) return await scanSubdirectory(path, inner, names, name);
      const file = await foundFile(root, path, inner);
      if (file.isFolder) return [notRead(inner, linkToFolder)];
      return name === manifestFile ? [] : await scanFile(file, name, names, isMail);
    } catch (error) {
      return [notRead(inner, reasonNotRead(error))];
    }
  };

  const scan = async (path: Buffer, place: string, names: readonly string[]): Promise<DirectoryPart[]> => {
    const entries = await entriesOf(path);
    const isMail = isMaildir(entries) && !exported.hasMboxesIn(place);
    const parts: DirectoryPart[] = [];
    if (isMail) {
      const { files, problems } = await maildirFiles(path, place || '.');
      parts.push({ kind: 'maildir', path, root, folder: exported.folderOf(place || '.') ?? folderNamed(names), files }, ...problems);
    }
    for (const entry of entries) parts.push(...(await scanEntry(entry, path, place, names, isMail)));
    return parts;
  };

  const parts = await scan(root, '', []);
  return leftOut.length === 0 ? parts : [...parts, { kind: 'note', place: directory, reason: leftOutNote(leftOut), size: 0 }];
};
