import { createHash } from 'node:crypto';
import { emailIdOf, messageBlobId, originMessageKey, randomMessageKey } from '../mail/email/blob-id.ts';
import { decodeEmailContent, emailKey } from '../mail/email/email-content.ts';
import type { EmailToStore } from '../mail/email/email-store.ts';
import type { ParsedMessage } from '../mime/parse-message.ts';
import { StoreConflict } from '../runtime/domain-errors.ts';
import type { Queue } from '../runtime/lambda/queue.ts';
import { mapConcurrently } from '../runtime/map-concurrently.ts';
import { objectKeys } from '../storage/object-keys.ts';
import type { Objects } from '../storage/objects.ts';
import type { Table } from '../storage/table.ts';
import { unusedMessageDelay, type StoredMessageKeys } from './unused-messages.ts';

/** A raw message to store in an account. */
export type MessageSource = {
  /** An account has at most one Email for each origin. Absent: the message always becomes a new Email. */
  readonly origin?: string;
  /** The octets, or the key of an object of the mail bucket with the octets. */
  readonly content: Buffer | { readonly copyOf: string };
};

/** A raw message in the account's folder. The Email's id is `emailIdOf(key)`, its blob `messageBlobId(key)`. */
export type StoredMessage = {
  readonly key: string;
  /** Whether the account already has the Email of this origin. Then the object was not written again. */
  readonly isKnown: boolean;
};

/** Stores the raw messages of Emails that a commit will create. */
export type MessageStore = {
  /**
   * Stores messages, in two round trips. A message whose Email no commit creates within {@link unusedMessageDelay} is
   * removed.
   * @returns one entry for each source, in their order. Sources of one origin have the same key.
   * @throws MissingMessage when the object to copy does not exist.
   */
  store(accountId: string, sources: readonly MessageSource[]): Promise<readonly StoredMessage[]>;
};

/** Thrown when the object to copy no longer exists, because its Email was destroyed in the meantime. */
export class MissingMessage extends StoreConflict {}

export type MessageStoreDependencies = {
  readonly table: Pick<Table, 'batchGet'>;
  readonly objects: Pick<Objects, 'put' | 'copy'>;
  /** The queue of the mail-cleanup Lambda. */
  readonly removals: Queue;
  /** Makes the keys of messages without an origin. */
  readonly newMessageKey?: () => string;
};

/** Maximum objects that are written at the same time. */
const writesAtOnce = 16;

/** Maximum Emails of one origin that were destroyed in the last 60 days, before the next one gets a random key. */
const maxGenerations = 16;

/** The origin of a message that is identified by its octets. */
export const contentOrigin = (bytes: Buffer): string => `content/${createHash('sha256').update(bytes).digest('base64url')}`;

export const messageStore = ({ table, objects, removals, newMessageKey = randomMessageKey }: MessageStoreDependencies): MessageStore => {
  const expire = async (accountId: string, messageKeys: readonly string[]): Promise<void> => {
    if (messageKeys.length > 0) await removals.send({ accountId, messageKeys } satisfies StoredMessageKeys, unusedMessageDelay);
  };

  /**
   * Finds the keys for origins. The key of an origin is that of its first generation that is an Email or was never
   * used.
   */
  const findKeys = async (accountId: string, origins: readonly string[], generation: number, found: Map<string, StoredMessage>): Promise<void> => {
    const keyOf = (origin: string) => (generation < maxGenerations ? originMessageKey(accountId, origin, generation) : newMessageKey());
    const keys = new Map(origins.map((origin) => [origin, keyOf(origin)]));
    // The message is enqueued before anything is stored, so that an interrupted request leaves nothing behind.
    const [items] = await Promise.all([
      table.batchGet([...keys.values()].map((key) => emailKey(accountId, emailIdOf(key)))),
      expire(accountId, [...keys.values()]),
    ]);
    const byId = new Map(items.map((item) => [item.sk, item]));
    const destroyed: string[] = [];
    for (const [origin, key] of keys) {
      const item = byId.get(emailIdOf(key));
      if (item && !decodeEmailContent(item)) destroyed.push(origin);
      else found.set(origin, { key, isKnown: item !== undefined });
    }
    if (destroyed.length > 0) await findKeys(accountId, destroyed, generation + 1, found);
  };

  const write = async (accountId: string, key: string, content: MessageSource['content']): Promise<void> => {
    const target = objectKeys.message(accountId, key);
    if (Buffer.isBuffer(content)) await objects.put(target, content, 'message/rfc822');
    else if (!(await objects.copy(content.copyOf, target))) throw new MissingMessage();
  };

  return {
    async store(accountId, sources) {
      const found = new Map<string, StoredMessage>();
      const stored = sources.map(({ origin }) => (origin === undefined ? { key: newMessageKey(), isKnown: false } : undefined));
      const origins = [...new Set(sources.flatMap(({ origin }) => origin ?? []))];
      await Promise.all([
        expire(
          accountId,
          stored.flatMap((each) => each?.key ?? []),
        ),
        ...(origins.length > 0 ? [findKeys(accountId, origins, 0, found)] : []),
      ]);
      const result = sources.map(({ origin }, i) => stored[i] ?? found.get(origin!)!);
      const contents = new Map(result.flatMap(({ key, isKnown }, i) => (isKnown ? [] : [[key, sources[i]!.content] as const])));
      await mapConcurrently([...contents], ([key, content]) => write(accountId, key, content), { atOnce: writesAtOnce });
      return result;
    },
  };
};

/** The content of a new Email, from the raw message with this key. @param size octets of the raw message. */
export const emailToStore = (
  key: string,
  { email, sentAt, threadMessageIds, baseSubject }: ParsedMessage,
  size: number,
): Omit<EmailToStore, 'keywords' | 'receivedAt'> => ({
  content: { ...email, id: emailIdOf(key), blobId: messageBlobId(key) },
  ...(sentAt !== undefined && { sentAt }),
  size,
  threadMessageIds,
  baseSubject,
});
