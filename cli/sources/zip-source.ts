import { constants } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { getFileNameLowLevel, openPromise, type Entry, type ZipFile } from 'yauzl';
import { CliError } from '../terminal/cli-error.ts';
import { isNamedBesideMail, kindOfFile, leftOutNote, unknownFile } from './directory/directory-scan.ts';
import { emlxFolder, isEmlx } from './emlx.ts';
import { folderNamed } from './folder-names.ts';
import { tooLargeReason, type MailSource, type ReadOptions, type SourceItem } from './mail-source.ts';
import type { MboxQuoting } from './mbox/mbox-format.ts';
import { mboxFolder, readMboxMessages } from './mbox/mbox-source.ts';
import { messageFileItems } from './message-file.ts';
import { beginsLikeMbox } from './message-header.ts';

/** A file in a zip, with the names of its path. */
type ZippedFile = { readonly entry: Entry; readonly name: string; readonly path: readonly string[] };

const utf8Flag = 0x800;

/** The octets by which the kind of a file is known. */
const startOctets = 2048;

/**
 * The path of an entry. Names without the flag for UTF-8 are read as UTF-8 if they are valid, because most programs
 * write UTF-8.
 */
const entryName = ({ generalPurposeBitFlag, fileNameRaw, extraFields }: Entry): string => {
  const isUtf8 = Buffer.from(fileNameRaw.toString('utf8'), 'utf8').equals(fileNameRaw);
  return getFileNameLowLevel(isUtf8 ? generalPurposeBitFlag | utf8Flag : generalPurposeBitFlag, fileNameRaw, extraFields, false);
};

const zipError = (name: string, error: unknown): CliError =>
  new CliError(`${name} cannot be read as a zip file: ${error instanceof Error ? error.message : 'unknown error'}`);

const listFiles = async (zip: ZipFile, name: string): Promise<ZippedFile[]> => {
  const files: ZippedFile[] = [];
  let octets = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      octets += entry.compressedSize;
      // Deflate expands its input at most a thousandfold. Entries that share their octets have no such limit.
      if (octets > zip.fileSize) throw new Error('its entries overlap: they have more octets than the file');
      const path = entryName(entry)
        .split('/')
        .filter((part) => part !== '' && part !== '.');
      // macOS adds what its file system knows of each file.
      if (path.length > 0 && !entryName(entry).endsWith('/') && path[0] !== '__MACOSX') {
        files.push({ entry, name: `${name}: ${path.join('/')}`, path });
      }
    }
  } catch (error) {
    throw zipError(name, error);
  }
  return files;
};

const hasMboxName = (path: readonly string[]): boolean => /\.(?:mbox|mbx)$/i.test(path.at(-1)!) || path.at(-1) === 'mbox';

/**
 * The number of leading folders, such as `Takeout/Mail/`, that contain all files. Folders with a role and the innermost
 * folder are not counted.
 */
export const wrappingFolders = (folders: readonly (readonly string[])[]): number => {
  const [first = []] = folders;
  const isShared = (depth: number): boolean =>
    depth < first.length - 1 && !folderNamed([first[depth]!]).role && folders.every((folder) => folder.length > depth + 1 && folder[depth] === first[depth]);
  let depth = 0;
  while (isShared(depth)) depth += 1;
  return depth;
};

const problem = (file: ZippedFile, reason: string, done: number): SourceItem => ({ kind: 'problem', place: file.name, reason, done });

/** Whether an entry is a regular file, by the mode that Unix programs store. */
const isFileEntry = ({ versionMadeBy, externalFileAttributes }: Entry): boolean =>
  versionMadeBy >>> 8 !== 3 || [0, constants.S_IFREG].includes((externalFileAttributes >>> 16) & constants.S_IFMT);

/** The reason why an entry cannot be read; undefined when it can. */
const refusal = ({ entry, path }: ZippedFile): string | undefined => {
  if (path.includes('..')) return 'its path leaves the archive';
  if (!isFileEntry(entry)) return 'it is a link or a device, and no file';
  if (entry.isEncrypted()) return 'it is encrypted';
  return entry.canDecodeFileData() ? undefined : 'its compression method is not supported: only deflate is';
};

type FileContext = {
  readonly options: ReadOptions;
  readonly path: readonly string[];
  readonly quoting: MboxQuoting;
  readonly done: number;
  readonly leftOut: string[];
};

/** The first octets of a stream, and the whole stream. */
const withStart = async (chunks: AsyncIterable<Buffer>): Promise<readonly [start: Buffer, whole: AsyncIterable<Buffer>]> => {
  const reader = chunks[Symbol.asyncIterator]();
  const read: Buffer[] = [];
  for (let octets = 0; octets < startOctets;) {
    const next = await reader.next();
    if (next.done) break;
    read.push(next.value);
    octets += next.value.length;
  }
  const whole = async function* (): AsyncGenerator<Buffer> {
    yield* read;
    yield* { [Symbol.asyncIterator]: () => reader };
  };
  return [Buffer.concat(read), whole()];
};

