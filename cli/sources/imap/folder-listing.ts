import type { FetchMessageObject, FetchQueryObject, ImapFlow } from 'imapflow';
import { isConnectionError, type ImapConnection } from './imap-connection.ts';
import { parseDamagedFetch } from './recorded-lines.ts';

/** A message as a server lists it, before its content is read. Items that the server leaves out are undefined. */
export type ListedMessage = {
  readonly uid: number;
  readonly flags?: Iterable<string> | undefined;
  readonly labels?: Iterable<string> | undefined;
  /** A text when it is no date. */
  readonly internalDate?: Date | string | undefined;
  readonly size?: number | undefined;
};

/** Fetches items of messages. When the server refuses, it fetches them in halves; single messages that are refused are left out. */
const fetchRows = async (client: ImapFlow, uids: readonly number[], query: FetchQueryObject): Promise<FetchMessageObject[]> => {
  try {
    return await client.fetchAll(uids.join(','), { uid: true, ...query }, { uid: true });
  } catch (error) {
    if (isConnectionError(client, error)) throw error;
    if (uids.length === 1) return [];
    const middle = Math.ceil(uids.length / 2);
    return [...(await fetchRows(client, uids.slice(0, middle), query)), ...(await fetchRows(client, uids.slice(middle), query))];
  }
};

/**
 * Lists flags, dates and sizes of messages. The items that do not come, or in a line outside the grammar, are asked for
 * one by one. Every UID is in the result, also when the server says nothing of it.
 */
export const listMessages = async ({ client, lines }: ImapConnection, uids: readonly number[], hasLabels: boolean): Promise<ListedMessage[]> => {
  const messages = new Map<number, ListedMessage>(uids.map((uid) => [uid, { uid }]));
  const add = ({ uid, flags, labels, internalDate, size }: ListedMessage): void => {
    const known = messages.get(uid);
    if (!known) return;
    messages.set(uid, {
      uid,
      flags: known.flags ?? flags,
      labels: known.labels ?? labels,
      internalDate: known.internalDate ?? internalDate,
      size: known.size ?? size,
    });
  };
  lines.take();
  for (const row of await fetchRows(client, uids, { flags: true, internalDate: true, size: true, labels: hasLabels })) add(row);
  const items = [
    ['size', { size: true }],
    ['internalDate', { internalDate: true }],
    ['flags', { flags: true }],
    ...(hasLabels ? ([['labels', { labels: true }]] as const) : []),
  ] as const;
  for (const [item, query] of items) {
    const without = [...messages.values()].filter((message) => message[item] === undefined).map(({ uid }) => uid);
    if (without.length > 0) for (const row of await fetchRows(client, without, query)) add(row);
  }
  for (const line of lines.take().damaged) {
    const message = parseDamagedFetch(line);
    if (message) add(message);
  }
  return [...messages.values()];
};

/** The UIDs that the server gives for all messages of the folder. */
const fetchUids = async (client: ImapFlow): Promise<number[]> => {
  try {
    return (await client.fetchAll('1:*', { uid: true }, { uid: true })).flatMap(({ uid }) => uid ?? []);
  } catch (error) {
    if (isConnectionError(client, error)) throw error;
    return [];
  }
};

/** The number of messages in the open folder. The client counts those that come and go. Undefined: the server does not say. */
const existing = ({ mailbox }: ImapFlow): number | undefined => (mailbox ? mailbox.exists : undefined);

/** The UIDs of an open folder, and what the server says of their number. */
export type FolderUids = { readonly uids: ReadonlySet<number>; readonly expected: number; readonly isCounted: boolean };

/**
 * Finds the UIDs of an open folder. SEARCH may leave out some, so FETCH is asked too when the number is not that of
 * SELECT and STATUS.
 * @param inStatus the number of messages by STATUS, if it is known.
 */
export const findUids = async ({ client }: ImapConnection, inStatus: number | undefined): Promise<FolderUids> => {
  const uids = new Set((await client.search({ all: true }, { uid: true })) || []);
  const agrees = (): boolean => uids.size === existing(client) && (inStatus === undefined || inStatus === uids.size);
  // The second answer is for a server that leaves out something in one of them.
  for (let asked = 0; asked < 2 && !agrees(); asked += 1) for (const uid of await fetchUids(client)) uids.add(uid);
  const exists = existing(client);
  // Messages may have been removed since STATUS.
  const isTrusted = exists !== undefined && exists > 0 && uids.size >= exists;
  return { uids, expected: Math.max(exists ?? 0, isTrusted ? 0 : (inStatus ?? 0)), isCounted: (exists ?? inStatus) !== undefined };
};

/** All UIDs of the open folder. Undefined when their number is not that of the folder. */
export const findAllUids = async ({ client }: ImapConnection): Promise<ReadonlySet<number> | undefined> => {
  const found = new Set(await fetchUids(client));
  return found.size > 0 && found.size === existing(client) ? found : undefined;
};
