import { createHash } from 'node:crypto';
import { ImapFlow, type FetchMessageObject } from 'imapflow';
import { loopbackHosts } from '../../../contract/oauth/registration.ts';
import { CliError, exitCodes, signInError, usageError } from '../../terminal/cli-error.ts';
import { imapFolders, type ImapFolder } from './imap-folders.ts';
import { keywordsOf } from '../keywords.ts';
import { groupsOf, tooLargeReason, trash, type MailSource, type ReadOptions, type SourceItem } from '../mail-source.ts';
import { gmailLabels } from '../mbox/mbox-metadata.ts';

/** The credentials for the IMAP server: a password, or an access token of OAuth (XOAUTH2, OAUTHBEARER). */
export type ImapCredentials = { readonly pass: string } | { readonly accessToken: string };

/** Maximum octets of messages, and maximum messages, that are fetched together. */
const together = { octets: 8 * 1024 * 1024, count: 100 };

/** Maximum messages whose flags and sizes one command lists. */
const listedTogether = 2000;

/**
 * Maximum consecutive attempts to continue after a lost connection without reading a message, and seconds before the
 * first attempt.
 */
const maxReconnects = 6;
const reconnectDelay = 2;

type Address = { readonly host: string; readonly port: number; readonly secure: boolean; readonly user: string; readonly folder: string };

const decodePart = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

/**
 * Parses `imaps://user@host[:port][/folder]`. The user may be an address, with `@` or `%40`.
 * @throws CliError for another URL, a URL with a password, and a URL without TLS, except to this machine.
 */
export const parseImapUrl = (text: string): Address => {
  const [, scheme, userPart, hostPart, path = ''] = /^(imaps?):\/\/(.+)@([^@/]+)(?:\/(.*))?$/s.exec(text) ?? [];
  const url = hostPart === undefined ? null : URL.parse(`http://${hostPart}`);
  if (!url || userPart === undefined) {
    throw usageError('an IMAP server is written imaps://USER@HOST, for example imaps://ada%40example.com@imap.example.com');
  }
  if (userPart.includes(':')) {
    throw usageError('the password must not be in the URL; it is asked for, or read from POSTRIDER_IMAP_PASSWORD');
  }
  const secure = scheme === 'imaps';
  if (!secure && !loopbackHosts.some((host) => host === url.hostname)) throw usageError('IMAP without TLS is not supported: use imaps://');
  const port = Number(url.port) || (secure ? 993 : 143);
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port, secure, user: decodePart(userPart), folder: decodePart(path) };
};

const connect = async ({ host, port, secure, user }: Address, credentials: ImapCredentials): Promise<ImapFlow> => {
  const client = new ImapFlow({ host, port, secure, auth: { user, ...credentials }, logger: false, disableAutoIdle: true });
  // Running commands report the lost connection themselves.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    client.close();
    const { authenticationFailed, responseText, message } = error as Error & { authenticationFailed?: boolean; responseText?: string };
    if (authenticationFailed) throw signInError(`${host} refused the sign-in of ${user}: ${responseText ?? message}`);
    throw new CliError(`${host} cannot be reached: ${message}`);
  }
};

type OpenFolder = { readonly client: ImapFlow; readonly address: Address; readonly folder: ImapFolder; readonly uidValidity: string };

const locatorOf = ({ address, folder, uidValidity }: OpenFolder, uid: number): string =>
  createHash('sha256').update(JSON.stringify([address.host, address.user, folder.path, uidValidity, uid])).digest('base64url').slice(0, 22);

const isDeleted = ({ flags }: FetchMessageObject): boolean => [...flags ?? []].some((flag) => flag.toLowerCase() === '\\deleted');

const sourceMessage = (open: OpenFolder, listed: FetchMessageObject, content: Buffer | undefined): SourceItem => {
  const { folder } = open;
  const labels = folder.hasLabels ? gmailLabels([...listed.labels ?? []]) : undefined;
  return {
    kind: 'message', place: `${folder.path}: UID ${listed.uid}`, locator: locatorOf(open, listed.uid),
    folders: isDeleted(listed) ? [trash] : labels?.folders ?? [folder.folder],
    keywords: keywordsOf([...listed.flags ?? [], ...labels?.flags ?? []]),
    receivedAt: new Date(listed.internalDate ?? Date.now()), size: content?.length ?? listed.size ?? 0, content, done: 1,
  };
};

/** A message that was read from a folder, with its UID. */
type ReadMessage = { readonly uid: number; readonly item: SourceItem };

const problem = ({ folder }: OpenFolder, uid: number, reason: string): ReadMessage =>
  ({ uid, item: { kind: 'problem', place: `${folder.path}: UID ${uid}`, reason, done: 1 } });

