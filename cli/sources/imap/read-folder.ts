import { createHash } from 'node:crypto';
import { keywordsOf } from '../keywords.ts';
import { groupsOf, statableDate, tooLargeReason, trash, type ReadOptions, type SourceItem } from '../mail-source.ts';
import { gmailLabels } from '../mbox/mbox-metadata.ts';
import { headerFields, receivedDate } from '../message-header.ts';
import { findAllUids, findUids, listMessages, type ListedMessage } from './folder-listing.ts';
import { describeError, imapPorts, isConnectionError, type Address, type ImapConnection } from './imap-connection.ts';
import type { ImapFolder } from './imap-folders.ts';

/** Maximum octets of messages, and maximum messages, that are fetched together. */
const together = { octets: 8 * 1024 * 1024, count: 100 };

/** Octets after which no more contents of one command are held, for servers that say wrong sizes. The rest is fetched alone. */
const maxHeld = 4 * together.octets;

/** Maximum messages whose flags and sizes one command lists. */
const listedTogether = 2000;

/** Lost connections after which the message that was fetched alone is the cause. */
const maxLosses = 2;

/** The messages of a folder that were read. */
export type FolderProgress = {
  uidValidity: string | undefined;
  /** The UIDs of the messages that were read, or that cannot be read. */
  readonly done: Set<number>;
  /** UIDs that were being fetched when the connection was lost. Each is fetched alone, because one of them may be the cause. */
  readonly suspects: Set<number>;
  /** The number of lost connections while this UID alone was fetched. */
  readonly losses: Map<number, number>;
};

export const noProgress = (): FolderProgress => ({ uidValidity: undefined, done: new Set(), suspects: new Set(), losses: new Map() });

type OpenFolder = { readonly connection: ImapConnection; readonly address: Address; readonly folder: ImapFolder; readonly uidValidity: string | undefined };

/** A message that was read from a folder, with its UID. */
type ReadMessage = { readonly uid: number; readonly item: SourceItem };

/** The server of a message. Another port may be another server. */
const serverOf = ({ host, port }: Address): string => (port === imapPorts.secure || port === imapPorts.plain ? host : `${host}:${port}`);

/** The locator of a message. Without UIDVALIDITY, a UID may stand for another message in the next session. */
const locatorOf = ({ address, folder, uidValidity }: OpenFolder, uid: number): string | undefined =>
  uidValidity === undefined
    ? undefined
    : createHash('sha256')
        .update(JSON.stringify([serverOf(address), address.user, folder.path, uidValidity, uid]))
        .digest('base64url')
        .slice(0, 22);

const isDeleted = ({ flags }: ListedMessage): boolean => [...(flags ?? [])].some((flag) => flag.toLowerCase() === '\\deleted');

const placeOf = ({ folder }: OpenFolder, uid: number): string => `${folder.path}: UID ${uid}`;

/** The internal date. The client reads NIL as 1970-01-01, and so do servers write a date that they do not know. */
const internalDateOf = ({ internalDate }: ListedMessage): Date | undefined => (Number(internalDate) === 0 ? undefined : statableDate(internalDate));

const sourceMessage = (open: OpenFolder, listed: ListedMessage, content: Buffer | undefined): SourceItem => {
  const { folder } = open;
  const labels = folder.hasLabels ? gmailLabels([...(listed.labels ?? [])]) : undefined;
  const locator = locatorOf(open, listed.uid);
  return {
    kind: 'message',
    place: placeOf(open, listed.uid),
    ...(locator !== undefined && { locator }),
    folders: isDeleted(listed) ? [trash] : (labels?.folders ?? [folder.folder]),
    keywords: keywordsOf([...(listed.flags ?? []), ...(labels?.flags ?? [])]),
    receivedAt: internalDateOf(listed) ?? receivedDate(headerFields(content ?? Buffer.alloc(0)), new Date()),
    size: content?.length ?? listed.size ?? 0,
    content,
    done: 1,
  };
};

const problem = (open: OpenFolder, uid: number, reason: string): ReadMessage => ({
  uid,
  item: { kind: 'problem', place: placeOf(open, uid), reason, done: 1 },
});

