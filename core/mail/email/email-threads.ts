import { emailLimits } from '../../../contract/jmap/core.ts';
import type { Operation, PreparedRecord } from '../../account-log/records/stored-type.ts';
import type { Item, Key, Table, Write } from '../../storage/table.ts';
import { newContentWrites } from './email-blobs.ts';
import { decodeReference, decodeThreadJoins, referenceItem, referenceKey, restoredThread, threadJoins, threadKey, type EmailRow } from './email-content.ts';
import type { EmailToStore, NewEmail } from './email-store.ts';
import { restoredContent } from './recoverable-email.ts';

/**
 * Maximum stored references of each message: the first ones (the root of the Thread) and the last ones (the closest
 * messages).
 */
const firstReferences = 4;
const lastReferences = 20;

/**
 * The keys of a message's references, one for each Message-ID, beginning with the message's own. Messages that share a
 * reference belong to one Thread (RFC 8621 §3).
 */
export const referenceKeys = (accountId: string, { threadMessageIds, baseSubject }: Pick<EmailToStore, 'threadMessageIds' | 'baseSubject'>): readonly Key[] => {
  const ids = [...new Set(threadMessageIds)];
  const kept = ids.filter((_, i) => i < firstReferences || i >= ids.length - lastReferences);
  return kept.map((messageId) => referenceKey(accountId, messageId, baseSubject));
};

/**
 * The id of a new Thread. It is derived from the id of its first Email, so that a repeated delivery gets the same
 * Thread.
 */
const newThreadId = (emailId: string): string => `T${emailId.slice(1)}`;

/**
 * The Threads that stored references name, and the number of Emails in each. New Emails of one commit are added to
 * them.
 */
export class KnownThreads {
  /** Thread ids by the sort key of a reference. */
  readonly #threads: Map<string, string>;
  readonly #stored: ReadonlySet<string>;
  readonly #joined: Map<string, number>;
  /** Ids of the Threads into which Emails of the commit are restored. */
  readonly #restored = new Set<string>();

  /** @param joined the items that count the Emails of Threads. A Thread without such an item has one Email. */
  constructor(references: readonly Item[], joined: readonly Item[] = []) {
    this.#threads = new Map(references.map((item) => [item.sk, decodeReference(item)]));
    this.#stored = new Set(this.#threads.keys());
    this.#joined = new Map(joined.map((item) => [item.sk, decodeThreadJoins(item)]));
  }

