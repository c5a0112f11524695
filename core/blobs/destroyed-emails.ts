import type { AccountOpener } from '../account-index/account-opener.ts';
import { appendReferenceRemovals } from '../account-log/append-commit.ts';
import { emailIdOf } from '../mail/email/blob-id.ts';
import { blobKeyOf, isBlobKept, referringEmail, removedBlobReference } from '../mail/email/email-blobs.ts';
import {
  closedThread,
  decodeDestroyedRecord,
  decodeEmailContent,
  decodeReference,
  destroyedAt,
  tombstoneRow,
  emailKey,
  readEmailContents,
  threadKey,
  unchangedThread,
  type EmailContent,
} from '../mail/email/email-content.ts';
import { referenceKeys } from '../mail/email/email-threads.ts';
import { emailsOf } from '../mail/email/email-type.ts';
import { hasEnded, isPurged, keptEmailsOfThreads } from '../mail/email/recoverable-email.ts';
import { baseSubject } from '../mime/base-subject.ts';
import { threadMessageIds } from '../mime/message-ids.ts';
import type { Clock, Pause } from '../runtime/clock.ts';
import { mapConcurrently } from '../runtime/map-concurrently.ts';
import { objectKeys } from '../storage/object-keys.ts';
import type { Objects } from '../storage/objects.ts';
import { tryWrite } from '../storage/retry-on-conflict.ts';
import { findItemIn, type Item, type Key, type Table, type Write } from '../storage/table.ts';

export type DestroyedEmailDependencies = {
  readonly table: Table;
  readonly objects: Pick<Objects, 'remove' | 'erase'>;
  readonly opener: Pick<AccountOpener, 'open'>;
  readonly clock: Clock;
  readonly pause?: Pause;
};

/** A message of the mail-cleanup queue: Emails of an account that one commit destroyed. */
export type DestroyedEmails = { readonly accountId: string; readonly emailIds: readonly string[] };

/**
 * Seconds from the commit to the removal. A concurrent commit that refers to the same blob ends within this time, so
 * that the removal finds the reference.
 */
export const removalDelay = 900;

/**
 * Seconds after a destruction during which an Email can still be read by requests that began earlier. These requests
 * end long before the removal.
 */
const readableSeconds = removalDelay / 2;

/** Maximum writes of one transaction (DynamoDB's limit) without the head. */
const writesPerTransaction = 99;
/** Maximum records that are read together. A record may take 400 KB. */
const recordsAtOnce = 100;
/** Maximum Emails whose objects are removed at the same time. */
const removalsAtOnce = 10;

/**
 * Removes the data of destroyed Emails: the raw message, if no other Email refers to it; the references, if no other
 * Email of their Threads has them; and last the record, which names the message and the references. The removal may be
 * interrupted and repeated. Ids of existing Emails, of restorable ones and of already removed ones are ignored.
 * @returns the number of removed Emails.
 */
export const removeDestroyedEmails = async (dependencies: DestroyedEmailDependencies, accountId: string, emailIds: readonly string[]): Promise<number> => {
  const { table, clock, pause } = dependencies;
  const items = await table.batchGet(emailIds.map((id) => emailKey(accountId, id)));
  const destroyed = items.flatMap((item) => {
    const record = hasEnded(item, clock(), readableSeconds) ? decodeDestroyedRecord(item) : undefined;
    return record ? [{ item, record }] : [];
  });
  if (destroyed.length === 0) return 0;
  await removeReferences(
    dependencies,
    accountId,
    destroyed.map(({ record }) => record),
  );
  await mapConcurrently(
    destroyed,
    async ({ item, record }) => {
      await removeBlob(dependencies, accountId, record, isPurged(item));
      await tryWrite(table, [removedRecord(item)], pause);
    },
    { atOnce: removalsAtOnce },
  );
  return destroyed.length;
};

/**
 * Whether a message may still be read: an Email refers to it, a destroyed one that can be restored, or a recently destroyed
 * one whose removal has not begun. The removal of that Email removes the message.
 */
export const isMessageUsed = async (table: Table, accountId: string, messageKey: string, now: Date): Promise<boolean> => {
  const item = await table.get(emailKey(accountId, emailIdOf(messageKey)));
  if (item && (decodeEmailContent(item) || !hasEnded(item, now))) return true;
  const isReadable = item && decodeDestroyedRecord(item) && now.getTime() < destroyedAt(item).getTime() + readableSeconds * 1000;
  return Boolean(isReadable) || (await referringEmail(table, accountId, messageKey)) !== undefined;
};

/** Removes the record from a tombstone, unless the tombstone was replaced in the meantime. */
const removedRecord = (item: Item): Write => ({
  update: { pk: item.pk, sk: item.sk },
  remove: ['record', 'row', 'destruction', 'recoverableUntil', 'isPurged'],
  if: { equals: { expiresAt: tombstoneRow(item).expiresAt } },
});

/** The references of an Email, derived as when it was added. */
const referencesOf = (accountId: string, record: EmailContent): readonly Key[] =>
  referenceKeys(accountId, { threadMessageIds: threadMessageIds(record), baseSubject: baseSubject(record.subject ?? '') });

/** A Thread to which references of removed Emails point. */
type ReferencedThread = {
  readonly id: string;
  /** The item that counts the Emails of the Thread. Absent while no Email has joined the first one. */
  readonly item: Item | undefined;
  /** Ids of the Thread's Emails, including destroyed Emails that can be restored. */
  readonly emailIds: readonly string[];
};

/** A removal, and the Thread whose item must be unchanged. A removal without a write closes the Thread. */
type Removal = { readonly thread?: ReferencedThread; readonly write?: Write };