/** The items that the server left out for a message that was read. */
const unsaid = ({ folder }: OpenFolder, { flags, labels }: ListedMessage): string[] => [
  ...(flags === undefined ? ['flags'] : []),
  ...(folder.hasLabels && labels === undefined ? ['labels'] : []),
];

const cannotGive = (error: unknown): string => `the server cannot give this message: ${describeError(error)}`;

type Contents = {
  readonly contents: ReadonlyMap<number, Buffer>;
  /** Whether the server sent a content without its UID, with a UID that was not asked for, or two for one UID. */
  readonly isConfused: boolean;
  readonly error?: unknown;
};

/** Fetches the contents of messages with one command. */
const fetchContents = async ({ connection: { client } }: OpenFolder, uids: readonly number[]): Promise<Contents> => {
  const [wanted, contents] = [new Set(uids), new Map<number, Buffer>()];
  let [isConfused, octets] = [false, 0];
  const add = (uid: number | undefined, source: Buffer): void => {
    // A server that sends no UID was asked for one message only.
    const known = uid ?? (uids.length === 1 ? uids[0] : undefined);
    if (known === undefined || !wanted.has(known) || contents.get(known)?.equals(source) === false) isConfused = true;
    else if (octets <= maxHeld) {
      contents.set(known, source);
      octets += source.length;
    }
  };
  try {
    for await (const { uid, source } of client.fetch(uids.join(','), { uid: true, source: true }, { uid: true })) {
      if (source) add(uid, source);
    }
    return { contents, isConfused };
  } catch (error) {
    return { contents, isConfused, error };
  }
};

const notSent = 'the server did not send the message';

/**
 * Reads messages together. When the server refuses, it reads them in halves, until the message that the server cannot
 * give is alone. Messages that do not come are read alone.
 */
const readGroup = async function* (
  open: OpenFolder,
  group: readonly ListedMessage[],
  { options, progress }: { readonly options: ReadOptions; readonly progress: FolderProgress },
): AsyncGenerator<ReadMessage> {
  const { suspects, losses } = progress;
  const [only] = group.length === 1 ? group : [];
  const { contents, isConfused, error } = await fetchContents(
    open,
    group.map(({ uid }) => uid),
  );
  const isSure = !isConfused || only;
  for (const message of isSure ? group : []) {
    const { uid } = message;
    const content = contents.get(uid);
    if (content && content.length > options.maxMessageSize) yield problem(open, uid, tooLargeReason(content.length, options.maxMessageSize));
    else if (content && !(isConfused && only)) {
      yield { uid, item: sourceMessage(open, message, content) };
      const missing = unsaid(open, message);
      if (missing.length > 0) {
        const reason = `the server did not say its ${missing.join(' and ')} in a form that can be read: it was imported without them`;
        yield { uid, item: { kind: 'note', place: placeOf(open, uid), reason, done: 1 } };
      }
    }
  }
  const left = isSure ? group.filter(({ uid }) => !contents.has(uid)) : group;
  if (error !== undefined && isConnectionError(open.connection.client, error)) {
    for (const { uid } of left) suspects.add(uid);
    if (only) losses.set(only.uid, (losses.get(only.uid) ?? 0) + 1);
    throw error;
  }
  if (only && isConfused) yield problem(open, only.uid, 'the server sent two different messages for this one');
  else if (only) {
    if (left.length > 0) yield problem(open, only.uid, error === undefined ? notSent : cannotGive(error));
  } else if (error === undefined) for (const message of left) yield* readGroup(open, [message], { options, progress });
  else {
    const middle = Math.ceil(left.length / 2);
    for (const half of [left.slice(0, middle), left.slice(middle)]) if (half.length > 0) yield* readGroup(open, half, { options, progress });
  }
};

