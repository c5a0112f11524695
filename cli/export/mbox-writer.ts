import { lstat, type FileHandle } from 'node:fs/promises';
import { inOrder } from '../jmap/in-order.ts';
import { flagsFileOf, parseFlags, type ExportedFlags } from '../sources/mbox/exported-flags.ts';
import { fromLine, quoteMessage } from '../sources/mbox/mbox-format.ts';
import { headerFields } from '../sources/message-header.ts';
import { CliError } from '../terminal/cli-error.ts';
import { openToAppend, readTextFile, replaceFile, truncateFile } from './export-files.ts';
import { emailGroups, keywordsOfEmail, type ExportedEmail, type FetchMessages } from './exported-email.ts';

/** Messages, and octets, after which written data are flushed to disk. */
const syncMessages = 200;
const syncOctets = 16 * 1024 * 1024;

type MboxExport = {
  readonly path: string;
  readonly emails: readonly ExportedEmail[];
  /** Returns the mailboxes of an Email. Present when the mbox contains several mailboxes. */
  readonly mailboxesOf: ((email: ExportedEmail) => ExportedFlags['mailboxes']) | undefined;
  readonly fetchMessages: FetchMessages;
  readonly atOnce: number;
  /** Called with each Email in the mbox, and whether it was there before. */
  readonly settle: (email: ExportedEmail, wasThere: boolean) => void;
};

/** The envelope sender that the delivery recorded. */
const senderOf = (content: Buffer): string | undefined => /^<([^<>\s]{1,320})>$/.exec(headerFields(content).get('return-path')[0] ?? '')?.[1];

/**
 * A message as an entry of an mboxrd: its From line, the quoted message, and a blank line. Added lines have the line
 * ends of the message. A missing final line end is added; the exported flags have the true size.
 */
export const mboxEntry = (content: Buffer, receivedAt: Date): Buffer => {
  const first = content.indexOf('\n');
  const lineEnd = first > 0 && content[first - 1] === 0x0d ? '\r\n' : '\n';
  const isComplete = content.length === 0 || content.at(-1) === 0x0a;
  return Buffer.concat([
    Buffer.from(`${fromLine(receivedAt, senderOf(content))}${lineEnd}`),
    quoteMessage(content),
    Buffer.from(`${isComplete ? '' : lineEnd}${lineEnd}`),
  ]);
};

const sizeOf = (path: string): Promise<number | undefined> =>
  lstat(path).then(
    ({ size }) => size,
    () => undefined,
  );

/** The messages that an interrupted export wrote completely. The octets after them are removed. */
const completeMessages = async (path: string): Promise<ExportedFlags[]> => {
  const flagsPath = flagsFileOf(path);
  const size = await sizeOf(path);
  const text = await readTextFile(flagsPath);
  if (text === undefined && (size ?? 0) > 0) throw new CliError(`${path} exists, and postrider did not write it: name another place`);
  const complete: ExportedFlags[] = [];
  let kept = 0;
  for (const line of (text ?? '').split('\n').slice(0, -1)) {
    const flags = parseFlags(line);
    if (!flags || flags.end > (size ?? 0) || flags.end < (complete.at(-1)?.end ?? 0)) break;
    complete.push(flags);
    kept += Buffer.byteLength(line) + 1;
  }
  if (text !== undefined) await truncateFile(flagsPath, kept);
  if (size !== undefined) await truncateFile(path, complete.at(-1)?.end ?? 0);
  return complete;
};

const flagsOf = (email: ExportedEmail, end: number, { mailboxesOf }: MboxExport): ExportedFlags => ({
  id: email.id,
  size: email.size,
  end,
  keywords: keywordsOfEmail(email),
  receivedAt: email.receivedAt,
  ...(mailboxesOf && { mailboxes: mailboxesOf(email) }),
});

/** Writes each message before its line of flags, so that a line of flags on disk always has a message. */
const batchWriter = (mbox: FileHandle, flags: FileHandle) => {
  let pending: ExportedFlags[] = [];
  let octets = 0;
  const sync = async (): Promise<void> => {
    if (pending.length === 0) return;
    await mbox.datasync();
    await flags.appendFile(pending.map((line) => `${JSON.stringify(line)}\n`).join(''));
    await flags.datasync();
    [pending, octets] = [[], 0];
  };
  return {
    sync,
    async add(entry: Buffer, line: ExportedFlags): Promise<void> {
      await mbox.appendFile(entry);
      pending.push(line);
      octets += entry.length;
      if (pending.length >= syncMessages || octets >= syncOctets) await sync();
    },
  };
};

/** Updates the flags of messages that were exported before. */
const updateFlags = async (target: MboxExport, before: readonly ExportedFlags[]): Promise<void> => {
  const current = new Map(target.emails.map((email) => [email.id, email]));
  const path = flagsFileOf(target.path);
  const lines = before.map((flags) => {
    const email = current.get(flags.id);
    return JSON.stringify(email ? flagsOf(email, flags.end, target) : flags);
  });
  if (lines.every((line, index) => line === JSON.stringify(before[index]))) return;
  await replaceFile(path, lines.map((line) => `${line}\n`).join(''));
};

/**
 * Writes an mboxrd and its file of flags, or continues interrupted ones.
 * @throws CliError when the file belongs to another export, or cannot be written.
 */
export const exportMbox = async (target: MboxExport): Promise<void> => {
  const before = await completeMessages(target.path);
  await updateFlags(target, before);
  const written = new Set(before.map(({ id }) => id));
  const left = target.emails.filter(({ id }) => !written.has(id));
  for (const email of target.emails) if (written.has(email.id)) target.settle(email, true);
  const mbox = await openToAppend(target.path);
  const flags = await openToAppend(flagsFileOf(target.path)).catch(async (error: unknown) => {
    await mbox.close();
    throw error;
  });
  const writer = batchWriter(mbox, flags);
  let end = before.at(-1)?.end ?? 0;
  try {
    const groups = inOrder(emailGroups(left), target.atOnce, async (emails) => ({ emails, contents: await target.fetchMessages(emails) }));
    for await (const { emails, contents } of groups) {
      for (const [index, email] of emails.entries()) {
        const content = contents[index];
        if (!content) continue;
        const entry = mboxEntry(content, new Date(email.receivedAt));
        end += entry.length;
        await writer.add(entry, flagsOf(email, end, target));
        target.settle(email, false);
      }
    }
  } finally {
    try {
      await writer.sync();
    } finally {
      await Promise.all([mbox.close(), flags.close()]);
    }
  }
};
