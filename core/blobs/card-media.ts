import { randomBytes } from 'node:crypto';
import { recordKey } from '../account-log/keys.ts';
import { contactCardType } from '../mail/contact-card/contact-card-type.ts';
import { mediaBlobId } from '../mail/email/blob-id.ts';
import type { Queue } from '../runtime/lambda/queue.ts';
import { mapConcurrently } from '../runtime/map-concurrently.ts';
import { objectKeys } from '../storage/object-keys.ts';
import type { Objects } from '../storage/objects.ts';
import type { Table } from '../storage/table.ts';
import { unusedMessageDelay } from './unused-messages.ts';

/**
 * The object of a blob in a ContactCard's `media`. Its key is random, and no other card refers to it, so it can be
 * removed as soon as this card does not refer to it.
 */
export type CardMediaKey = { readonly cardId: string; readonly key: string };

/** A message for the mail-cleanup Lambda: objects to which their cards may not refer any more. */
export type CardMediaKeys = { readonly accountId: string; readonly cardMedia: readonly CardMediaKey[] };

/** Maximum objects that one message in the queue names, so that it has less than 256 KB. */
const keysPerMessage = 1000;

/** The blobs in the `media` of ContactCards. */
export type CardMedia = {
  /**
   * Lets mail-cleanup look at the objects later, and remove those to which their cards do not refer then. A request calls it
   * before the commit that adds or removes references, so that it leaves nothing behind when it is interrupted.
   */
  removeLater(accountId: string, media: readonly CardMediaKey[]): Promise<void>;
  /** Stores the content of a blob. {@link removeLater} must have been called for it. */
  store(accountId: string, key: string, content: Buffer, type: string): Promise<void>;
};

export const newMediaKey = (): string => randomBytes(16).toString('base64url');

export const cardMedia = ({ objects, removals }: { readonly objects: Pick<Objects, 'put'>; readonly removals: Queue }): CardMedia => ({
  async removeLater(accountId, media) {
    const messages = Array.from({ length: Math.ceil(media.length / keysPerMessage) }, (_, index): CardMediaKeys => ({
      accountId,
      cardMedia: media.slice(index * keysPerMessage, (index + 1) * keysPerMessage),
    }));
    await mapConcurrently(messages, (message) => removals.send(message, unusedMessageDelay));
  },
  store: (accountId, key, content, type) => objects.put(objectKeys.media(accountId, key), content, type),
});

/** Maximum cards that one BatchGet reads. */
const cardsPerRead = 100;

/**
 * Removes the objects to which their cards do not refer. A commit that refers to them has ended before. The removal may
 * be repeated.
 * @returns the number of removed objects.
 */
export const removeUnusedMedia = async (
  { table, objects }: { readonly table: Pick<Table, 'batchGet'>; readonly objects: Pick<Objects, 'remove'> },
  accountId: string,
  media: readonly CardMediaKey[],
): Promise<number> => {
  const ids = [...new Set(media.map(({ cardId }) => cardId))];
  const cards = new Map<string, string>();
  for (let start = 0; start < ids.length; start += cardsPerRead) {
    const keys = ids.slice(start, start + cardsPerRead).map((id) => recordKey(accountId, contactCardType.records!.partition, id));
    for (const item of await table.batchGet(keys)) cards.set(item.sk, contactCardType.records!.codec.decode(item.sk, item).card);
  }
  const unused = media.filter(({ cardId, key }) => !cards.get(cardId)?.includes(mediaBlobId(key)));
  await objects.remove(unused.map(({ key }) => objectKeys.media(accountId, key)));
  return unused.length;
};