/**
 * Removes references that no Email of their Thread has, neither an existing one nor a destroyed one that can be
 * restored. It closes Threads without such Emails. A Thread of one Email has only the references of that Email and of
 * its submission, so it need not be closed. Other commits of the account do not make the removal fail. An Email that
 * joins a Thread changes the Thread's item. The removal requires that item to be unchanged, so the references of an
 * Email that has joined are kept. Each transaction is announced in the head, so a delivery that read the references
 * earlier is refused.
 */
const removeReferences = async (dependencies: DestroyedEmailDependencies, accountId: string, records: readonly EmailContent[]): Promise<void> => {
  const { table, clock } = dependencies;
  const keys = new Map(records.flatMap((record) => referencesOf(accountId, record)).map((key) => [key.sk, key]));
  const readRemovals = async (): Promise<readonly (readonly Write[])[]> => {
    const references = await table.batchGet([...keys.values()]);
    const threads = await readThreads(dependencies, accountId, [...new Set(references.map(decodeReference))]);
    // An account without a head is being removed with all of its items.
    if (!threads) return [];
    const used = await usedReferences(
      table,
      accountId,
      [...threads.values()].flatMap(({ emailIds }) => emailIds),
      new Set(keys.keys()),
    );
    const removals: readonly Removal[] = [
      // Threads are closed first, because they are found by the references.
      ...[...threads.values()].filter(isEnded).map((thread) => ({ thread })),
      ...references.filter(({ sk }) => !used.has(sk)).map((item) => removedReference(item, threads)),
      ...records.flatMap((record) => removedBlobReference(accountId, record)).map((write) => ({ write })),
    ];
    return removalTransactions(accountId, removals, clock());
  };
  await appendReferenceRemovals(dependencies, accountId, readRemovals);
};

/**
 * Reads Threads. Their items are read before the account, so that it has all Emails that the items count.
 * @returns undefined when the account does not exist.
 */
const readThreads = async (
  { table, opener, clock }: DestroyedEmailDependencies,
  accountId: string,
  threadIds: readonly string[],
): Promise<ReadonlyMap<string, ReferencedThread> | undefined> => {
  const find = findItemIn(threadIds.length > 0 ? await table.batchGet(threadIds.map((id) => threadKey(accountId, id))) : []);
  const account = await opener.open(accountId);
  if (!account) return undefined;
  const emails = emailsOf(account);
  const emailIds = new Map(threadIds.map((id) => [id, emails.threadEmailIds(id)]));
  const kept = threadIds.length > 0 ? await keptEmailsOfThreads(table, accountId, new Set(threadIds), clock()) : new Map<string, string[]>();
  return new Map(
    threadIds.map((id) => [id, { id, item: find(threadKey(accountId, id)), emailIds: [...new Set([...emailIds.get(id)!, ...(kept.get(id) ?? [])])] }]),
  );
};

/** Whether a Thread that had several Emails now has none. */
const isEnded = ({ item, emailIds }: ReferencedThread): boolean => item !== undefined && emailIds.length === 0;

/** Removes a reference, unless it names another Thread in the meantime. */
const removedReference = (item: Item, threads: ReadonlyMap<string, ReferencedThread>): Removal => {
  const threadId = decodeReference(item);
  return { thread: threads.get(threadId)!, write: { delete: { pk: item.pk, sk: item.sk }, if: { equals: { threadId } } } };
};

/** Plans the transactions of removals. Each requires that no Email has joined the Threads since they were read. */
const removalTransactions = (accountId: string, removals: readonly Removal[], now: Date): readonly (readonly Write[])[] => {
  const closed = new Map<ReferencedThread, Item>();
  const threadWrite = (thread: ReferencedThread): Write => {
    const expected = unchangedThread(closed.get(thread) ?? thread.item);
    if (closed.has(thread) || !isEnded(thread)) return { check: threadKey(accountId, thread.id), if: expected };
    const put = closedThread(accountId, thread.id, now);
    closed.set(thread, put);
    return { put, if: expected };
  };
  const transactions: { readonly writes: Write[]; readonly threads: Set<ReferencedThread> }[] = [];
  for (const { thread, write } of removals) {
    let last = transactions.at(-1);
    // A removal takes at most two writes.
    if (!last || last.writes.length + 2 > writesPerTransaction) transactions.push((last = { writes: [], threads: new Set() }));
    if (thread && !last.threads.has(thread)) last.writes.push(threadWrite(thread));
    if (thread) last.threads.add(thread);
    if (write) last.writes.push(write);
  }
  return transactions.map(({ writes }) => writes);
};

/** The references among `wanted` that one of these Emails has. */
const usedReferences = async (table: Table, accountId: string, emailIds: readonly string[], wanted: ReadonlySet<string>): Promise<ReadonlySet<string>> => {
  const used = new Set<string>();
  for (let from = 0; from < emailIds.length && used.size < wanted.size; from += recordsAtOnce) {
    const records = await readEmailContents(table, accountId, emailIds.slice(from, from + recordsAtOnce), { alsoDestroyed: true });
    for (const { sk } of [...records.values()].flatMap((record) => referencesOf(accountId, record))) if (wanted.has(sk)) used.add(sk);
  }
  return used;
};

/**
 * Removes the raw message, if no other Email refers to it. For a purged Email, all object versions are removed.
 */
const removeBlob = async ({ table, objects, clock }: DestroyedEmailDependencies, accountId: string, record: EmailContent, isErased: boolean): Promise<void> => {
  const blobKey = blobKeyOf(record);
  if (blobKey === undefined || (await isBlobKept(table, accountId, blobKey, clock()))) return;
  await objects[isErased ? 'erase' : 'remove']([objectKeys.message(accountId, blobKey)]);
};
