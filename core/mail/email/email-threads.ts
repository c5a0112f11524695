import type { Item, Key, Table, Write } from '../../storage/table.ts';
import type { PreparedRecord } from '../stored-type.ts';
import { decodeReference, emailItem, referenceItem, referenceKey, type EmailRow } from './email-record.ts';
import type { EmailContent, NewEmail } from './new-email.ts';

/** References that are stored for each message: its first ones (the Thread's root) and its last ones (the nearest messages). */
const firstReferences = 4;
const lastReferences = 20;

/** The keys of a message's references: one for each Message-ID, its own first (RFC 8621 §3: with the same base subject they are one Thread). */
export const referenceKeys = (accountId: string, { threadMessageIds, baseSubject }: EmailContent): Key[] => {
  const ids = [...new Set(threadMessageIds)];
  const kept = ids.filter((_, i) => i < firstReferences || i >= ids.length - lastReferences);
  return kept.map((messageId) => referenceKey(accountId, messageId, baseSubject));
};

/** The id of the Thread that a first message starts. It is derived from the message, so that a repeated delivery makes the same Thread. */
const newThreadId = (emailId: string): string => `T${emailId.slice(1)}`;

/** Sort key → Thread id, of the references that exist. */
export type KnownReferences = Map<string, string>;

export const knownReferences = (items: readonly Item[]): KnownReferences => new Map(items.map((item) => [item.sk, decodeReference(item)]));

export type EmailThread = {
  readonly threadId: string;
  /** The references that are still missing. They are written on the condition that they are absent: of two messages of one Thread at once, the second is refused, and its retry finds the Thread of the first. */
  readonly writes: readonly Write[];
};

/** Finds the Thread of a message among the known references, or starts a new one. The references of the message are known afterwards. */
export const findThread = (keys: readonly Key[], emailId: string, known: KnownReferences): EmailThread => {
  const threadId = keys.map(({ sk }) => known.get(sk)).find((each) => each !== undefined) ?? newThreadId(emailId);
  const missing = keys.filter(({ sk }) => !known.has(sk));
  for (const { sk } of missing) known.set(sk, threadId);
  return { threadId, writes: missing.map((key) => ({ put: referenceItem(key, threadId), if: { absent: true } })) };
};

/** The row of a new Email. */
export const newEmailRow = ({ record, keywords, receivedAt, sentAt, size }: EmailContent, threadId: string, mailboxIds: readonly string[]): EmailRow => ({
  id: record.id,
  threadId,
  mailboxIds,
  keywords: [...new Set(keywords.map((keyword) => keyword.toLowerCase()))].sort(),
  receivedAt,
  ...(sentAt !== undefined && { sentAt }),
  size,
});

/** Finds the Threads of Emails that a commit creates, in one BatchGet. */
export const prepareEmails = async (created: readonly NewEmail[], { table, accountId }: { readonly table: Table; readonly accountId: string }): Promise<PreparedRecord<EmailRow>[]> => {
  const keys = created.map((email) => referenceKeys(accountId, email));
  const known = knownReferences(await table.batchGet(keys.flat()));
  return created.map((email, i) => {
    const { threadId, writes } = findThread(keys[i]!, email.record.id, known);
    return { record: newEmailRow(email, threadId, email.mailboxIds), additionalWrites: [{ put: emailItem(accountId, email.record), if: { absent: true } }, ...writes] };
  });
};