/** The messages of a folder that were read: all up to a UID, and single UIDs above it. */
type FolderProgress = {
  upTo: number;
  readonly above: Set<number>;
  /** UIDs that were being fetched when the connection was lost. Each is fetched alone, because one of them may be the cause. */
  readonly suspects: Set<number>;
  /** The number of lost connections while this UID alone was fetched. */
  readonly losses: Map<number, number>;
};

/** Lost connections after which the message that was fetched alone is the cause. */
const maxLosses = 2;

const cannotGive = (error: unknown): string => `the server cannot give this message: ${describeError(error)}`;

/**
 * Fetches messages together. When the server refuses, it fetches them in halves, until the message that the server
 * cannot give is alone.
 */
const fetchGroup = async function* (
  open: OpenFolder, group: readonly FetchMessageObject[], progress: FolderProgress,
): AsyncGenerator<ReadMessage> {
  const { suspects, losses } = progress;
  const missing = new Map(group.map((message) => [message.uid, message]));
  try {
    for await (const { uid, source } of open.client.fetch([...missing.keys()].join(','), { uid: true, source: true }, { uid: true })) {
      const message = missing.get(uid);
      if (!message || !source) continue;
      missing.delete(uid);
      yield { uid, item: sourceMessage(open, message, source) };
    }
  } catch (error) {
    const left = [...missing.values()];
    if (isConnectionError(open.client, error)) {
      for (const { uid } of left) suspects.add(uid);
      if (group.length === 1) losses.set(group[0]!.uid, (losses.get(group[0]!.uid) ?? 0) + 1);
      throw error;
    }
    if (group.length === 1) yield problem(open, group[0]!.uid, cannotGive(error));
    else {
      const middle = Math.ceil(left.length / 2);
      for (const half of [left.slice(0, middle), left.slice(middle)]) if (half.length > 0) yield* fetchGroup(open, half, progress);
    }
    return;
  }
  for (const uid of missing.keys()) yield problem(open, uid, 'the server did not send the message');
};

const fetchContents = async function* (
  open: OpenFolder, listed: readonly FetchMessageObject[], progress: FolderProgress,
): AsyncGenerator<ReadMessage> {
  const isLost = ({ uid }: FetchMessageObject): boolean => (progress.losses.get(uid) ?? 0) >= maxLosses;
  for (const { uid } of listed.filter(isLost)) {
    yield problem(open, uid, 'the server ends the connection when it is asked for this message');
  }
  const wanted = listed.filter((message) => !isLost(message));
  const groups = [
    ...groupsOf(wanted.filter(({ uid }) => !progress.suspects.has(uid)), ({ size = 0 }) => size, together),
    ...wanted.filter(({ uid }) => progress.suspects.has(uid)).map((message) => [message]),
  ];
  for (const group of groups) yield* fetchGroup(open, group, progress);
};

const readListed = async function* (
  open: OpenFolder, listed: readonly FetchMessageObject[], options: ReadOptions, progress: FolderProgress,
): AsyncGenerator<ReadMessage> {
  const wanted: FetchMessageObject[] = [];
  for (const message of listed) {
    const { uid, size = 0 } = message;
    if (size > options.maxMessageSize) yield problem(open, uid, tooLargeReason(size, options.maxMessageSize));
    else if (options.isKnown(locatorOf(open, uid))) yield { uid, item: sourceMessage(open, message, undefined) };
    else wanted.push(message);
  }
  yield* fetchContents(open, wanted, progress);
};

type Listing = { readonly listed: readonly FetchMessageObject[]; readonly refused: readonly { readonly uid: number; readonly error: unknown }[] };

/** Lists flags, dates and sizes of messages. When the server refuses, it lists them in halves. */
const listMessages = async (open: OpenFolder, uids: readonly number[]): Promise<Listing> => {
  const query = { uid: true, flags: true, internalDate: true, size: true, labels: open.folder.hasLabels };
  try {
    return { listed: await open.client.fetchAll(uids.join(','), query, { uid: true }), refused: [] };
  } catch (error) {
    if (isConnectionError(open.client, error)) throw error;
    if (uids.length === 1) return { listed: [], refused: [{ uid: uids[0]!, error }] };
    const middle = Math.ceil(uids.length / 2);
    const [one, other] = [await listMessages(open, uids.slice(0, middle)), await listMessages(open, uids.slice(middle))];
    return { listed: [...one.listed, ...other.listed], refused: [...one.refused, ...other.refused] };
  }
};

