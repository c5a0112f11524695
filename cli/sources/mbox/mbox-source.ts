import { folderNamed } from '../folder-names.ts';
import { tooLargeReason, trash, type ReadOptions, type SourceFolder, type SourceItem } from '../mail-source.ts';
import { headerFields, receivedDate } from '../message-header.ts';
import { NotRead, openInSource, type SourceRoot } from '../source-file.ts';
import { exportedFolder } from './export-manifest.ts';
import { flagsFileOf, readExportedFlags, type ExportedFlags } from './exported-flags.ts';
import { fromLineDate, type MboxQuoting } from './mbox-format.ts';
import { mboxMetadata, type MboxMetadata } from './mbox-metadata.ts';
import { NoMbox, readMbox, type MboxMessage } from './mbox-reader.ts';

type MboxInput = {
  readonly name: string;
  readonly chunks: AsyncIterable<Buffer>;
  readonly folder: SourceFolder;
  readonly quoting: MboxQuoting;
  /** The date for messages that have none. */
  readonly modifiedAt: Date;
  readonly flags?: AsyncIterator<ExportedFlags>;
};

/**
 * The content without the line end that an mbox adds to a message that lacks one. Undefined when the flags belong to
 * another message.
 */
const exactContent = (content: Buffer, { size }: ExportedFlags): Buffer | undefined => {
  const added = content.length - size;
  if (added === 0) return content;
  const isLineEnd = (added === 1 || added === 2) && ['\n', '\r\n'].includes(content.subarray(size).toString('latin1'));
  return isLineEnd ? content.subarray(0, size) : undefined;
};

const foldersOf = (own: SourceFolder, { labelFolders, isDeleted }: MboxMetadata, exported: ExportedFlags | undefined): readonly SourceFolder[] => {
  if (exported?.mailboxes) return exported.mailboxes.map(({ path, role, topRole }) => exportedFolder(path, role, topRole));
  if (exported) return [own];
  if (isDeleted) return [trash];
  return labelFolders ?? [own];
};

const sourceMessage = (
  input: MboxInput,
  { fromLine, size, end }: MboxMessage,
  content: Buffer,
  { place, exported }: { place: string; exported: ExportedFlags | undefined },
): SourceItem | undefined => {
  const fields = headerFields(content);
  const metadata = mboxMetadata(fields);
  if (metadata.isExpunged && !exported) return undefined;
  const exact = exported && exactContent(content, exported);
  if (exported && !exact) {
    const reason = `the message has ${size} octets, but ${flagsFileOf(input.name)} says ${exported.size}: remove that file to import without it`;
    return { kind: 'problem', place, reason, done: end };
  }
  return {
    kind: 'message',
    place,
    done: end,
    size: (exact ?? content).length,
    content: exact ?? content,
    folders: foldersOf(input.folder, metadata, exported),
    keywords: exported?.keywords ?? metadata.keywords,
    receivedAt: exported ? new Date(exported.receivedAt) : (fromLineDate(fromLine) ?? receivedDate(fields, input.modifiedAt)),
  };
};

/** Reads an mbox as messages of a source. `done` counts octets of this mbox. */
export const readMboxMessages = async function* (input: MboxInput, { maxMessageSize }: ReadOptions): AsyncGenerator<SourceItem> {
  let [number, expunged, done] = [0, 0, 0];
  try {
    let next = await input.flags?.next();
    const isExact = next !== undefined && !next.done;
    for await (const message of readMbox(input.chunks, { maxMessageSize, quoting: isExact ? 'mboxrd' : input.quoting, isExact })) {
      number += 1;
      const place = `${input.name}: message ${number} at octet ${message.offset}`;
      const item = message.content
        ? sourceMessage(input, message, message.content, { place, exported: next?.done ? undefined : next?.value })
        : ({ kind: 'problem', place, reason: tooLargeReason(message.size, maxMessageSize), done: message.end } as const);
      next = await input.flags?.next();
      done = message.end;
      if (item) yield item;
      else expunged += 1;
      if (message.doubtAt !== undefined) {
        yield { kind: 'note', place, done: message.end, reason: `it may contain further messages: the line at octet ${message.doubtAt} begins with "From "` };
      }
    }
  } catch (error) {
    if (!(error instanceof NoMbox || error instanceof NotRead)) throw error;
    yield { kind: 'problem', place: number === 0 ? input.name : `${input.name}: after message ${number}`, reason: error.message, done: 0 };
  } finally {
    await input.flags?.return?.();
    await input.chunks[Symbol.asyncIterator]().return?.();
  }
  if (expunged > 0) {
    const reason = `left out: ${expunged} messages that Mozilla moved or deleted, and that are still in the file`;
    yield { kind: 'note', place: input.name, reason, done };
  }
};

/** The folder of an mbox by its path: the names of its folders, and its file name without the extension. */
export const mboxFolder = (path: readonly string[]): SourceFolder => {
  const names = path.map((name) => name.replace(/\.(?:mbox|mbx|sbd)$/i, ''));
  // Apple Mail exports a mailbox as a folder `Name.mbox` with a file `mbox`.
  const isInner = names.at(-1)?.toLowerCase() === 'mbox' && path.length > 1 && /\.mbox$/i.test(path.at(-2)!);
  return folderNamed(isInner || (names.length === 1 && names[0] === 'mbox') ? names.slice(0, -1) : names);
};

const chunksOf = async function* (path: Buffer, root: SourceRoot): AsyncGenerator<Buffer> {
  const file = await openInSource(path, root);
  yield* file.createReadStream({ highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>;
};

/** The folders that an mbox, unless the person named it, and the flags beside it may not leave. */
type MboxRoots = { readonly root: SourceRoot; readonly flagsRoot: Buffer };

export const mboxFile = (
  path: Buffer,
  { root, flagsRoot }: MboxRoots,
  properties: Pick<MboxInput, 'name' | 'folder' | 'quoting' | 'modifiedAt'>,
): MboxInput => ({ ...properties, chunks: chunksOf(path, root), flags: readExportedFlags(Buffer.concat([path, Buffer.from(flagsFileOf(''))]), flagsRoot) });
