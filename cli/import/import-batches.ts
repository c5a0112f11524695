import { emailLimits } from '../../contract/jmap/core.ts';
import { digestOf } from '../jmap/jmap-client.ts';
import { validKeywords } from '../sources/keywords.ts';
import { statableDate, type SourceFolder, type SourceItem, type SourceMessage } from '../sources/mail-source.ts';
import { headerFields, plainMessageId, receivedDate } from '../sources/message-header.ts';

/** Maximum messages, and maximum octets, that are imported by one call. */
const maxMessages = 50;
const maxOctets = 16 * 1024 * 1024;

/** Divides the items of a source into batches that fit into memory. When the source fails, what it gave before is the last batch. */
export const batchesOf = async function* (items: AsyncIterable<SourceItem>, maxObjects: number): AsyncGenerator<readonly SourceItem[]> {
  const limit = Math.min(maxMessages, maxObjects);
  let [batch, octets]: [SourceItem[], number] = [[], 0];
  try {
    for await (const item of items) {
      const size = item.kind === 'message' ? (item.content?.length ?? 0) : 0;
      if (batch.length > 0 && (batch.length >= limit || octets + size > maxOctets)) {
        yield batch;
        [batch, octets] = [[], 0];
      }
      batch.push(item);
      octets += size;
    }
  } catch (error) {
    if (batch.length > 0) yield batch;
    throw error;
  }
  if (batch.length > 0) yield batch;
};

/** A message to import, once for all of its occurrences in a batch. */
export type ImportEntry = {
  readonly place: string;
  readonly digest: string;
  readonly messageId: string | undefined;
  readonly content: Buffer;
  readonly size: number;
  readonly keywords: readonly string[];
  readonly receivedAt: Date;
  readonly mailboxIds: Set<string>;
  readonly locators: string[];
  /** The number of times that the message occurs in the batch. */
  occurrences: number;
  /** The blob id of the uploaded content; undefined before the upload. */
  blobId: string | undefined;
  /** The number of uploads of the content. */
  uploads: number;
};

/** The keywords of a message as the account takes them, and the number of those that are too many. */
export const keywordsToImport = ({ keywords }: SourceMessage): { readonly keywords: readonly string[]; readonly tooMany: number } => {
  const valid = validKeywords(keywords);
  const { maxKeywordsPerEmail } = emailLimits;
  return { keywords: valid.slice(0, maxKeywordsPerEmail), tooMany: Math.max(0, valid.length - maxKeywordsPerEmail) };
};

export const importEntry = (message: SourceMessage, content: Buffer, mailboxIds: readonly string[]): ImportEntry => ({
  place: message.place,
  digest: digestOf(content),
  messageId: plainMessageId(content),
  content,
  size: content.length,
  // The sources read flags and dates of other programs. None of them may be the reason that a message is refused.
  keywords: keywordsToImport(message).keywords,
  receivedAt: statableDate(message.receivedAt) ?? receivedDate(headerFields(content), new Date()),
  mailboxIds: new Set(mailboxIds),
  locators: message.locator === undefined ? [] : [message.locator],
  occurrences: 1,
  blobId: undefined,
  uploads: 0,
});

/** Joins entries of the same message, which is imported once, into all mailboxes. */
export const mergeEntries = (entries: readonly ImportEntry[]): ImportEntry[] => {
  const merged = new Map<string, ImportEntry>();
  for (const entry of entries) {
    const first = merged.get(entry.digest);
    if (!first) {
      merged.set(entry.digest, entry);
      continue;
    }
    for (const id of entry.mailboxIds) first.mailboxIds.add(id);
    first.locators.push(...entry.locators);
    first.occurrences += 1;
  }
  return [...merged.values()];
};

export const mappedFolders = ({ folders }: SourceMessage, mapping: (folder: SourceFolder) => SourceFolder | undefined): SourceFolder[] =>
  folders.flatMap((folder) => mapping(folder) ?? []);
