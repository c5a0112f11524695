import { mapConcurrently } from '../../contract/values/map-concurrently.ts';
import type { AccountEmails } from '../jmap/account-emails.ts';
import type { Backoff } from '../jmap/http-client.ts';
import { MethodError, TooLarge, type JmapClient } from '../jmap/jmap-client.ts';
import { groupsOf } from '../sources/mail-source.ts';
import { CliError } from '../terminal/cli-error.ts';
import type { ImportEntry } from './import-batches.ts';
import type { ImportedMessage, ImportRecord } from './import-record.ts';

type EntryOutcome = 'imported' | 'filed' | 'present' | 'failed';

export type CommitDependencies = {
  readonly client: JmapClient;
  readonly emails: AccountEmails;
  readonly record: ImportRecord;
  /**
   * Creates the back-off of one batch, for a busy server and for concurrent changes by other clients. Its total time is
   * limited.
   */
  readonly newBackoff: () => Backoff;
  /** Called once for each message. `reason` is set only for a failed message. */
  readonly settle: (entry: ImportEntry, outcome: EntryOutcome, reason?: string) => void;
};

type SetError = { readonly type: string; readonly description?: string; readonly properties?: readonly string[]; readonly existingId?: string };
type ImportResponse = {
  readonly newState: string;
  readonly created: Record<string, { readonly id: string; readonly blobId: string }> | null;
  readonly notCreated: Record<string, SetError> | null;
};

/** Maximum uploads of a message whose blob the server does not find. */
const maxUploads = 3;

/** Maximum octets that are uploaded in one request, so that several requests run concurrently. */
const maxGroupOctets = 1024 * 1024;

/** Whether the server does not find the blob of a message, because an upload has expired. */
const isBlobMissing = ({ type, properties }: SetError): boolean =>
  type === 'blobNotFound' || (type === 'invalidProperties' && properties?.includes('blobId') === true);

export const noMessage = 'it is not a message: it does not begin with fields such as From, Date and Subject';

/** Reasons for people, by the types of errors that single messages have (RFC 8620 §5.3, RFC 8621 §4.8). */
const reasons = new Map(
  Object.entries({
    invalidEmail: noMessage,
    tooLarge: 'the message is larger than the server takes',
    forbidden: 'the account may not add mail to this mailbox',
    blobNotFound: 'the server lost the upload; run the same command again',
  }),
);

const describe = ({ type, description, properties }: SetError): string =>
  reasons.get(type) ?? [type, description, properties?.join(', ')].filter((part) => part !== undefined && part !== '').join(': ');

const quotaError = ({ description }: SetError): CliError =>
  new CliError(
    `the account is full (overQuota${description === undefined ? '' : `: ${description}`}). Make room or have its quota raised, ` +
      'then run the same command again: it continues',
  );

/** Method errors that would also occur for every other message. */
const endsImport = ['accountNotFound', 'accountReadOnly', 'accountNotSupportedByMethod', 'forbidden', 'unknownMethod'];

const messagesOf = (entry: ImportEntry, emailId: string): ImportedMessage[] =>
  [undefined, ...entry.locators]
    .map((locator) => ({ digest: entry.digest, emailId, mailboxIds: [...entry.mailboxIds], locator }))
    .slice(entry.locators.length > 0 ? 1 : 0);

/** Uploads a group of messages. @returns the blob id of each message, or the error. */
const uploadGroup = async ({ client }: CommitDependencies, entries: readonly ImportEntry[]): Promise<readonly (string | Error)[]> => {
  if (entries.length > 1) return client.uploadTogether(entries.map(({ content }) => content));
  return [
    await client.upload(entries[0]!.content).catch((error: unknown) => {
      if (error instanceof TooLarge || error instanceof MethodError) return error;
      throw error;
    }),
  ];
};

/**
 * Uploads the contents that are not uploaded yet, concurrently. A message that the server refuses fails.
 * @returns the other messages.
 */
