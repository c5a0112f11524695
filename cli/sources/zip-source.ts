import { buffer } from 'node:stream/consumers';
import { getFileNameLowLevel, openPromise, type Entry, type ZipFile } from 'yauzl';
import { CliError } from '../terminal/cli-error.ts';
import { isIndex } from './directory/directory-scan.ts';
import { folderNamed } from './folder-names.ts';
import { tooLargeReason, type MailSource, type ReadOptions, type SourceFolder, type SourceItem } from './mail-source.ts';
import type { MboxQuoting } from './mbox/mbox-format.ts';
import { mboxFolder, readMboxMessages } from './mbox/mbox-source.ts';
import { beginsLikeMessage, headerFields, receivedDate } from './message-header.ts';

/** A file in a zip, with the names of its path. */
type ZippedFile = { readonly entry: Entry; readonly name: string; readonly path: readonly string[] };

const utf8Flag = 0x800;

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

const isIgnored = (path: readonly string[]): boolean => path[0] === '__MACOSX' || isIndex(path.at(-1)!);

const listFiles = async (zip: ZipFile, name: string): Promise<ZippedFile[]> => {
  const files: ZippedFile[] = [];
  let octets = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      octets += entry.compressedSize;
      // Deflate expands its input at most a thousandfold. Entries that share their octets have no such limit.
      if (octets > zip.fileSize) throw new Error('its entries overlap: they have more octets than the file');
      const path = entryName(entry).split('/').filter((part) => part !== '' && part !== '.');
      if (path.length > 0 && !entryName(entry).endsWith('/') && !isIgnored(path)) {
        files.push({ entry, name: `${name}: ${path.join('/')}`, path });
      }
    }
  } catch (error) {
    throw zipError(name, error);
  }
  return files;
};

const isMbox = (path: readonly string[]): boolean => /\.(?:mbox|mbx)$/i.test(path.at(-1)!) || path.at(-1) === 'mbox';

/**
 * The number of leading folders, such as `Takeout/Mail/`, that contain all files. Folders with a role and the innermost
 * folder are not counted.
 */
export const wrappingFolders = (folders: readonly (readonly string[])[]): number => {
  const [first = []] = folders;
  const isShared = (depth: number): boolean =>
    depth < first.length - 1 && !folderNamed([first[depth]!]).role
    && folders.every((folder) => folder.length > depth + 1 && folder[depth] === first[depth]);
  let depth = 0;
  while (isShared(depth)) depth += 1;
  return depth;
};

const problem = (file: ZippedFile, reason: string, done: number): SourceItem => ({ kind: 'problem', place: file.name, reason, done });

/** The reason why an entry cannot be read; undefined when it can. */
const refusal = ({ entry, path }: ZippedFile): string | undefined => {
  if (path.includes('..')) return 'its path leaves the archive';
  if (entry.isEncrypted()) return 'it is encrypted';
  return entry.canDecodeFileData() ? undefined : 'its compression method is not supported: only deflate is';
};

type FileContext = { readonly options: ReadOptions; readonly folder: SourceFolder; readonly quoting: MboxQuoting; readonly done: number };

const readMessage = async (zip: ZipFile, file: ZippedFile, { options, folder, done }: FileContext): Promise<SourceItem> => {
  const { entry, name } = file;
  if (entry.uncompressedSize > options.maxMessageSize) {
    return problem(file, tooLargeReason(entry.uncompressedSize, options.maxMessageSize), done);
  }
  // yauzl ends a stream that has more octets than the entry states.
  const content = await buffer(await zip.openReadStreamPromise(entry));
  if (!/\.eml$/i.test(name) && !beginsLikeMessage(content)) return problem(file, 'the file is neither a message nor an mbox', done);
  return {
    kind: 'message', place: name, folders: [folder], keywords: [],
    receivedAt: receivedDate(headerFields(content), entry.getLastModDate()), size: content.length, content, done,
  };
};

const readFile = async function* (zip: ZipFile, file: ZippedFile, context: FileContext): AsyncGenerator<SourceItem> {
  const { options, folder, quoting, done } = context;
  const reason = refusal(file);
  if (reason !== undefined) {
    yield problem(file, reason, done);
    return;
  }
  try {
    if (!isMbox(file.path)) {
      yield await readMessage(zip, file, context);
      return;
    }
    const chunks = await zip.openReadStreamPromise(file.entry);
    const input = { name: file.name, chunks: chunks as AsyncIterable<Buffer>, folder, quoting, modifiedAt: file.entry.getLastModDate() };
    for await (const item of readMboxMessages(input, options)) yield { ...item, done: done - file.entry.uncompressedSize + item.done };
  } catch (error) {
    // The archive itself cannot be read any further. A damaged entry is one problem, after which the other entries can
    // be read.
    if (error instanceof CliError) throw error;
    yield problem(file, `it cannot be unpacked: ${error instanceof Error ? error.message : 'unknown error'}`, done);
  }
};

/** A zip as a source. It contains folders with mboxes, or with files of one message each. */
export const zipSource = async (zip: ZipFile, name: string, quoting: MboxQuoting): Promise<MailSource> => {
  const files = await listFiles(zip, name);
  const folderPaths = files.map(({ path }) => (isMbox(path) ? path : path.slice(0, -1)));
  const skipped = wrappingFolders(folderPaths);
  return {
    total: { unit: 'octets', amount: files.reduce((sum, { entry }) => sum + entry.uncompressedSize, 0) },
    async *read(options) {
      let done = 0;
      for (const [index, file] of files.entries()) {
        done += file.entry.uncompressedSize;
        const path = folderPaths[index]!.slice(skipped);
        yield* readFile(zip, file, { options, quoting, done, folder: isMbox(file.path) ? mboxFolder(path) : folderNamed(path) });
      }
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
