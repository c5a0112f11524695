import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, extname } from 'node:path';
import { codeOf } from '../../contract/values/thrown.ts';
import type { MailContext } from '../terminal/cli-context.ts';
import { CliError, signInError, usageError } from '../terminal/cli-error.ts';
import { firstOctets } from './directory/directory-scan.ts';
import { directorySource } from './directory/directory-source.ts';
import { isEmlx } from './emlx.ts';
import { folderNamed } from './folder-names.ts';
import type { ImapCredentials } from './imap/imap-connection.ts';
import type { MailSource } from './mail-source.ts';
import { flagsFileOf } from './mbox/exported-flags.ts';
import type { MboxQuoting } from './mbox/mbox-format.ts';
import { mboxFile, mboxFolder, readMboxMessages } from './mbox/mbox-source.ts';
import { messageFileItems } from './message-file.ts';
import { beginsLikeMbox, beginsLikeMessage } from './message-header.ts';
import { findInSource, NotRead, openInSource, sourceRoot } from './source-file.ts';

const imapCredentials = async ({ environment, readSecret }: MailContext, user: string): Promise<ImapCredentials> => {
  const { POSTRIDER_IMAP_TOKEN: accessToken, POSTRIDER_IMAP_PASSWORD: pass } = environment;
  if (accessToken) return { accessToken };
  const password = pass ?? (await readSecret(`Password of ${user}: `));
  if (password === '') throw signInError('no password was given');
  return { pass: password };
};

const messageSource = (path: string, modifiedAt: Date, size: number): MailSource => ({
  total: { unit: 'octets', amount: size },
  async *read() {
    const content = await readFile(path);
    yield* messageFileItems({ place: path, folder: folderNamed([]), content, modifiedAt, done: content.length });
  },
  close: async () => undefined,
});

/** The folder of a file. @throws CliError when the flags beside an mbox are a link out of it, or no file. */
const folderOfMbox = async (path: string): Promise<Buffer> => {
  const folder = await sourceRoot(dirname(path));
  await findInSource(flagsFileOf(path), folder).catch((error: unknown) => {
    if (error instanceof NotRead) throw new CliError(`${flagsFileOf(path)} is not read: ${error.message}`);
  });
  return folder;
};

const fileSource = async (path: string, quoting: MboxQuoting, { size, mtime }: { size: number; mtime: Date }): Promise<MailSource> => {
  const start = await firstOctets(await openInSource(path, undefined));
  if (/\.zip$/i.test(path) || start.subarray(0, 4).toString('latin1') === 'PK\u0003\u0004') {
    return (await import('./zip-source.ts')).zipFileSource(path, quoting);
  }
  if (isEmlx(path)) return messageSource(path, mtime, size);
  if (beginsLikeMbox(start) || size === 0) {
    const [name, flagsRoot] = [basename(path), await folderOfMbox(path)];
    const properties = { name, folder: mboxFolder([name]), quoting, modifiedAt: mtime };
    return {
      total: { unit: 'octets', amount: size },
      read: (options) => readMboxMessages(mboxFile(Buffer.from(path), { root: undefined, flagsRoot }, properties), options),
      close: async () => undefined,
    };
  }
  if (beginsLikeMessage(start)) return messageSource(path, mtime, size);
  const hint = ['.tgz', '.gz', '.tar', '.pst'].includes(extname(path).toLowerCase()) ? ': unpack or convert it first' : '';
  throw usageError(`${path} is no mbox, zip or message${hint}`);
};

/**
 * Opens a source of mail: an mbox, a zip, a message, a folder or maildir, `s3://BUCKET/KEY`, or `imaps://USER@HOST`.
 * @throws CliError when the source does not exist, or cannot be read.
 */
export const openSource = async (source: string, quoting: MboxQuoting, context: MailContext): Promise<MailSource> => {
  // These modules are imported only when they are needed, because the clients of S3 and IMAP take half a second to
  // load.
  if (source.startsWith('s3://')) return (await import('./s3-source.ts')).s3Source(source, quoting);
  if (/^imaps?:\/\//.test(source)) {
    const [{ imapSource }, { parseImapUrl }] = await Promise.all([import('./imap/imap-source.ts'), import('./imap/imap-connection.ts')]);
    const address = parseImapUrl(source);
    return imapSource(address, await imapCredentials(context, address.user), context.pause);
  }
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(source)) {
    throw usageError(`${source}: a source is a file, a folder, s3://BUCKET/KEY or imaps://USER@HOST`);
  }
  const found = await stat(source).catch((error: unknown) => {
    throw new CliError(`${source} cannot be read: ${codeOf(error)}`);
  });
  if (!found.isDirectory() && !found.isFile()) {
    throw usageError(`${source} is a pipe, a socket or a device: write its content to a file, and import that file`);
  }
  return found.isDirectory() ? directorySource(source, quoting) : fileSource(source, quoting, found);
};