export const uploadContents = async (dependencies: CommitDependencies, entries: readonly ImportEntry[]): Promise<ImportEntry[]> => {
  const failed = new Set<ImportEntry>();
  const octets = Math.min(dependencies.client.maxTogether, maxGroupOctets);
  const groups = groupsOf(
    entries.filter(({ blobId }) => blobId === undefined),
    ({ size }) => size,
    { octets },
  );
  await mapConcurrently(groups, dependencies.client.session.limits.maxConcurrentUpload, async (group) => {
    for (const [index, result] of (await uploadGroup(dependencies, group)).entries()) {
      const entry = group[index]!;
      entry.uploads += 1;
      if (typeof result === 'string') entry.blobId = result;
      else {
        failed.add(entry);
        dependencies.settle(entry, 'failed', result.message);
      }
    }
  });
  return entries.filter((entry) => !failed.has(entry));
};

/** Adds existing Emails to further mailboxes. Emails that were destroyed meanwhile are ignored. */
const fileExisting = async ({ client, record, settle }: CommitDependencies, existing: ReadonlyMap<ImportEntry, string>): Promise<void> => {
  if (existing.size === 0) return;
  const update: Record<string, Record<string, true>> = {};
  for (const [{ mailboxIds }, emailId] of existing) {
    update[emailId] = { ...update[emailId], ...Object.fromEntries([...mailboxIds].map((id) => [`mailboxIds/${id}`, true as const])) };
  }
  const [response] = await client.call<[{ notUpdated?: Record<string, SetError> | null }]>([['Email/set', { update }, 's']]);
  const notUpdated = response.notUpdated ?? {};
  const filed = [...existing].filter(([, emailId]) => !notUpdated[emailId] || notUpdated[emailId].type === 'notFound');
  await record.append(filed.flatMap(([entry, emailId]) => messagesOf(entry, emailId)));
  for (const [entry, emailId] of existing) {
    const error = notUpdated[emailId];
    if (!error) settle(entry, 'filed');
    else if (error.type === 'notFound') settle(entry, 'present');
    else settle(entry, 'failed', describe(error));
  }
};

/**
 * Divides messages into existing ones, with the ids of their Emails, and new ones. Messages that are already in all
 * their mailboxes are settled.
 */
const classify = async (dependencies: CommitDependencies, entries: readonly ImportEntry[]) => {
  const { record, emails, settle } = dependencies;
  const unrecorded = entries.filter(({ digest }) => record.emailOf(digest) === undefined);
  const found = await emails.find(unrecorded);
  const existing = new Map<ImportEntry, string>();
  const fresh: ImportEntry[] = [];
  const known: ImportedMessage[] = [];
  for (const entry of entries) {
    const recorded = record.emailOf(entry.digest);
    const emailId = recorded ?? found.get(entry.digest);
    if (emailId === undefined) fresh.push(entry);
    else if (recorded !== undefined && [...entry.mailboxIds].every((id) => record.wasPutInto(entry.digest, id))) {
      if (entry.locators.some((locator) => !record.hasLocator(locator))) known.push(...messagesOf(entry, emailId));
      settle(entry, 'present');
    } else existing.set(entry, emailId);
  }
  await record.append(known);
  return { existing, fresh };
};

type Division = { readonly existing: Map<ImportEntry, string>; readonly again: ImportEntry[]; readonly mustWait: boolean };

/**
 * Records the Emails that an Email/import created, and classifies the other messages. @throws CliError when the account
 * is full.
 */
