import type { Item, Key, Table, Write } from '../../storage/table.ts';
import type { PreparedRecord } from '../stored-type.ts';
import { decodeReference, emailItem, referenceItem, referenceKey, type EmailRow } from './email-record.ts';
import type { EmailContent, NewEmail } from './new-email.ts';

/**
 * References that are stored for each message: the first ones (the root of the Thread) and the last ones (the nearest
 * messages).
 */
const firstReferences = 4;
const lastReferences = 20;

/**
 * The keys of a message's references, one for each Message-ID, its own first. Messages that share a reference are one
 * Thread (RFC 8621 §3).
 */
export const referenceKeys = (accountId: string, { threadMessageIds, baseSubject }: EmailContent): Key[] => {
  const ids = [...new Set(threadMessageIds)];
  const kept = ids.filter((_, i) => i < firstReferences || i >= ids.length - lastReferences);
  return kept.map((messageId) => referenceKey(accountId, messageId, baseSubject));
};

/** The id of a new Thread. It is derived from its first Email, so that a repeated delivery makes the same Thread. */
const newThreadId = (emailId: string): string => `T${emailId.slice(1)}`;

/** The existing references: sort key → Thread id. */
export type KnownReferences = Map<string, string>;

export const knownReferences = (items: readonly Item[]): KnownReferences => new Map(items.map((item) => [item.sk, decodeReference(item)]));

export type EmailThread = {
  readonly threadId: string;
  /**
   * Writes of the missing references, on the condition that they are absent. When two messages of one Thread are
   * delivered at once, the second write is refused, and its retry finds the Thread of the first.
   */
  readonly writes: readonly Write[];
};

/**
 * Finds the Thread of a message by the known references, or makes a new one. Adds the message's references to the known
 * ones.
 */
export const findThread = (keys: readonly Key[], emailId: string, known: KnownReferences): EmailThread => {
  const threadId = keys.map(({ sk }) => known.get(sk)).find((each) => each !== undefined) ?? newThreadId(emailId);
  const missing = keys.filter(({ sk }) => !known.has(sk));
  for (const { sk } of missing) known.set(sk, threadId);
  return { threadId, writes: missing.map((key) => ({ put: referenceItem(key, threadId), if: { absent: true } })) };
};

/** The row of a new Email. */
export const newEmailRow = (
  { record, keywords, receivedAt, sentAt, size }: EmailContent, threadId: string, mailboxIds: readonly string[],
): EmailRow => ({
  id: record.id,
  threadId,
  mailboxIds,
  keywords: [...new Set(keywords.map((keyword) => keyword.toLowerCase()))].sort(),
  receivedAt,
  ...(sentAt !== undefined && { sentAt }),
  size,
});

/** Makes the rows of new Emails. Reads their references, which lead to their Threads, in one BatchGet. */
export const prepareEmails = async (created: readonly NewEmail[], { table, accountId }: {
  readonly table: Table;
  readonly accountId: string;
}): Promise<PreparedRecord<EmailRow>[]> => {
  const keys = created.map((email) => referenceKeys(accountId, email));
  const known = knownReferences(await table.batchGet(keys.flat()));
  return created.map((email, i) => {
    const { threadId, writes } = findThread(keys[i]!, email.record.id, known);
    return {
      record: newEmailRow(email, threadId, email.mailboxIds),
      additionalWrites: [{ put: emailItem(accountId, email.record), if: { absent: true } }, ...writes],
    };
  });
};
