import { lstat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { parseJson } from '../../contract/values/parse-json.ts';
import type { AccountMailbox, AccountMailboxes } from '../jmap/account-mailboxes.ts';
import { foldedPath } from '../sources/folder-names.ts';
import { ExportManifest, manifestFile } from '../sources/mbox/export-manifest.ts';
import { flagsFileOf } from '../sources/mbox/exported-flags.ts';
import { CliError } from '../terminal/cli-error.ts';
import { exportRoot, makeFolders, readTextFile, replaceFile } from './export-files.ts';
import { maildirPlace, mboxPlaces } from './file-names.ts';

type ExportFormat = ExportManifest['format'];

/** A mailbox, and the path of its mbox or maildir within the folder of the export. */
type ExportPlace = { readonly mailbox: AccountMailbox; readonly place: string };

/** Maximum octets of a file name. */
const maxFileName = 255;

/** Whether an export may have written a path of a manifest: it is inside the folder, and of the format. */
const isInside = (place: string, format: ExportFormat): boolean => {
  if (format === 'maildir') return /^\.(?!\.$)[^/\p{Cc}]*$/u.test(place) && (sep === '/' || !place.includes(sep));
  return place.endsWith('.mbox') && place.split('/').every((name) => /^[^.\\:*?"<>|\p{Cc}][^\\:*?"<>|\p{Cc}]*$/u.test(name));
};

const foldersAbove = (place: string): string[] =>
  place
    .split('/')
    .slice(0, -1)
    .map((_, depth, names) => names.slice(0, depth + 1).join('/'));

/** The paths of a mailbox's files, including temporary files. */
const filesOf = (place: string, format: ExportFormat): string[] => (format === 'mbox' ? [place, flagsFileOf(place), `${flagsFileOf(place)}.new`] : [place]);

/**
 * The kind of the file at a path. A symbolic link does not occupy a path; the export fails when it would follow the
 * link.
 */
const kindOnDisk = (path: string): Promise<'folder' | 'file' | undefined> =>
  lstat(path).then(
    (found) => {
      if (found.isDirectory()) return 'folder';
      return found.isSymbolicLink() ? undefined : 'file';
    },
    () => undefined,
  );

/** The places of an export. No two of them are the same on any file system. */
class Places {
  readonly #root: string;
  readonly #format: ExportFormat;
  readonly #files = new Set([manifestFile, `${manifestFile}.new`].map(foldedPath));
  /** The spelling of each folder in the first path that contains it. */
  readonly #folders = new Map<string, string>();
  /** The number for the next path with the same wanted name. */
  readonly #numbers = new Map<string, number>();

  constructor(root: string, format: ExportFormat) {
    this.#root = root;
    this.#format = format;
  }

  /** Reserves a path for a mailbox. @returns false when another mailbox or a file occupies it. */
  async take(place: string): Promise<boolean> {
    if (!(await this.#isFree(place))) return false;
    for (const file of filesOf(place, this.#format)) this.#files.add(foldedPath(file));
    for (const folder of foldersAbove(place)) if (!this.#folders.has(foldedPath(folder))) this.#folders.set(foldedPath(folder), folder);
    return true;
  }

  /** Reserves the first free path with one of these names. If all are taken, a number is added. */
  async takeNew(wanted: readonly string[]): Promise<string> {
    for (const [index, each] of wanted.entries()) {
      const name = this.#inSameFolders(each);
      const isLast = index === wanted.length - 1;
      if (!isLast && !(await this.#canHold(name))) continue;
      const key = foldedPath(name);
      for (let number = this.#numbers.get(key) ?? 1; ; number += 1) {
        const place = `${name}${number === 1 ? '' : ` (${number})`}${this.#format === 'mbox' ? '.mbox' : ''}`;
        this.#numbers.set(key, number + 1);
        if (await this.take(place)) return place;
      }
    }
    throw new Error('no name was given');
  }

  /** The path, spelled like folders that already exist where a file system may treat both as the same folder. */
  #inSameFolders(place: string): string {
    const names = place.split('/');
    const inside = (folder: string | undefined, name: string): string => (folder === undefined ? name : `${folder}/${name}`);
    const folder = names.slice(0, -1).reduce<string | undefined>((above, name) => {
      const wanted = inside(above, name);
      return this.#folders.get(foldedPath(wanted)) ?? wanted;
    }, undefined);
    return inside(folder, names.at(-1)!);
  }

  /** Whether the folders of a path exist as folders, or do not exist. */
  async #canHold(place: string): Promise<boolean> {
    for (const folder of foldersAbove(place)) {
      if (this.#files.has(foldedPath(folder)) || (await kindOnDisk(join(this.#root, folder))) === 'file') return false;
    }
    return true;
  }

  async #isFree(place: string): Promise<boolean> {
    const files = filesOf(place, this.#format);
    if (files.some((file) => Buffer.byteLength(file.split('/').at(-1)!) > maxFileName)) return false;
    if (files.some((file) => this.#files.has(foldedPath(file)) || this.#folders.has(foldedPath(file)))) return false;
    if (this.#format === 'mbox') {
      for (const file of files) if ((await kindOnDisk(join(this.#root, file))) === 'folder') return false;
    }
    return this.#canHold(place);
  }
}

const readManifest = async (path: string, format: ExportFormat): Promise<ExportManifest | undefined> => {
  const text = await readTextFile(path);
  if (text === undefined) return undefined;
  const manifest = ExportManifest.safeParse(parseJson(text)).data;
  if (!manifest || Object.keys(manifest.mailboxes).some((place) => !isInside(place, manifest.format))) {
    throw new CliError(`${path} is damaged: export to another folder`);
  }
  if (manifest.format !== format) throw new CliError(`${path} is of an export as ${manifest.format}: export to another folder`);
  return manifest;
};

const wantedPlaces = (names: readonly string[], { role }: AccountMailbox, format: ExportFormat): string[] => {
  if (format === 'mbox') return mboxPlaces(names);
  return role === 'inbox' ? ['.', maildirPlace(names)] : [maildirPlace(names)];
};

/**
 * The paths of all mailboxes in the export's folder, which the manifest records. A mailbox keeps its path from an
 * earlier export, unless it is occupied.
 * @throws CliError when the folder has an export in the other format, or a manifest that no export wrote.
 */
export const planLayout = async (
  directory: string,
  format: ExportFormat,
  mailboxes: AccountMailboxes,
): Promise<{ readonly root: string; readonly places: readonly ExportPlace[] }> => {
  const root = await exportRoot(directory);
  const path = join(root, manifestFile);
  const all = new Places(root, format);
  const recorded: ExportManifest['mailboxes'] = {};
  const known = new Map<string, string[]>();
  for (const [place, mailbox] of Object.entries((await readManifest(path, format))?.mailboxes ?? {})) {
    if (!(await all.take(place))) continue;
    recorded[place] = mailbox;
    const key = JSON.stringify(mailbox.path);
    known.set(key, [...(known.get(key) ?? []), place]);
  }
  const listed = mailboxes
    .all()
    .map((mailbox) => ({ mailbox, names: mailboxes.pathOf(mailbox.id) }))
    .sort((one, other) => (one.names.join('\0') < other.names.join('\0') ? -1 : 1));
  const places: ExportPlace[] = [];
  for (const { mailbox, names } of listed) {
    const place = known.get(JSON.stringify(names))?.shift() ?? (await all.takeNew(wantedPlaces(names, mailbox, format)));
    recorded[place] = { path: names, role: mailbox.role };
    places.push({ mailbox, place });
  }
  const manifest: ExportManifest = { format, mailboxes: recorded };
  await replaceFile(path, `${JSON.stringify(manifest, null, 2)}\n`);
  for (const { place } of places) if (format === 'mbox' && place.includes('/')) await makeFolders(root, dirname(place));
  return { root, places };
};
