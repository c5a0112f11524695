import { mkdir, open, readFile, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from '../../contract/values/thrown.ts';
import { digestOf } from '../jmap/jmap-client.ts';
import { stateFile } from '../sign-in/config-files.ts';
import type { CliContext } from '../terminal/cli-context.ts';
import { CliError } from '../terminal/cli-error.ts';

/** A message that the account has, as the server has confirmed. */
export type ImportedMessage = {
  readonly digest: string;
  readonly emailId: string;
  readonly mailboxIds: readonly string[];
  readonly locator: string | undefined;
};

/**
 * The messages imported into an account from all sources, by this user on this machine. The record is kept after the
 * import, so that a later import from a newer copy of the source neither duplicates messages nor restores moved or
 * deleted ones.
 */
export type ImportRecord = {
  /** The id of the Email created from a message; undefined when the message was not imported. */
  readonly emailOf: (digest: string) => string | undefined;
  readonly wasPutInto: (digest: string, mailboxId: string) => boolean;
  readonly hasLocator: (locator: string) => boolean;
  /** Records messages, which are on disk when the call returns. */
  readonly append: (messages: readonly ImportedMessage[]) => Promise<void>;
  readonly close: () => Promise<void>;
};

export const importRecordFile = (environment: CliContext['environment'], jmapUrl: string, accountId: string): string =>
  stateFile(environment, 'imports', `${digestOf(`${jmapUrl} ${accountId}`)}.log`);

const messageLine = /^m ([\w-]{22}) (\S+)((?: \S+)*)$/;
const locatorLine = /^l ([\w-]{22})$/;

const readText = async (path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    throw new CliError(`${path} cannot be read: ${codeOf(error)}`);
  }
};

/**
 * Opens the record of an account. Lines are only appended, so an interrupted write leaves at most an incomplete last
 * line, which is removed.
 * @param isNew whether to ignore the recorded messages. The file is kept, and lines are appended to it.
 */
export const openImportRecord = async (path: string, { isNew }: { readonly isNew: boolean }): Promise<ImportRecord> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const emails = new Map<string, string>();
  const places = new Set<string>();
  const locators = new Set<string>();
  const put = (digest: string, emailId: string, mailboxIds: readonly string[]): void => {
    emails.set(digest, emailId);
    for (const mailboxId of mailboxIds) places.add(`${digest} ${mailboxId}`);
  };
  const text = await readText(path);
  const complete = text.lastIndexOf('\n') + 1;
  if (complete < text.length) await truncate(path, Buffer.byteLength(text.slice(0, complete)));
  for (const line of isNew ? [] : text.slice(0, complete).split('\n')) {
    const [, digest, emailId, mailboxIds = ''] = messageLine.exec(line) ?? [];
    if (digest !== undefined) put(digest, emailId!, mailboxIds.split(' ').filter(Boolean));
    const [, locator] = locatorLine.exec(line) ?? [];
    if (locator !== undefined) locators.add(locator);
  }
  const file = await open(path, 'a', 0o600).catch((error: unknown) => {
    throw new CliError(`${path} cannot be written: ${codeOf(error)}`);
  });
  return {
    emailOf: (digest) => emails.get(digest),
    wasPutInto: (digest, mailboxId) => places.has(`${digest} ${mailboxId}`),
    hasLocator: (locator) => locators.has(locator),
    async append(messages) {
      const lines = messages.flatMap(({ digest, emailId, mailboxIds, locator }) => [
        ['m', digest, emailId, ...mailboxIds].join(' '),
        ...(locator !== undefined && !locators.has(locator) ? [`l ${locator}`] : []),
      ]);
      if (lines.length === 0) return;
      await file.appendFile(`${lines.join('\n')}\n`);
      await file.datasync();
      for (const { digest, emailId, mailboxIds, locator } of messages) {
        put(digest, emailId, mailboxIds);
        if (locator !== undefined) locators.add(locator);
      }
    },
    close: () => file.close(),
  };
};
