import { baseSubject } from '../../mime/base-subject.ts';
import { threadMessageIds } from '../../mime/message-ids.ts';
import type { BodyPart } from '../../mime/parsed-email.ts';
import type { Clock } from '../../runtime/clock.ts';
import { sideBySide } from '../../runtime/side-by-side.ts';
import { objectKeys } from '../../storage/object-keys.ts';
import type { Objects } from '../../storage/objects.ts';
import { retryOnConflict, tryWrite, type Pause } from '../../storage/retry-on-conflict.ts';
import type { Item, Key, Table, Write } from '../../storage/table.ts';
import type { AccountOpener } from '../account-opener.ts';
import { emailIdOf } from '../blob-id.ts';
import { prepareCommit, replaceHead } from '../commit.ts';
import { headAttributes } from '../head.ts';
import { blobKeyOf, emailOfBlob, referringEmail, removedBlobReference } from './email-blobs.ts';
import {
  closedThread, decodeDestroyedRecord, decodeEmailRecord, decodeReference, destroyedAt, emailKey, readEmailRecords, threadKey,
  type EmailRecord,
} from './email-record.ts';
import { referenceKeys } from './email-threads.ts';
import { emailsOf } from './email-type.ts';

export type DestroyedEmailParts = {
  readonly table: Table;
  readonly objects: Pick<Objects, 'remove' | 'removeSome'>;
  readonly opener: Pick<AccountOpener, 'open'>;
  readonly clock: Clock;
  readonly pause?: Pause;
};

/** A message of the queue of removals: Emails of an account that a commit destroyed. */
export type DestroyedEmails = { readonly accountId: string; readonly emailIds: readonly string[] };

/**
 * Seconds from the commit until the removal. A commit that refers to the same blob may be under way meanwhile; it ends
 * within this time, so that the removal sees it.
 */
export const removalDelay = 900;

/**
 * Seconds from the commit in which requests may read a destroyed Email: those that began before. They are over long
 * before the removal.
 */
const readableSeconds = removalDelay / 2;

/** Writes of one transaction besides the head and the log item. */
const writesPerTransaction = 98;
/** The writer of the commits of removals. None of them is looked for in the log. */
const writerId = 'removal';
/** Records that are read at a time. A record may take 400 KB. */
const recordsAtOnce = 100;
/** Emails whose objects are removed at the same time. */
const removalsAtOnce = 10;
/** Octets of a part from which on it may have been prepared as a download. */
const largePart = 1_000_000;

/**
 * Removes what destroyed Emails leave: the raw message, if no other Email refers to it; the references, if no other
 * Email of their Threads has them; and last the record, which says what there is to remove. It may be interrupted and
 * repeated. Ids of Emails that exist, and of those removed before, are ignored.
 * @returns the number of Emails that were removed.
 */
export const removeDestroyedEmails = async (
  parts: DestroyedEmailParts, accountId: string, emailIds: readonly string[],
): Promise<number> => {
  const { table } = parts;
  const items = await table.batchGet(emailIds.map((id) => emailKey(accountId, id)));
  const destroyed = items.flatMap((item) => {
    const record = decodeDestroyedRecord(item);
    return record ? [{ item, record }] : [];
  });
  if (destroyed.length === 0) return 0;
  await removeReferences(parts, accountId, destroyed.map(({ record }) => record));
  await sideBySide(destroyed, async ({ item, record }) => {
    await removeBlob(parts, accountId, record);
    await tryWrite(table, [removedRecord(item)]);
  }, { atOnce: removalsAtOnce });
  return destroyed.length;
};

/**
 * Whether a message has a reader: an Email refers to it, or one that was destroyed so lately that requests may still
 * read it. The removal of that Email has not begun, and removes the message.
 */
export const isMessageUsed = async (table: Table, accountId: string, messageKey: string, now: Date): Promise<boolean> => {
  const item = await table.get(emailKey(accountId, emailIdOf(messageKey)));
  if (item && decodeEmailRecord(item)) return true;
  const isReadable = item && decodeDestroyedRecord(item) && now.getTime() < destroyedAt(item).getTime() + readableSeconds * 1000;
  return Boolean(isReadable) || await referringEmail(table, accountId, messageKey) !== undefined;
};