const takeResponse = async (
  { emails, record, settle }: CommitDependencies,
  entries: readonly ImportEntry[],
  { created, notCreated, newState }: ImportResponse,
): Promise<Division> => {
  const imported = entries.flatMap((entry, index) => {
    const email = created?.[`m${index}`];
    return email ? [{ entry, ...email }] : [];
  });
  await record.append(imported.flatMap(({ entry, id }) => messagesOf(entry, id)));
  emails.add(
    imported.map(({ entry, id, blobId }) => ({ digest: entry.digest, size: entry.size, messageId: entry.messageId, id, blobId })),
    newState,
  );
  for (const { entry } of imported) settle(entry, 'imported');
  const division: Division = { existing: new Map(), again: [], mustWait: Object.values(notCreated ?? {}).some(({ type }) => type === 'rateLimit') };
  for (const [index, entry] of entries.entries()) {
    const error = notCreated?.[`m${index}`];
    if (!error) continue;
    if (error.type === 'overQuota') throw quotaError(error);
    if (error.existingId !== undefined) division.existing.set(entry, error.existingId);
    else if (error.type === 'rateLimit') division.again.push(entry);
    else if (isBlobMissing(error) && entry.uploads < maxUploads) {
      entry.blobId = undefined;
      division.again.push(entry);
    } else settle(entry, 'failed', describe(error));
  }
  return division;
};

const requestImport = async ({ client, emails }: CommitDependencies, entries: readonly ImportEntry[]): Promise<ImportResponse> => {
  const messages = entries.map(({ blobId, mailboxIds, keywords, receivedAt }) => ({
    blobId,
    mailboxIds: Object.fromEntries([...mailboxIds].map((id) => [id, true])),
    keywords: Object.fromEntries(keywords.map((keyword) => [keyword, true])),
    receivedAt: receivedAt.toISOString().replace(/\.\d+Z$/, 'Z'),
  }));
  const [response] = await client.call<[ImportResponse]>([
    ['Email/import', { ifInState: emails.state(), emails: Object.fromEntries(messages.map((message, index) => [`m${index}`, message])) }, 'i'],
  ]);
  return response;
};

/**
 * Imports messages that the account does not have at the known state. `ifInState` makes the server refuse the call
 * after any other change, such as an earlier import whose response was lost. The next classification then finds the
 * Emails of that import.
 * @returns the messages to classify again.
 */
const importFresh = async (dependencies: CommitDependencies, entries: readonly ImportEntry[], pauses: Backoff): Promise<ImportEntry[]> => {
  const ready = await uploadContents(dependencies, entries);
  if (ready.length === 0) return [];
  try {
    const { existing, again, mustWait } = await takeResponse(dependencies, ready, await requestImport(dependencies, ready));
    await fileExisting(dependencies, existing);
    if (mustWait) await pauses.wait('the server takes no more messages at this rate');
    return again;
  } catch (error) {
    if (!(error instanceof MethodError)) throw error;
    if (endsImport.includes(error.type)) throw new CliError(`the server refuses the import: ${error.message}`);
    if (error.type === 'stateMismatch') {
      // The pause is before the refresh, so that the state is as new as possible at the next attempt.
      await pauses.wait('the account changes all the time');
      await dependencies.emails.refresh();
      return ready;
    }
    if (ready.length === 1) {
      dependencies.settle(ready[0]!, 'failed', error.message);
      return [];
    }
    // One of the messages is the cause. Dividing the batch finds it.
    const middle = Math.ceil(ready.length / 2);
    await commitBatch(dependencies, ready.slice(0, middle));
    await commitBatch(dependencies, ready.slice(middle));
    return [];
  }
};

/**
 * Imports the missing messages of a batch, and adds existing ones to other mailboxes. Every message is settled when it
 * returns.
 * @throws CliError when no other message can be imported; Interrupted.
 */
export const commitBatch = async (dependencies: CommitDependencies, entries: readonly ImportEntry[]): Promise<void> => {
  const pauses = dependencies.newBackoff();
  for (let open = entries; open.length > 0;) {
    const { existing, fresh } = await classify(dependencies, open);
    await fileExisting(dependencies, existing);
    open = fresh.length > 0 ? await importFresh(dependencies, fresh, pauses) : [];
  }
};
