import { emailLimits } from '../../contract/jmap/core.ts';
import { printable } from '../../contract/values/printable.ts';
import { isMessage } from '../../core/mime/message-header.ts';
import { parseMessage } from '../../core/mime/parse-message.ts';
import { MailboxRefused, type AccountMailboxes } from '../jmap/account-mailboxes.ts';
import { assertNotInterrupted } from '../jmap/http-client.ts';
import type { MailSource, SourceFolder, SourceItem, SourceMessage } from '../sources/mail-source.ts';
import { commitBatch, noMessage, uploadContents, type CommitDependencies } from './commit-batch.ts';
import type { FolderMapping } from './folder-mapping.ts';
import { batchesOf, importEntry, keywordsToImport, mappedFolders, mergeEntries, type ImportEntry } from './import-batches.ts';

export type ImportCounts = {
  messages: number;
  octets: number;
  /** The number of messages that became Emails. */
  imported: number;
  /** The number of messages that existed in the account and were added to another mailbox. */
  filed: number;
  /** The number of messages that the account already had, or that an earlier import added. */
  present: number;
  /** The number of messages in folders that are left out. */
  skipped: number;
  failed: number;
  /** The number of notes in the report, which are no failures. */
  notes: number;
};

export const noCounts = (): ImportCounts => ({ messages: 0, octets: 0, imported: 0, filed: 0, present: 0, skipped: 0, failed: 0, notes: 0 });

type ImportProgress = {
  readonly counts: ImportCounts;
  /** Called with the amount of the source that was processed, in the unit of the source's total. */
  readonly reached: (done: number) => void;
  /** Called for each message, or other item, that was not imported, and for each note. */
  readonly report: (place: string, reason: string) => void;
};

export type ImportTarget = Omit<CommitDependencies, 'settle'> & { readonly mailboxes: AccountMailboxes; readonly mapping: FolderMapping };

type ReadItem = { readonly message: SourceMessage; readonly folders: readonly SourceFolder[] };

/** Reads the items of a source in batches, without the contents of messages that were imported before. */
const readBatches = (source: MailSource, { client, record }: ImportTarget, signal: AbortSignal) =>
  batchesOf(source.read({ maxMessageSize: client.maxMessageSize, isKnown: record.hasLocator, signal }), client.session.limits.maxObjectsInSet);

/** The reason why a message cannot be imported, if its octets or their number say so. */
const refusalOf = ({ content }: SourceMessage): string | undefined => {
  if (content?.length === 0) return 'the message is empty';
  return content && !isMessage(content, parseMessage(content).email.bodyStructure) ? noMessage : undefined;
};

/** Reads the messages of a batch whose folders are imported, counts the other messages, and reports what cannot be imported. */
const readItems = (items: readonly SourceItem[], { mapping }: ImportTarget, { counts, report }: ImportProgress): ReadItem[] =>
  items.flatMap((item): ReadItem[] => {
    if (item.kind === 'note') {
      counts.notes += 1;
      report(item.place, item.reason);
      return [];
    }
    counts.messages += 1;
    const fail = (reason: string): ReadItem[] => {
      counts.failed += 1;
      report(item.place, reason);
      return [];
    };
    if (item.kind === 'problem') return fail(item.reason);
    const refusal = refusalOf(item);
    if (refusal !== undefined) return fail(refusal);
    const { tooMany } = keywordsToImport(item);
    if (tooMany > 0 && item.content) {
      counts.notes += 1;
      report(item.place, `${tooMany} of its keywords are left out: the account takes at most ${emailLimits.maxKeywordsPerEmail}`);
    }
    counts.octets += item.size;
    const folders = mappedFolders(item, mapping);
    if (folders.length === 0) counts.skipped += 1;
    return folders.length === 0 ? [] : [{ message: item, folders }];
  });

/**
 * The messages with their mailboxes, which are created when they do not exist. A message without content was imported
 * earlier.
 */