/** Removes the record from a tombstone, unless the tombstone is another one by now. */
const removedRecord = ({ pk, sk, expiresAt }: Item): Write =>
  ({ update: { pk, sk }, remove: ['record'], if: { equals: { expiresAt: expiresAt as number } } });

/** The references of an Email, as they were derived when it was added. */
const referencesOf = (accountId: string, record: EmailRecord): readonly Key[] =>
  referenceKeys(accountId, { threadMessageIds: threadMessageIds(record), baseSubject: baseSubject(record.subject ?? '') });

/**
 * Removes the references that no Email of their Thread has, and closes Threads without Emails. A Thread of one Email has
 * no references but those of that Email and of its sending, so that it needs no closing. Every transaction
 * is a commit without changes: it requires that no other commit was made since the Threads were read, and a delivery
 * that has read the references reads them again. The head has its time, for deliveries that read the references before
 * it and the head after it. So a message that is delivered meanwhile has its references.
 */
const removeReferences = async (
  { table, opener, clock, pause }: DestroyedEmailParts, accountId: string, records: readonly EmailRecord[],
): Promise<void> => {
  const keys = new Map(records.flatMap((record) => referencesOf(accountId, record)).map((key) => [key.sk, key]));
  await retryOnConflict(async () => {
    const account = await opener.open(accountId);
    // Without a head, the account is being removed with all of its items.
    if (!account) return;
    const { types } = account;
    let { head } = account;
    const items = await table.batchGet([...keys.values()]);
    const threads = [...new Set(items.map(decodeReference))].map((id) => ({ id, emailIds: emailsOf(account).threadEmailIds(id) }));
    const emptyThreads = threads.filter(({ emailIds }) => emailIds.length === 0).map(({ id }) => threadKey(accountId, id));
    const joinedThreads = emptyThreads.length > 0 ? await table.batchGet(emptyThreads) : [];
    const used = await usedReferences(table, accountId, threads.flatMap(({ emailIds }) => emailIds), new Set(keys.keys()));
    const writes: readonly Write[] = [
      // First: they are found by the references.
      ...joinedThreads.map(({ sk }) => closedThread(accountId, sk, clock())),
      ...items.filter(({ sk }) => !used.has(sk)).map(({ pk, sk }) => ({ delete: { pk, sk } })),
      ...records.flatMap((record) => removedBlobReference(accountId, record)),
    ];
    for (let from = 0; from < writes.length; from += writesPerTransaction) {
      const now = clock();
      const { next, writes: logWrites } = prepareCommit(types, accountId, head, [], { writerId, now });
      const headWrite = { ...replaceHead(accountId, head, next), set: { ...headAttributes(next), referencesRemovedAt: now.getTime() } };
      await table.write([headWrite, ...logWrites, ...writes.slice(from, from + writesPerTransaction)]);
      head = next;
    }
  }, pause);
};

/** The references among `wanted` that one of the Emails has. */
const usedReferences = async (
  table: Table, accountId: string, emailIds: readonly string[], wanted: ReadonlySet<string>,
): Promise<ReadonlySet<string>> => {
  const used = new Set<string>();
  for (let from = 0; from < emailIds.length && used.size < wanted.size; from += recordsAtOnce) {
    const records = await readEmailRecords(table, accountId, emailIds.slice(from, from + recordsAtOnce));
    for (const { sk } of [...records.values()].flatMap((record) => referencesOf(accountId, record))) if (wanted.has(sk)) used.add(sk);
  }
  return used;
};

const hasLargePart = ({ range, subParts = [] }: BodyPart): boolean =>
  (range !== undefined && range.end - range.start >= largePart) || subParts.some(hasLargePart);

/** Removes the raw message and the downloads that were prepared from it, if no other Email refers to it. */
const removeBlob = async ({ table, objects }: DestroyedEmailParts, accountId: string, record: EmailRecord): Promise<void> => {
  const blobKey = blobKeyOf(record);
  if (blobKey === undefined || await emailOfBlob(table, accountId, blobKey)) return;
  await objects.remove([objectKeys.message(accountId, blobKey)]);
  if (hasLargePart(record.bodyStructure)) while (await objects.removeSome(objectKeys.download(accountId, `P${blobKey}_`)) > 0);
};