const readFolder = async function* (
  connection: { readonly client: ImapFlow; readonly address: Address }, folder: ImapFolder, options: ReadOptions, progress: FolderProgress,
): AsyncGenerator<SourceItem> {
  const lock = await connection.client.getMailboxLock(folder.path, { readOnly: true });
  try {
    const { mailbox } = connection.client;
    const open: OpenFolder = { ...connection, folder, uidValidity: String(mailbox && mailbox.uidValidity) };
    const uids = await connection.client.search({ all: true }, { uid: true });
    const left = (uids || []).filter((uid) => uid > progress.upTo && !progress.above.has(uid)).sort((one, other) => one - other);
    for (let index = 0; index < left.length; index += listedTogether) {
      const range = left.slice(index, index + listedTogether);
      const { listed, refused } = await listMessages(open, range);
      for (const { uid, error } of refused) {
        progress.above.add(uid);
        yield problem(open, uid, cannotGive(error)).item;
      }
      for await (const { uid, item } of readListed(open, listed, options, progress)) {
        progress.above.add(uid);
        yield item;
      }
      progress.upTo = range.at(-1)!;
      progress.above.clear();
    }
  } finally {
    lock.release();
  }
};

/** The server's text for an error, if it has one. */
const describeError = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown error';
  const { responseText } = error as Error & { responseText?: unknown };
  return typeof responseText === 'string' ? responseText : error.message;
};

const isConnectionError = (client: ImapFlow, error: unknown): boolean =>
  !client.usable || /NoConnection|EConnectionClosed|ECONN|ETIMEDOUT|EPIPE/.test(String((error as { code?: string }).code));

/** The folders to read, and the number of their messages. @throws CliError when the folder does not exist. */
const listFolders = async (client: ImapFlow, { host, folder }: Address): Promise<{
  readonly folders: ImapFolder[];
  readonly amount: number;
}> => {
  const folders = await imapFolders(client, folder);
  if (folders.length === 0) throw usageError(`${host} has no folder ${folder}`);
  let amount = 0;
  for (const { path } of folders) {
    const status = await client.status(path, { messages: true }).catch((error: unknown) => {
      if (isConnectionError(client, error)) throw error;
      // The number is for the progress only. What the server refuses of the folder is said when it is read.
      return undefined;
    });
    amount += status ? status.messages ?? 0 : 0;
  }
  return { folders, amount };
};

/** A connection that is opened again after it is lost. */
const reconnecting = (
  address: Address, credentials: ImapCredentials, first: ImapFlow, pause: (milliseconds: number) => Promise<void>,
) => {
  let client = first;
  let failures = 0;
  return {
    current: () => client,
    succeeded: () => { failures = 0; },
    /**
     * Connects again after an error of the connection.
     * @throws CliError after the maximum number of attempts.
     */
    async reconnect(error: unknown): Promise<void> {
      client.close();
      for (;;) {
        if (failures >= maxReconnects) throw new CliError(`the connection to ${address.host} is lost: ${describeError(error)}`);
        failures += 1;
        await pause(reconnectDelay * 1000 * 2 ** (failures - 1));
        try {
          client = await connect(address, credentials);
          return;
        } catch (again) {
          if (!(again instanceof CliError) || again.exitCode !== exitCodes.refused) throw again;
        }
      }
    },
  };
};

/**
 * The mail of a person on an IMAP server. Nothing is changed on the server: folders are opened for reading only, and no
 * message becomes seen. After a lost connection it connects again and continues.
 * @throws CliError when the server cannot be reached, or refuses the sign-in.
 */
export const imapSource = async (
  address: Address, credentials: ImapCredentials, pause: (milliseconds: number) => Promise<void>,
): Promise<MailSource> => {
  const connection = reconnecting(address, credentials, await connect(address, credentials), pause);
  const { folders, amount } = await listFolders(connection.current(), address).catch((error: unknown) => {
    connection.current().close();
    throw error instanceof CliError ? error : new CliError(`${address.host} does not list its folders: ${describeError(error)}`);
  });
  const readToEnd = async function* (folder: ImapFolder, options: ReadOptions): AsyncGenerator<SourceItem> {
    const progress: FolderProgress = { upTo: 0, above: new Set(), suspects: new Set(), losses: new Map() };
    for (;;) {
      try {
        for await (const item of readFolder({ client: connection.current(), address }, folder, options, progress)) {
          connection.succeeded();
          yield item;
        }
        return;
      } catch (error) {
        if (!isConnectionError(connection.current(), error)) {
          yield { kind: 'problem', place: folder.path, reason: `the folder cannot be read any further: ${describeError(error)}`, done: 1 };
          return;
        }
        await connection.reconnect(error);
      }
    }
  };
  return {
    total: { unit: 'messages', amount },
    async *read(options) {
      let done = 0;
      for (const folder of folders) {
        for await (const item of readToEnd(folder, options)) yield { ...item, done: done += 1 };
      }
    },
    close: async () => { await connection.current().logout().catch(() => connection.current().close()); },
  };
};