const entriesOf = async (items: readonly ReadItem[], { mailboxes }: ImportTarget, { counts, report }: ImportProgress): Promise<ImportEntry[]> => {
  const entries: ImportEntry[] = [];
  for (const { message, folders } of items) {
    if (!message.content) {
      counts.present += 1;
      continue;
    }
    try {
      const mailboxIds: string[] = [];
      for (const folder of folders) mailboxIds.push(await mailboxes.findOrCreate(folder));
      entries.push(importEntry(message, message.content, mailboxIds));
    } catch (error) {
      if (!(error instanceof MailboxRefused)) throw error;
      counts.failed += 1;
      report(message.place, error.message);
    }
  }
  return mergeEntries(entries);
};

/** Uploads missing messages. Messages that are part of the previous batch's commit are skipped. */
const uploadNew = async (dependencies: CommitDependencies, entries: readonly ImportEntry[], committing: ReadonlySet<string>): Promise<ImportEntry[]> => {
  const candidates = entries.filter(({ digest }) => dependencies.record.emailOf(digest) === undefined && !committing.has(digest));
  const found = await dependencies.emails.find(candidates);
  const fresh = candidates.filter(({ digest }) => !found.has(digest));
  const uploaded = new Set(await uploadContents(dependencies, fresh));
  return entries.filter((entry) => !fresh.includes(entry) || uploaded.has(entry));
};

/**
 * Imports all messages of a source. While a batch is committed, the next one is read and uploaded. Confirmed messages
 * are recorded, so that an interrupted import continues where it ended.
 * @throws CliError when no other message can be imported; Interrupted.
 */
export const importMessages = async (source: MailSource, target: ImportTarget, progress: ImportProgress, signal: AbortSignal): Promise<void> => {
  const { counts } = progress;
  const dependencies: CommitDependencies = {
    ...target,
    settle: (entry, outcome, reason) => {
      counts[outcome] += 1;
      counts.present += outcome === 'failed' ? 0 : entry.occurrences - 1;
      counts.failed += outcome === 'failed' ? entry.occurrences - 1 : 0;
      if (outcome === 'failed') progress.report(entry.place, reason ?? 'unknown reason');
    },
  };
  let committing: { readonly digests: ReadonlySet<string>; readonly ended: Promise<void> } = { digests: new Set(), ended: Promise.resolve() };
  try {
    for await (const items of readBatches(source, target, signal)) {
      assertNotInterrupted(signal);
      const entries = await entriesOf(readItems(items, target, progress), target, progress);
      const ready = await uploadNew(dependencies, entries, committing.digests);
      await committing.ended;
      const commit = async (): Promise<void> => {
        await commitBatch(dependencies, ready);
        progress.reached(items.at(-1)!.done);
      };
      committing = { digests: new Set(ready.map(({ digest }) => digest)), ended: commit() };
      // A failure is thrown at the next batch, or at the end.
      committing.ended.catch(() => undefined);
    }
  } finally {
    await committing.ended;
  }
};

/** The counts of messages in a folder of a source. */
export type FolderCounts = { messages: number; octets: number; present: number };

/**
 * Reads a source as an import does, and counts its messages by folder and how many of them the account has. It changes
 * nothing.
 */
export const countMessages = async (
  source: MailSource,
  target: ImportTarget,
  progress: ImportProgress,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, FolderCounts>> => {
  const { record, emails } = target;
  const { counts } = progress;
  const byFolder = new Map<string, FolderCounts>();
  for await (const items of readBatches(source, target, signal)) {
    assertNotInterrupted(signal);
    const read = readItems(items, target, progress).map((item) => {
      const { message } = item;
      return { ...item, entry: message.content && importEntry(message, message.content, []) };
    });
    const found = await emails.find(read.flatMap(({ entry }) => (entry && record.emailOf(entry.digest) === undefined ? [entry] : [])));
    for (const { message, folders, entry } of read) {
      const isPresent = !entry || record.emailOf(entry.digest) !== undefined || found.has(entry.digest);
      if (isPresent) counts.present += 1;
      for (const { path, role } of folders) {
        const name = printable(`${path.join('/')}${role && role !== path[0]?.toLowerCase() ? ` (${role})` : ''}`);
        const folder = byFolder.get(name) ?? { messages: 0, octets: 0, present: 0 };
        byFolder.set(name, { messages: folder.messages + 1, octets: folder.octets + message.size, present: folder.present + (isPresent ? 1 : 0) });
      }
    }
    progress.reached(items.at(-1)!.done);
  }
  return byFolder;
};