/** The folders of a message of Apple Mail, without those that contain everything, unless they are a mailbox. */
const emlxPath = (whole: readonly string[], path: readonly string[]): readonly string[] => {
  const mailbox = whole.findIndex((name) => /\.mbox$/i.test(name));
  return whole.slice(mailbox < 0 ? -path.length : Math.min(mailbox, whole.length - path.length), -1);
};

const readOpened = async function* (
  file: ZippedFile,
  [start, chunks]: readonly [Buffer, AsyncIterable<Buffer>],
  { options, path, quoting, done, leftOut }: FileContext,
): AsyncGenerator<SourceItem> {
  const { entry, name } = file;
  const [size, modifiedAt] = [entry.uncompressedSize, entry.getLastModDate()];
  const kind = hasMboxName(file.path) ? 'mbox' : kindOfFile(file.path.at(-1)!, start);
  if (kind === 'mbox') {
    const input = { name, chunks, folder: mboxFolder(path), quoting, modifiedAt };
    for await (const item of readMboxMessages(input, options)) yield { ...item, done: done - size + item.done };
  } else if (kind === 'unknown') yield problem(file, unknownFile, done);
  else if (kind === 'none') {
    if (size > 0) leftOut.push(file.path.join('/'));
  } else if (size > options.maxMessageSize) yield problem(file, tooLargeReason(size, options.maxMessageSize), done);
  else {
    const folder = isEmlx(name) ? emlxFolder(emlxPath(file.path, path)) : folderNamed(path.slice(0, -1));
    yield* messageFileItems({ place: name, folder, content: await buffer(chunks), modifiedAt, done });
  }
};

const readFile = async function* (zip: ZipFile, file: ZippedFile, context: FileContext): AsyncGenerator<SourceItem> {
  const { done } = context;
  const reason = refusal(file);
  if (reason !== undefined) {
    yield problem(file, reason, done);
    return;
  }
  try {
    // yauzl ends a stream that has more octets than the entry states.
    const chunks = await zip.openReadStreamPromise(file.entry);
    yield* readOpened(file, await withStart(chunks as AsyncIterable<Buffer>), context);
    chunks.destroy();
  } catch (error) {
    // The archive itself cannot be read any further. A damaged entry is one problem, after which the other entries can
    // be read.
    if (error instanceof CliError) throw error;
    yield problem(file, `it cannot be unpacked: ${error instanceof Error ? error.message : 'unknown error'}`, done);
  }
};

/** Whether a file is an mbox, by its name. Mail programs name mboxes without an ending; such a file is looked into. */
const isMbox = async (zip: ZipFile, file: ZippedFile): Promise<boolean> => {
  if (hasMboxName(file.path)) return true;
  if (file.path.at(-1)!.includes('.') || refusal(file) !== undefined) return false;
  const chunks = await zip.openReadStreamPromise(file.entry);
  try {
    return beginsLikeMbox((await withStart(chunks as AsyncIterable<Buffer>))[0]);
  } catch {
    return false;
  } finally {
    chunks.destroy();
  }
};

/** A zip as a source. It contains folders with mboxes, or with files of one message each. */
export const zipSource = async (zip: ZipFile, name: string, quoting: MboxQuoting): Promise<MailSource> => {
  const files = await listFiles(zip, name);
  const folderPaths: (readonly string[])[] = [];
  for (const file of files.filter(({ entry, path }) => entry.uncompressedSize > 0 && !isNamedBesideMail(path.at(-1)!))) {
    folderPaths.push((await isMbox(zip, file)) ? file.path : file.path.slice(0, -1));
  }
  const skipped = wrappingFolders(folderPaths);
  return {
    total: { unit: 'octets', amount: files.reduce((sum, { entry }) => sum + entry.uncompressedSize, 0) },
    async *read(options) {
      let done = 0;
      const leftOut: string[] = [];
      for (const file of files) {
        done += file.entry.uncompressedSize;
        yield* readFile(zip, file, { options, quoting, done, leftOut, path: file.path.slice(skipped) });
      }
      if (leftOut.length > 0) yield { kind: 'note', place: name, reason: leftOutNote(leftOut), done };
    },
    close: async () => zip.close(),
  };
};

/**
 * Options for opening zips. The entry names are decoded by `entryName`, because yauzl would fail the whole import for
 * one invalid name.
 */
export const zipOptions = { lazyEntries: true, autoClose: false, decodeStrings: false, validateEntrySizes: true } as const;

/** A zip file as a source. @throws CliError when the file is no zip, or not complete. */
export const zipFileSource = async (path: string, quoting: MboxQuoting): Promise<MailSource> => {
  try {
    return await zipSource(await openPromise(path, zipOptions), path, quoting);
  } catch (error) {
    throw error instanceof CliError ? error : zipError(path, error);
  }
};
