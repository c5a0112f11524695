import { basename, dirname, join } from 'node:path';
import { vCardVersions } from '../import/vcard/content-lines.ts';
import { isVCardFile } from '../import/vcard/import-contacts.ts';
import { readMailboxes, type AccountMailboxes } from '../jmap/account-mailboxes.ts';
import { assertNotInterrupted, Interrupted } from '../jmap/http-client.ts';
import type { JmapClient } from '../jmap/jmap-client.ts';
import { connectToAccount } from '../jmap/mail-connection.ts';
import { exportFormats } from '../sources/mbox/export-manifest.ts';
import type { MailContext } from '../terminal/cli-context.ts';
import { exitCodes, usageError, type ExitCode } from '../terminal/cli-error.ts';
import { parseOptions } from '../terminal/parse.ts';
import { numberText, octetsText, progressLine } from '../terminal/progress-line.ts';
import { exportRoot } from './export-files.ts';
import { planLayout } from './export-layout.ts';
import { downloadsAtOnce, listExportedEmails, messageFetcher, type ExportedEmail } from './exported-email.ts';
import { exportMaildir } from './maildir-writer.ts';
import { exportMbox } from './mbox-writer.ts';
import { exportContacts } from './vcard/export-contacts.ts';

const options = {
  account: { type: 'string' },
  server: { type: 'string' },
  outputs: { type: 'string' },
  to: { type: 'string' },
  format: { type: 'string' },
  'vcard-version': { type: 'string' },
} as const;

/** Reads the options of `postrider export`. @throws CliError for a wrong command line. */
export const readExportArguments = (args: readonly string[]) => {
  const { values } = parseOptions(args, options);
  if (values.to === undefined) throw usageError('postrider export takes --to: a folder, or a file that ends with .mbox or .vcf');
  const version = vCardVersions.find((each) => each === (values['vcard-version'] ?? '4.0'));
  if (!version) throw usageError(`--vcard-version is one of ${vCardVersions.join(', ')}`);
  const isFile = /\.mbox$/i.test(values.to);
  const format = exportFormats.find((each) => each === (values.format ?? 'mbox'));
  if (!format) throw usageError(`--format is one of ${exportFormats.join(', ')}`);
  if (isFile && format === 'maildir') throw usageError('--to names an mbox, so --format maildir is not possible');
  return { ...values, to: values.to, format, isFile, version };
};
type ExportArguments = ReturnType<typeof readExportArguments>;

/** Counts the exported Emails. An Email in several mailboxes is counted in each of them. */
type ExportCounts = { total: number; totalOctets: number; written: number; present: number; octets: number };

type Export = { readonly client: JmapClient; readonly mailboxes: AccountMailboxes; readonly emails: readonly ExportedEmail[] };

const inMailbox = (emails: readonly ExportedEmail[], id: string): ExportedEmail[] => emails.filter(({ mailboxIds }) => Object.hasOwn(mailboxIds, id));

const exportAll = async ({ client, mailboxes, emails }: Export, args: ExportArguments, context: MailContext, counts: ExportCounts): Promise<void> => {
  const line = progressLine(context, () => ({
    messages: counts.written + counts.present,
    octets: counts.octets,
    failed: 0,
    part: counts.totalOctets === 0 ? 1 : Math.min(1, counts.octets / counts.totalOctets),
  }));
  const fetchMessages = messageFetcher(client);
  const shared = {
    atOnce: downloadsAtOnce(client),
    fetchMessages: async (group: readonly ExportedEmail[]) => {
      assertNotInterrupted(context.signal);
      return fetchMessages(group);
    },
    settle: ({ size }: ExportedEmail, wasThere: boolean) => {
      counts[wasThere ? 'present' : 'written'] += 1;
      counts.octets += size;
      line.show();
    },
  };
  const roleOf = new Map(mailboxes.all().map(({ id, role }) => [id, role]));
  const topRoles = new Map(mailboxes.all().flatMap(({ name, parentId, role }) => (parentId === null ? [[name, role] as const] : [])));
  const mailboxesOf = ({ mailboxIds }: ExportedEmail) =>
    Object.keys(mailboxIds)
      .filter((id) => roleOf.has(id))
      .map((id) => {
        const path = mailboxes.pathOf(id);
        return { path, role: roleOf.get(id) ?? null, topRole: topRoles.get(path[0]!) ?? null };
      });
  const count = (listed: readonly ExportedEmail[]): void => {
    counts.total += listed.length;
    counts.totalOctets += listed.reduce((sum, { size }) => sum + size, 0);
  };
  try {
    if (args.isFile) {
      count(emails);
      const path = join(await exportRoot(dirname(args.to)), basename(args.to));
      return await exportMbox({ ...shared, path, emails, mailboxesOf });
    }
    const { root, places } = await planLayout(args.to, args.format, mailboxes);
    for (const { mailbox } of places) count(inMailbox(emails, mailbox.id));
    for (const { mailbox, place } of places) {
      const path = join(root, place);
      const target = { ...shared, emails: inMailbox(emails, mailbox.id) };
      if (args.format === 'mbox') await exportMbox({ ...target, path, mailboxesOf: undefined });
      else
        await exportMaildir({
          ...target,
          root,
          place,
          lostKeyword: (keyword) => context.printMessage(`${path}: a maildir has at most 26 keywords; ${keyword} is left out`),
        });
    }
    return undefined;
  } finally {
    line.finish();
  }
};

const summary = ({ total, totalOctets, written, present }: ExportCounts, to: string): string => {
  const missing = total - written - present;
  return (
    `${numberText(total)} messages (${octetsText(totalOctets)}) to ${to}: ${numberText(written)} written, ${numberText(present)} there already` +
    `${missing > 0 ? `, ${numberText(missing)} not written` : ''}.`
  );
};

/** Exports an account: its messages, or its contacts to a file with vCards. @throws CliError when it cannot be read, or the files cannot be written. */
export const exportCommand = async (rawArgs: readonly string[], context: MailContext): Promise<ExitCode> => {
  const args = readExportArguments(rawArgs);
  const { client } = await connectToAccount(context, args, { toWrite: false });
  if (isVCardFile(args.to)) return exportContacts(args.to, args.version, client, context);
  const emails = await listExportedEmails(client);
  const mailboxes = await readMailboxes(client);
  const counts: ExportCounts = { total: 0, totalOctets: 0, written: 0, present: 0, octets: 0 };
  try {
    await exportAll({ client, mailboxes, emails }, args, context, counts);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    context.printMessage(`Interrupted. ${summary(counts, args.to)}\nRun the same command again to continue.`);
    return exitCodes.interrupted;
  }
  context.print(summary(counts, args.to));
  if (counts.written + counts.present < counts.total) {
    context.printMessage('Some messages were deleted from the account during the export, and were not written.');
  }
  return exitCodes.done;
};
