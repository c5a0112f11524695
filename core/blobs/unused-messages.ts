import { headKey } from '../account-log/keys.ts';
import { emailIdOf } from '../mail/email/blob-id.ts';
import { isBlobKept } from '../mail/email/email-blobs.ts';
import { decodeDestroyedRecord, decodeEmailContent, emailKey, tombstone } from '../mail/email/email-content.ts';
import { mapConcurrently } from '../runtime/map-concurrently.ts';
import { objectKeys } from '../storage/object-keys.ts';
import type { Objects } from '../storage/objects.ts';
import { tryWrite } from '../storage/retry-on-conflict.ts';
import type { Item, Table } from '../storage/table.ts';

/** A message for the mail-cleanup Lambda: keys of raw messages stored for new Emails of an account. */
export type StoredMessageKeys = { readonly accountId: string; readonly messageKeys: readonly string[] };

/**
 * Seconds after which stored raw messages without an Email are removed. Any commit that creates the Email has ended by
 * then.
 */
export const unusedMessageDelay = 900;

export type UnusedMessageDependencies = { readonly table: Table; readonly objects: Pick<Objects, 'remove'>; readonly now: () => Date };

/** Maximum messages that are looked up at the same time. */
const lookupsAtOnce = 10;

/**
 * Removes raw messages to which no Email refers, because the commit that needed them was not made. First a tombstone
 * occupies the Email's id, so that a concurrent commit of the same message fails instead of creating an Email without
 * its message. The removal may be interrupted and repeated.
 * @returns the number of removed messages.
 */
export const removeUnusedMessages = async (
  { table, objects, now }: UnusedMessageDependencies,
  accountId: string,
  messageKeys: readonly string[],
): Promise<number> => {
  const items = await table.batchGet([headKey(accountId), ...messageKeys.map((key) => emailKey(accountId, emailIdOf(key)))]);
  const found = new Map(items.map((item) => [item.sk, item]));
  const isAccountRemoved = !found.has(headKey(accountId).sk);
  /** Whether no Email exists, and no commit can create it any more. */
  const isUnused = async (id: string, item: Item | undefined): Promise<boolean> => {
    // The removal of a destroyed Email also removes its message, after the last request that may read it.
    if (item) return !decodeEmailContent(item) && !decodeDestroyedRecord(item);
    if (isAccountRemoved || (await tryWrite(table, [{ ...tombstone(accountId, id, now()), if: { absent: true } }]))) return true;
    // A commit created the Email, or another run took its id and may have ended before it removed the message.
    return isUnused(id, await table.get(emailKey(accountId, id)));
  };
  const unused = await mapConcurrently(
    messageKeys,
    async (key) => {
      const id = emailIdOf(key);
      return !(await isUnused(id, found.get(id))) || (await isBlobKept(table, accountId, key, now())) ? [] : [objectKeys.message(accountId, key)];
    },
    { atOnce: lookupsAtOnce },
  );
  await objects.remove(unused.flat());
  return unused.flat().length;
};
