import { listAccountEmails } from '../jmap/account-emails.ts';
import { readMailboxes } from '../jmap/account-mailboxes.ts';
import { backoff, Interrupted } from '../jmap/http-client.ts';
import type { JmapClient } from '../jmap/jmap-client.ts';
import { connectToAccount } from '../jmap/mail-connection.ts';
import { withFileLock } from '../sign-in/file-lock.ts';
import type { MailSource } from '../sources/mail-source.ts';
import { mboxQuotings } from '../sources/mbox/mbox-format.ts';
import { openSource } from '../sources/open-source.ts';
import type { MailContext } from '../terminal/cli-context.ts';
import { exitCodes, usageError, type ExitCode } from '../terminal/cli-error.ts';
import { parseOptions } from '../terminal/parse.ts';
import { numberText, octetsText, progressLine } from '../terminal/progress-line.ts';
import { failureReport, reportFile, type FailureReport } from './failure-report.ts';
import { readFolderMapping } from './folder-mapping.ts';
import { asMember } from './import-membership.ts';
import { countMessages, importMessages, noCounts, type FolderCounts, type ImportCounts, type ImportTarget } from './import-messages.ts';
import { importRecordFile, openImportRecord } from './import-record.ts';
import { importContacts, isVCardFile } from './vcard/import-contacts.ts';

const options = {
  account: { type: 'string' },
  server: { type: 'string' },
  outputs: { type: 'string' },
  folder: { type: 'string', multiple: true },
  'mbox-quoting': { type: 'string' },
  report: { type: 'string' },
  'dry-run': { type: 'boolean' },
  again: { type: 'boolean' },
  'as-admin': { type: 'boolean' },
} as const;

/** Reads the options of `postrider import`. @throws CliError for a wrong command line. */
export const readImportArguments = (args: readonly string[]) => {
  const {
    values,
    positionals: [source, ...others],
  } = parseOptions(args, options, Infinity);
  if (source === undefined || others.length > 0) throw usageError('postrider import takes one SOURCE; postrider import --help says which');
  const quoting = mboxQuotings.find((each) => each === (values['mbox-quoting'] ?? 'mboxrd'));
  if (!quoting) throw usageError(`--mbox-quoting is one of ${mboxQuotings.join(', ')}`);
  return { ...values, source, quoting, mapping: readFolderMapping(values.folder ?? []) };
};
type ImportArguments = ReturnType<typeof readImportArguments>;

/**
 * Milliseconds after which a message says that another running import holds the lock of the account's record. A killed
 * import would not hold it that long.
 */
const lockMessageAfter = 7000;

const withAccountLock = async <T>(context: MailContext, path: string, work: () => Promise<T>): Promise<T> => {
  const timer = setTimeout(() => context.printMessage('Another import into this account is running. This one waits for it.'), lockMessageAfter);
  try {
    return await withFileLock(path, async () => {
      clearTimeout(timer);
      return work();
    });
  } finally {
    clearTimeout(timer);
  }
};

const summary = (counts: ImportCounts, report: FailureReport): string =>
  [
    `${numberText(counts.messages)} messages (${octetsText(counts.octets)}): ${numberText(counts.imported)} imported`,
    counts.filed > 0 ? `, ${numberText(counts.filed)} of the account put into further mailboxes` : '',
    `, ${numberText(counts.present)} there already`,
    counts.skipped > 0 ? `, ${numberText(counts.skipped)} left out by --folder` : '',
    `, ${numberText(counts.failed)} failed`,
    counts.notes > 0 ? `, ${numberText(counts.notes)} notes` : '',
    report.path() === undefined ? '.' : `: see ${report.path()}`,
  ].join('');

const dryRunSummary = (folders: ReadonlyMap<string, FolderCounts>, counts: ImportCounts, report: FailureReport): string =>
  [
    ...[...folders].map(
      ([name, { messages, octets, present }]) => `${name}: ${numberText(messages)} messages, ${octetsText(octets)}, ${numberText(present)} there already`,
    ),
    `${numberText(counts.messages)} messages (${octetsText(counts.octets)}): ${numberText(counts.present)} there already, ` +
      `${numberText(counts.failed)} that cannot be imported, ${numberText(counts.skipped)} left out by --folder. Nothing was changed.`,
    ...(report.path() === undefined ? [] : [`What cannot be imported, and notes: see ${report.path()}.`]),
  ].join('\n');

type Run = { readonly context: MailContext; readonly args: ImportArguments; readonly source: MailSource; readonly report: FailureReport };

const run = async ({ context, args, source, report }: Run, target: ImportTarget): Promise<ExitCode> => {
  const counts = noCounts();
  let done = 0;
  const line = progressLine(context, () => ({
    messages: counts.imported + counts.filed + counts.present + counts.failed,
    octets: counts.octets,
    failed: counts.failed,
    part: source.total.amount === 0 ? 1 : Math.min(1, done / source.total.amount),
  }));
  const progress = {
    counts,
    report: report.add,
    reached: (reached: number) => {
      done = reached;
      line.show();
    },
  };
  try {
    if (args['dry-run']) {
      const folders = await countMessages(source, target, progress, context.signal);
      line.finish();
      context.print(dryRunSummary(folders, counts, report));
    } else {
      await importMessages(source, target, progress, context.signal);
      line.finish();
      context.print(summary(counts, report));
    }
    return counts.failed > 0 ? exitCodes.partly : exitCodes.done;
  } catch (error) {
    line.finish();
    context.printMessage(`${error instanceof Interrupted ? 'Interrupted' : 'Stopped'}. ${summary(counts, report)}`);
    if (!(error instanceof Interrupted)) throw error;
    context.printMessage('Run the same command again to continue.');
    return exitCodes.interrupted;
  }
};

const targetOf = async (context: MailContext, args: ImportArguments, client: JmapClient, recordFile: string): Promise<ImportTarget> => {
  const [mailboxes, emails] = await Promise.all([readMailboxes(client), listAccountEmails(client)]);
  const record = await openImportRecord(recordFile, { isNew: args.again === true });
  return { client, mailboxes, emails, record, mapping: args.mapping, newBackoff: () => backoff(context) };
};

const importInto = async (args: ImportArguments, context: MailContext): Promise<ExitCode> => {
  const { client, jmapUrl } = await connectToAccount(context, args, { toWrite: args['dry-run'] !== true });
  if (isVCardFile(args.source)) return importContacts(args.source, client, context, args['dry-run'] === true);
  const report = failureReport(args.report ?? reportFile(context.environment, context.now()));
  const source = await openSource(args.source, args.quoting, context);
  const recordFile = importRecordFile(context.environment, jmapUrl, client.session.accountId);
  try {
    return await withAccountLock(context, recordFile, async () => {
      const target = await targetOf(context, args, client, recordFile);
      try {
        return await run({ context, args, source, report }, target);
      } finally {
        await target.record.close();
      }
    });
  } finally {
    report.close();
    await source.close();
  }
};

/**
 * Imports a source into an account: messages, or the contacts of a file with vCards.
 * @returns `partly` when some messages were not imported; they are in the report.
 * @throws CliError when no message, or no other message, can be imported.
 */
export const importCommand = async (rawArgs: readonly string[], context: MailContext): Promise<ExitCode> => {
  const args = readImportArguments(rawArgs);
  return args['as-admin'] === true ? asMember(context, args, (account) => importInto({ ...args, account }, context)) : importInto(args, context);
};
