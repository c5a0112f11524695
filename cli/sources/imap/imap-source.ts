import { CliError, usageError } from '../../terminal/cli-error.ts';
import type { MailSource, ReadOptions, SourceItem } from '../mail-source.ts';
import { connect, describeError, isConnectionError, reconnecting, type Address, type ImapConnection, type ImapCredentials } from './imap-connection.ts';
import { imapFolders, type ImapFolder } from './imap-folders.ts';
import { noProgress, readFolder } from './read-folder.ts';

/** A folder to read, with the number of its messages by STATUS. Undefined: the server does not say. */
type CountedFolder = { readonly folder: ImapFolder; readonly inStatus: number | undefined };

const inbox: ImapFolder = { path: 'INBOX', folder: { path: ['INBOX'], role: 'inbox' }, hasLabels: false };

/** The folders to read, and the lines of the server from which no folder can be read. @throws CliError when the folder does not exist. */
const listFolders = async (
  connection: ImapConnection,
  { host, folder: only }: Address,
): Promise<{ readonly folders: readonly CountedFolder[]; readonly unread: readonly string[] }> => {
  const { client } = connection;
  const { folders, unread } = await imapFolders(connection, only);
  if (folders.length === 0 && only !== '') throw usageError(`${host} has no folder ${only}`);
  const count = async (path: string): Promise<number | undefined> => {
    const status = await client.status(path, { messages: true }).catch((error: unknown) => {
      if (isConnectionError(client, error)) throw error;
      // The reading of the folder reports a refusal.
      return undefined;
    });
    return status ? status.messages : undefined;
  };
  const counted: CountedFolder[] = [];
  for (const folder of folders) counted.push({ folder, inStatus: await count(folder.path) });
  if (only === '' && !folders.some(({ path, hasLabels }) => hasLabels || path.toUpperCase() === 'INBOX')) {
    // Every server has an inbox (RFC 3501 §5.1). Few do not list it.
    const inStatus = await count('INBOX');
    if (inStatus !== undefined) counted.push({ folder: inbox, inStatus });
  }
  if (counted.length === 0 && unread.length === 0) throw new CliError(`${host} lists no folder`);
  return { folders: counted, unread };
};

/**
 * The mail of a person on an IMAP server. Nothing is changed on the server: folders are opened for reading only, and no
 * message becomes seen. After a lost connection it connects again and continues.
 * @throws CliError when the server cannot be reached, or refuses the sign-in.
 */
export const imapSource = async (address: Address, credentials: ImapCredentials, pause: (milliseconds: number) => Promise<void>): Promise<MailSource> => {
  const connection = reconnecting(address, credentials, await connect(address, credentials), pause);
  const { folders, unread } = await listFolders(connection.current(), address).catch((error: unknown) => {
    connection.current().client.close();
    throw error instanceof CliError ? error : new CliError(`${address.host} does not list its folders: ${describeError(error)}`);
  });
  const readToEnd = async function* (counted: CountedFolder, options: ReadOptions): AsyncGenerator<SourceItem> {
    const progress = noProgress();
    for (;;) {
      try {
        for await (const item of readFolder(connection.current(), address, counted, { options, progress })) {
          connection.succeeded();
          yield item;
        }
        return;
      } catch (error) {
        if (!isConnectionError(connection.current().client, error)) {
          yield { kind: 'problem', place: counted.folder.path, reason: `the folder cannot be read any further: ${describeError(error)}`, done: 1 };
          return;
        }
        await connection.reconnect(error);
      }
    }
  };
  return {
    total: { unit: 'messages', amount: folders.reduce((sum, { inStatus = 0 }) => sum + inStatus, 0) },
    async *read(options) {
      let done = 0;
      for (const line of unread) {
        const reason = `the server lists a folder in a form that cannot be read, and its mail is not imported: ${line}`;
        yield { kind: 'problem', place: address.host, reason, done };
      }
      for (const folder of folders) {
        for await (const item of readToEnd(folder, options)) yield { ...item, done: (done += 1) };
      }
    },
    close: async () => {
      const { client } = connection.current();
      await client.logout().catch(() => client.close());
    },
  };
};