const readContents = async function* (
  open: OpenFolder,
  listed: readonly ListedMessage[],
  context: { readonly options: ReadOptions; readonly progress: FolderProgress },
): AsyncGenerator<ReadMessage> {
  const { losses, suspects } = context.progress;
  const isLost = ({ uid }: ListedMessage): boolean => (losses.get(uid) ?? 0) >= maxLosses;
  for (const { uid } of listed.filter(isLost)) {
    yield problem(open, uid, 'the server ends the connection when it is asked for this message');
  }
  const wanted = listed.filter((message) => !isLost(message));
  const groups = [
    ...groupsOf(
      wanted.filter(({ uid }) => !suspects.has(uid)),
      ({ size = together.octets }) => size,
      together,
    ),
    ...wanted.filter(({ uid }) => suspects.has(uid)).map((message) => [message]),
  ];
  for (const group of groups) yield* readGroup(open, group, context);
};

const readListed = async function* (
  open: OpenFolder,
  listed: readonly ListedMessage[],
  context: { readonly options: ReadOptions; readonly progress: FolderProgress },
): AsyncGenerator<ReadMessage> {
  const { isKnown, maxMessageSize } = context.options;
  const wanted: ListedMessage[] = [];
  for (const message of listed) {
    const { uid, size = 0 } = message;
    const locator = locatorOf(open, uid);
    if (size > maxMessageSize) yield problem(open, uid, tooLargeReason(size, maxMessageSize));
    else if (locator !== undefined && isKnown(locator)) yield { uid, item: sourceMessage(open, message, undefined) };
    else wanted.push(message);
  }
  yield* readContents(open, wanted, context);
};

/** UIDs of which the server said nothing at all. */
const silentOf = (listed: readonly ListedMessage[]): number[] =>
  listed.filter(({ size, flags, internalDate }) => size === undefined && flags === undefined && internalDate === undefined).map(({ uid }) => uid);

/**
 * Reads the messages of a folder that were not read yet. Each of them is an item: a message, or a problem. The number
 * of the UIDs is compared with that of the folder.
 */
export const readFolder = async function* (
  connection: ImapConnection,
  address: Address,
  { folder, inStatus }: { readonly folder: ImapFolder; readonly inStatus: number | undefined },
  { options, progress }: { readonly options: ReadOptions; readonly progress: FolderProgress },
): AsyncGenerator<SourceItem> {
  const { client } = connection;
  const lock = await client.getMailboxLock(folder.path, { readOnly: true });
  try {
    const { mailbox } = client;
    const uidValidity = (mailbox && (mailbox.uidValidity as bigint | undefined))?.toString();
    // After a lost connection, the same UIDs may stand for other messages.
    if (progress.uidValidity !== uidValidity) progress.done.clear();
    progress.uidValidity = uidValidity;
    const open: OpenFolder = { connection, address, folder, uidValidity };
    const { uids, expected, isCounted } = await findUids(connection, inStatus);
    const left = [...uids].filter((uid) => !progress.done.has(uid)).sort((one, other) => one - other);
    const known = new Set(uids);
    let missing = expected - uids.size;
    for (let index = 0; index < left.length;) {
      const range = left.slice(index, index + listedTogether);
      index += range.length;
      const listed = await listMessages(connection, range, folder.hasLabels);
      const silent = silentOf(listed);
      const all = silent.length > 0 ? await findAllUids(connection) : undefined;
      if (all) {
        // The folder has changed, or SEARCH was wrong. Now every message is known.
        for (const uid of all) {
          if (!known.has(uid) && !progress.done.has(uid)) left.push(uid);
          known.add(uid);
        }
        missing = 0;
      }
      const ghosts = new Set(all ? silent.filter((uid) => !all.has(uid)) : []);
      for (const uid of ghosts) {
        progress.done.add(uid);
        yield { kind: 'note', place: placeOf(open, uid), reason: 'the server names this message, but does not have it', done: 1 };
      }
      for await (const { uid, item } of readListed(
        open,
        listed.filter(({ uid }) => !ghosts.has(uid)),
        { options, progress },
      )) {
        progress.done.add(uid);
        yield item;
      }
    }
    if (missing > 0 || !isCounted) {
      const reason = isCounted
        ? `the server says that the folder has ${expected} messages, but names only ${expected - missing}`
        : 'the server does not say how many messages the folder has: some may be missing';
      yield { kind: 'problem', place: folder.path, reason, done: 1 };
    }
  } finally {
    lock.release();
  }
};
