import type { QuotaAmounts } from '../../../contract/jmap/quota.ts';
import { conflict, retryOnConflict } from '../../storage/retry-on-conflict.ts';
import { WriteRefused, type Key, type Table, type Write } from '../../storage/table.ts';
import { prepareCommit, replaceHead, type StoreContext } from '../commit.ts';
import { decodeHead, type Head } from '../head.ts';
import { headKey, isHeadKey, logKey } from '../keys.ts';
import { decodeLogEntry } from '../log.ts';
import { defaultMailbox, type MailboxRecord } from '../mailbox/mailbox-record.ts';
import { mailboxType } from '../mailbox/mailbox-type.ts';
import { exceededResource, quotaOfHead } from '../quota/account-quota.ts';
import type { Operation } from '../stored-type.ts';
import { newRecordWrites } from './email-blobs.ts';
import { emailKey, threadKey } from './email-record.ts';
import type { DeliveryOutcome } from './email-store.ts';
import { KnownThreads, newEmailRow, referenceKeys } from './email-threads.ts';
import { emailType } from './email-type.ts';
import type { DeliveredEmail } from './new-email.ts';

/** Lost responses of one delivery before it fails. */
const maxLostResponses = 2;

/** Adds a message in two round trips, without loading the account: {@link EmailStore.deliver}. */
export const deliverEmail = (
  parts: StoreContext, accountId: string, email: DeliveredEmail, quotaDefaults: QuotaAmounts,
): Promise<DeliveryOutcome> => {
  const { table, types, newId, pause } = parts;
  const writerId = newId();
  const keys = referenceKeys(accountId, email);
  let lostResponses = 0;
  /** The key of the log item of a write whose response was lost. */
  let unconfirmed: Key | undefined;
  /** The Threads that the last attempt found. The next one reads whether they are full. */
  let threadKeys: readonly Key[] = [];
  return retryOnConflict(async () => {
    const items = await table.batchGet([
      headKey(accountId), emailKey(accountId, email.record.id), ...keys, ...threadKeys, ...(unconfirmed ? [unconfirmed] : []),
    ]);
    const findItem = (key: Key) => items.find(({ pk, sk }) => pk === key.pk && sk === key.sk);
    const head = findItem(headKey(accountId));
    if (!head) return 'unknown-account';
    const entry = unconfirmed && findItem(unconfirmed);
    if (entry && decodeLogEntry(types, entry).writerId === writerId) return 'delivered';
    if (findItem(emailKey(accountId, email.record.id))) return 'duplicate';
    const before = decodeHead(head);
    if (exceededResource(quotaOfHead(before, quotaDefaults), email.size)) return 'account-full';
    const found = (wanted: readonly Key[]) => wanted.flatMap((key) => findItem(key) ?? []);
    const threads = new KnownThreads(found(keys), found(threadKeys));
    threadKeys = threads.ids.map((threadId) => threadKey(accountId, threadId));
    try {
      await table.write(deliveryWrites(parts, accountId, email, before, { keys, threads, writerId }));
      return 'delivered';
    } catch (error) {
      if (!(error instanceof WriteRefused)) {
        if (++lostResponses > maxLostResponses) throw error;
        unconfirmed = logKey(accountId, before.sequence + 1);
      }
      return conflict;
    }
  }, pause);
};

type DeliveryReads = { readonly keys: readonly Key[]; readonly threads: KnownThreads; readonly writerId: string };

/** The writes of a delivery, in one transaction. An account whose inbox was destroyed gets a new one. */
const deliveryWrites = (
  { types, clock, newId }: StoreContext, accountId: string, email: DeliveredEmail, head: Head,
  { keys, threads, writerId }: DeliveryReads,
): Write[] => {
  const { threadId, writes } = threads.add(keys, email.record.id);
  const mailboxId = head.roles[email.mailboxRole] ?? head.roles['inbox'];
  const inbox: MailboxRecord | undefined = mailboxId === undefined ? defaultMailbox('inbox', newId) : undefined;
  const record = newEmailRow(email, threadId, [mailboxId ?? inbox!.id]);
  const operations = [
    ...(inbox ? [{ type: mailboxType, kind: 'create', record: inbox }] : []),
    {
      type: emailType, kind: 'create', record,
      additionalWrites: [...newRecordWrites(accountId, email.record), ...writes],
    },
  ] as readonly unknown[] as readonly Operation[];
  const { next, writes: commitWrites } = prepareCommit(types, accountId, head, operations, { writerId, now: clock() });
  return [replaceHead(accountId, head, next), ...commitWrites];
};

/** Whether an Email with this id was delivered, even if it is destroyed by now. True if there is no such account. */
export const wasDelivered = async (table: Table, accountId: string, emailId: string): Promise<boolean> => {
  const items = await table.batchGet([headKey(accountId), emailKey(accountId, emailId)]);
  return items.length !== 1 || !isHeadKey(items[0]!);
};