  get ids(): readonly string[] {
    return [...new Set(this.#threads.values())];
  }

  #isFull(threadId: string): boolean {
    return (this.#joined.get(threadId) ?? 0) + 1 >= emailLimits.maxEmailsPerThread;
  }

  /**
   * Finds the Thread of a message: the first Thread that one of its references names and that is not full, or a new
   * one. References that name a full Thread are changed to name the found one.
   */
  add(keys: readonly Key[], emailId: string): EmailThread {
    const referenced = keys.flatMap(({ sk }) => this.#threads.get(sk) ?? []);
    // A transaction can't write the item of a restored Thread twice.
    const existing = referenced.find((threadId) => !this.#isFull(threadId) && !this.#restored.has(threadId));
    const threadId = existing ?? newThreadId(emailId);
    if (existing !== undefined) this.#joined.set(threadId, (this.#joined.get(threadId) ?? 0) + 1);
    const writes = keys.flatMap((key): (Write & { readonly put: Item })[] => {
      const before = this.#threads.get(key.sk);
      if (before === undefined) return [{ put: referenceItem(key, threadId), if: { absent: true } }];
      // Another Email of the same commit may have the same reference, and a transaction can't write an item twice.
      if (before === threadId || !this.#isFull(before) || !this.#stored.has(key.sk)) return [];
      return [{ put: referenceItem(key, threadId), if: { equals: { threadId: before } } }];
    });
    for (const { put } of writes) this.#threads.set(put.sk, threadId);
    return { threadId, writes };
  }

  /**
   * Finds the Thread of a restored Email. It is the Email's former Thread if one of the references still names that
   * Thread. Otherwise the Email joins a Thread like a new Email. References that were removed in the meantime are
   * written again.
   * @param before the id of the former Thread.
   */
  restore(accountId: string, keys: readonly Key[], emailId: string, before: string): EmailThread {
    const hasItem = this.#joined.has(before);
    const isReferenced = keys.some(({ sk }) => this.#threads.get(sk) === before);
    // A Thread without the item has only its first Email.
    if (!isReferenced || (!hasItem && before !== newThreadId(emailId))) return this.add(keys, emailId);
    const missing = keys.filter(({ sk }) => !this.#threads.has(sk));
    for (const { sk } of missing) this.#threads.set(sk, before);
    const announced = hasItem && !this.#restored.has(before) ? [restoredThread(accountId, before)] : [];
    this.#restored.add(before);
    return { threadId: before, writes: [...missing.map((key): Write => ({ put: referenceItem(key, before), if: { absent: true } })), ...announced] };
  }
}

type EmailThread = {
  readonly threadId: string;
  /**
   * The missing references, on the condition that they are absent. When two messages of one Thread are delivered
   * concurrently, the second write is refused, and its retry finds the Thread of the first one.
   */
  readonly writes: readonly Write[];
};

/** Whether the Email was counted in the Thread before it was destroyed. */
const isRestoredIntoThread = ({ source, record }: Extract<Operation<EmailRow>, { kind: 'create' }>): boolean => {
  const email: Partial<NewEmail> | undefined = source;
  return email?.restored?.threadId === record.threadId;
};

/**
 * Counts the Emails that a transaction adds to existing Threads. The transaction is refused when one of the Threads is
 * full.
 */
export const threadWrites = (accountId: string, operations: readonly Operation<EmailRow>[]): readonly Write[] => {
  const joins = new Map<string, number>();
  for (const operation of operations) {
    if (operation.kind !== 'create' || operation.record.threadId === newThreadId(operation.record.id)) continue;
    if (isRestoredIntoThread(operation)) continue;
    joins.set(operation.record.threadId, (joins.get(operation.record.threadId) ?? 0) + 1);
  }
  return [...joins].map(([threadId, count]) => threadJoins(accountId, threadId, count));
};

/** The row of a new Email. */
export const newEmailRow = ({ content, keywords, receivedAt, sentAt, size }: EmailToStore, threadId: string, mailboxIds: readonly string[]): EmailRow => ({
  id: content.id,
  threadId,
  mailboxIds,
  keywords: [...new Set(keywords.map((keyword) => keyword.toLowerCase()))].sort(),
  receivedAt,
  ...(sentAt !== undefined && { sentAt }),
  size,
});

/**
 * Makes the rows of new Emails. It reads their references, then the Threads that the references name, each in one
 * BatchGet.
 */
export const prepareEmails = async (
  created: readonly NewEmail[],
  { table, accountId }: { readonly table: Table; readonly accountId: string },
): Promise<PreparedRecord<EmailRow>[]> => {
  const keys = created.map((email) => referenceKeys(accountId, email));
  const references = await table.batchGet(keys.flat());
  const threadIds = new KnownThreads(references).ids;
  const joined = threadIds.length > 0 ? await table.batchGet(threadIds.map((threadId) => threadKey(accountId, threadId))) : [];
  const known = new KnownThreads(references, joined);
  return created.map((email, i) => {
    const {
      restored,
      content: { id },
    } = email;
    const { threadId, writes } = restored ? known.restore(accountId, keys[i]!, id, restored.threadId) : known.add(keys[i]!, id);
    const contentWrites = restored ? [restoredContent(accountId, { id, ...restored })] : newContentWrites(accountId, email.content);
    return { record: newEmailRow(email, threadId, email.mailboxIds), additionalWrites: [...contentWrites, ...writes] };
  });
};
