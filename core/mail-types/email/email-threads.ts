import { emailLimits } from '../../../contract/jmap/core.ts';
import type { Item, Key, Table, Write } from '../../storage/table.ts';
import type { Operation, PreparedRecord } from '../../account-log/records/stored-type.ts';
import {
  decodeReference, decodeThreadJoins, referenceItem, referenceKey, threadJoins, threadKey, type EmailRow,
} from './email-content.ts';
import { newRecordWrites } from './email-blobs.ts';
import type { EmailToStore, NewEmail } from './new-email.ts';

/**
 * References that are stored for each message: the first ones (the root of the Thread) and the last ones (the closest
 * messages).
 */
const firstReferences = 4;
const lastReferences = 20;

/**
 * The keys of a message's references, one for each Message-ID, its own first. Messages that share a reference are one
 * Thread (RFC 8621 §3).
 */
export const referenceKeys = (
  accountId: string, { threadMessageIds, baseSubject }: Pick<EmailToStore, 'threadMessageIds' | 'baseSubject'>,
): Key[] => {
  const ids = [...new Set(threadMessageIds)];
  const kept = ids.filter((_, i) => i < firstReferences || i >= ids.length - lastReferences);
  return kept.map((messageId) => referenceKey(accountId, messageId, baseSubject));
};

/** The id of a new Thread. It is derived from its first Email, so that a repeated delivery makes the same Thread. */
const newThreadId = (emailId: string): string => `T${emailId.slice(1)}`;

/** The Threads of stored references, and how many Emails joined each. New Emails of one commit are added to them. */
export class KnownThreads {
  /** By the sort key of a reference. */
  readonly #threads: Map<string, string>;
  readonly #stored: ReadonlySet<string>;
  readonly #joined: Map<string, number>;

  /** @param joined the items that count the Emails of Threads. A Thread without one here counts as not full. */
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
   * Finds the Thread of a message: the first one of its references that is not full, or a new one. References that lead
   * to a full Thread lead to the found one from now on.
   */
  add(keys: readonly Key[], emailId: string): EmailThread {
    const referenced = keys.flatMap(({ sk }) => this.#threads.get(sk) ?? []);
    const existing = referenced.find((threadId) => !this.#isFull(threadId));
    const threadId = existing ?? newThreadId(emailId);
    if (existing !== undefined) this.#joined.set(threadId, (this.#joined.get(threadId) ?? 0) + 1);
    const writes = keys.flatMap((key): Write[] => {
      const before = this.#threads.get(key.sk);
      if (before === undefined) return [{ put: referenceItem(key, threadId), if: { absent: true } }];
      // A reference of the same commit may be in the same transaction, which can't have two writes of one item.
      if (before === threadId || !this.#isFull(before) || !this.#stored.has(key.sk)) return [];
      return [{ put: referenceItem(key, threadId), if: { equals: { threadId: before } } }];
    });
    for (const { put } of writes as readonly { readonly put: Key }[]) this.#threads.set(put.sk, threadId);
    return { threadId, writes };
  }
}

type EmailThread = {
  readonly threadId: string;
  /**
   * Writes the missing references, on the condition that they are absent. When two messages of one Thread are delivered
   * concurrently, the second write is refused, and its retry finds the Thread of the first one.
   */
  readonly writes: readonly Write[];
};

/** Counts the Emails that a transaction adds to existing Threads. It is refused when one of them is full. */
export const threadWrites = (accountId: string, operations: readonly Operation<EmailRow>[]): readonly Write[] => {
  const joins = new Map<string, number>();
  for (const operation of operations) {
    if (operation.kind !== 'create' || operation.record.threadId === newThreadId(operation.record.id)) continue;
    joins.set(operation.record.threadId, (joins.get(operation.record.threadId) ?? 0) + 1);
  }
  return [...joins].map(([threadId, count]) => threadJoins(accountId, threadId, count));
};

/** The row of a new Email. */
export const newEmailRow = (
  { record, keywords, receivedAt, sentAt, size }: EmailToStore, threadId: string, mailboxIds: readonly string[],
): EmailRow => ({
  id: record.id,
  threadId,
  mailboxIds,
  keywords: [...new Set(keywords.map((keyword) => keyword.toLowerCase()))].sort(),
  receivedAt,
  ...(sentAt !== undefined && { sentAt }),
  size,
});

/** Makes the rows of new Emails. Reads their references and then the Threads that these lead to, each in one BatchGet. */
export const prepareEmails = async (created: readonly NewEmail[], { table, accountId }: {
  readonly table: Table;
  readonly accountId: string;
}): Promise<PreparedRecord<EmailRow>[]> => {
  const keys = created.map((email) => referenceKeys(accountId, email));
  const references = await table.batchGet(keys.flat());
  const threadIds = new KnownThreads(references).ids;
  const joined = threadIds.length > 0 ? await table.batchGet(threadIds.map((threadId) => threadKey(accountId, threadId))) : [];
  const known = new KnownThreads(references, joined);
  return created.map((email, i) => {
    const { threadId, writes } = known.add(keys[i]!, email.record.id);
    return {
      record: newEmailRow(email, threadId, email.mailboxIds),
      additionalWrites: [...newRecordWrites(accountId, email.record), ...writes],
    };
  });
};
