import { keywordsOf } from '../keywords.ts';
import { tooLargeReason, trash, type MailSource, type ReadOptions, type SourceFolder, type SourceItem } from '../mail-source.ts';
import type { MboxQuoting } from '../mbox/mbox-format.ts';
import { mboxFile, readMboxMessages } from '../mbox/mbox-source.ts';
import { messageFileItems } from '../message-file.ts';
import { headerFields, receivedDate } from '../message-header.ts';
import { readInSource, reasonNotRead, textInSource } from '../source-file.ts';
import { scanDirectory, type DirectoryPart, type FoundFile } from './directory-scan.ts';

/** The flags that letters in a file name of a maildir mean. */
const maildirFlags: { readonly [letter: string]: string } = { S: '\\Seen', R: '\\Answered', F: '\\Flagged', D: '\\Draft', P: 'Forwarded' };

/** The keywords in `dovecot-keywords`, by their letters in file names. */
const dovecotKeywords = async (directory: Buffer, root: Buffer): Promise<ReadonlyMap<string, string>> => {
  const text = await textInSource(Buffer.concat([directory, Buffer.from('/dovecot-keywords')]), root);
  return new Map([...text.matchAll(/^(\d+) (\S+)$/gm)].map(([, index, keyword]) => [String.fromCharCode(97 + Number(index)), keyword!]));
};

type FileContext = { readonly options: ReadOptions; readonly done: number };

/** Reads a file. The result is a problem when the file is too large or cannot be read. */
const readWhole = async ({ path, root, name, size }: FoundFile, { options, done }: FileContext): Promise<Buffer | SourceItem> => {
  if (size > options.maxMessageSize) return { kind: 'problem', place: name, reason: tooLargeReason(size, options.maxMessageSize), done };
  try {
    return await readInSource(path, root);
  } catch (error) {
    return { kind: 'problem', place: name, reason: reasonNotRead(error), done };
  }
};

const messageFile = async (file: FoundFile, folder: SourceFolder, context: FileContext): Promise<SourceItem[]> => {
  const content = await readWhole(file, context);
  if (!Buffer.isBuffer(content)) return [content];
  return messageFileItems({ place: file.name, folder, content, modifiedAt: file.modifiedAt, done: context.done });
};

const maildirMessage = async (
  file: FoundFile,
  { folder, keywords }: { folder: SourceFolder; keywords: ReadonlyMap<string, string> },
  context: FileContext,
): Promise<SourceItem> => {
  const content = await readWhole(file, context);
  if (!Buffer.isBuffer(content)) return content;
  const [, letters = ''] = /[:;!]2,([A-Za-z]*)/.exec(file.name.slice(file.name.lastIndexOf('/') + 1)) ?? [];
  return {
    kind: 'message',
    place: file.name,
    folders: [letters.includes('T') ? trash : folder],
    keywords: keywordsOf(letters.split('').flatMap((letter) => maildirFlags[letter] ?? keywords.get(letter) ?? [])),
    // An export of ours sets the file's time. Copies of other maildirs have the time of the copy.
    receivedAt: folder.exported ? file.modifiedAt : receivedDate(headerFields(content), file.modifiedAt),
    size: content.length,
    content,
    done: context.done,
  };
};

const readPart = async function* (part: DirectoryPart, quoting: MboxQuoting, { options, done }: FileContext): AsyncGenerator<SourceItem> {
  if ('reason' in part) {
    yield { kind: part.kind, place: part.place, reason: part.reason, done: done + part.size };
  } else if (part.kind === 'message') {
    yield* await messageFile(part.file, part.folder, { options, done: done + part.file.size });
  } else if (part.kind === 'mbox') {
    const { path, root, name, modifiedAt } = part.file;
    for await (const item of readMboxMessages(mboxFile(path, { root, flagsRoot: root }, { name, folder: part.folder, quoting, modifiedAt }), options)) {
      yield { ...item, done: done + item.done };
    }
  } else {
    const keywords = await dovecotKeywords(part.path, part.root);
    let read = done;
    for (const file of part.files) {
      read += file.size;
      yield await maildirMessage(file, { folder: part.folder, keywords }, { options, done: read });
    }
  }
};

const sizeOf = (part: DirectoryPart): number => {
  if ('size' in part) return part.size;
  return part.kind === 'maildir' ? part.files.reduce((sum, { size }) => sum + size, 0) : part.file.size;
};

/** A folder as a source: a maildir, or a folder with messages, mboxes and maildirs. */
export const directorySource = async (root: string, quoting: MboxQuoting): Promise<MailSource> => {
  const parts = await scanDirectory(root);
  return {
    total: { unit: 'octets', amount: parts.reduce((sum, part) => sum + sizeOf(part), 0) },
    async *read(options) {
      let done = 0;
      for (const part of parts) {
        yield* readPart(part, quoting, { options, done });
        done += sizeOf(part);
      }
    },
    close: async () => undefined,
  };
};
