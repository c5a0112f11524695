import type { Clock } from '../../runtime/clock.ts';
import { WriteRefused, type Item, type Key, type Table, type Write } from '../../storage/table.ts';
import { defaultMailbox } from '../create-account.ts';
import { headAfter } from '../account-index.ts';
import { changedHead, decodeHead, type Head } from '../head.ts';
import { emailKey, headKey, logKey, referenceKey } from '../keys.ts';
import { emptyEntry, encodeEntry, type LogEntry } from '../log.ts';
import type { NewEmail } from '../mail-store.ts';
import type { EmailRow, MailboxRecord } from './email-record.ts';
import { mailboxItem, recordItem, rowItem } from '../rows.ts';
import { conflict, retryOnConflict, type Pause } from '../../storage/retry-on-conflict.ts';

export type DeliveryParts = { readonly table: Table; readonly now: Clock; readonly newId: () => string; readonly pause: Pause };

/** References that lead to a Thread, of each message: the first ones (the Thread's root) and the last ones (its nearest). */
const firstReferences = 4;
const lastReferences = 20;

/** Answers that may be lost before a delivery is given up. */
const lostAnswers = 2;

/** Adds a message in two trips without the index; see the port. */
export const deliverEmail = ({ table, now, newId, pause }: DeliveryParts, accountId: string, email: NewEmail): Promise<'delivered' | 'duplicate' | 'unknown-account'> => {
  const by = newId();
  const references = referenceKeys(accountId, email);
  let lost = 0;
  /** The log item of a write whose answer was lost. */
  let doubtful: Key | undefined;
  return retryOnConflict(async () => {
    const found = await table.batchGet([headKey(accountId), emailKey(accountId, email.record.id), ...references, ...(doubtful ? [doubtful] : [])]);
    const at = (key: Key) => found.find(({ pk, sk }) => pk === key.pk && sk === key.sk);
    const head = at(headKey(accountId));
    if (!head) return 'unknown-account';
    if (doubtful && at(doubtful)?.['by'] === by) return 'delivered';
    if (at(emailKey(accountId, email.record.id))) return 'duplicate';
    const before = decodeHead(head);
    try {
      await table.write(deliveryWrites(accountId, email, before, references, references.map(at), { now: now(), by, newId }));
      return 'delivered';
    } catch (error) {
      if (!(error instanceof WriteRefused)) {
        if (++lost > lostAnswers) throw error;
        doubtful = logKey(accountId, before.sequence + 1);
      }
      return conflict;
    }
  }, pause);
};

/** Where each Message-ID of the message leads, its own first (RFC 8621 §3: with the same base subject, they are one Thread). */
const referenceKeys = (accountId: string, { threadMessageIds, baseSubject }: NewEmail): Key[] => {
  const ids = [...new Set(threadMessageIds)];
  const kept = ids.filter((_, i) => i < firstReferences || i >= ids.length - lastReferences);
  return kept.map((messageId) => referenceKey(accountId, messageId, baseSubject));
};

/** The Thread that a first message founds: named after it, so that delivering again makes the same one. */
const threadFoundedBy = (emailId: string): string => `T${emailId.slice(1)}`;

/**
 * The whole delivery. References are written only where none is yet: of two messages of one Thread at once, the second is refused, looks
 * again and finds the first one's Thread.
 */
const deliveryWrites = (
  accountId: string, email: NewEmail, head: Head, references: readonly Key[], found: readonly (Item | undefined)[],
  { now, by, newId }: { now: Date; by: string; newId: () => string },
): Write[] => {
  const threadId = (found.find((item) => item)?.['threadId'] ?? threadFoundedBy(email.record.id)) as string;
  const known = head.roles[email.mailboxRole] ?? head.roles['inbox'];
  const inbox: MailboxRecord | undefined = known === undefined ? defaultMailbox('inbox', `F${newId()}`) : undefined;
  const row: EmailRow = {
    id: email.record.id,
    threadId,
    mailboxIds: [known ?? inbox!.id],
    keywords: [...new Set(email.keywords.map((keyword) => keyword.toLowerCase()))].sort(),
    receivedAt: email.receivedAt,
    ...(email.sentAt !== undefined && { sentAt: email.sentAt }),
    size: email.size,
  };
  const entry: LogEntry = { ...emptyEntry, sequence: head.sequence + 1, at: now.getTime(), by, created: [row], createdMailboxes: inbox ? [inbox] : [] };
  const next = headAfter(head, entry, inbox ? { ...head.roles, inbox: inbox.id } : head.roles, head.bytes + email.size);
  return [
    { update: headKey(accountId), set: changedHead(next), if: { equals: { sequence: head.sequence } } },
    { put: encodeEntry(accountId, entry) },
    { put: rowItem(accountId, row) },
    { put: recordItem(accountId, email.record), if: { absent: true } },
    ...references.flatMap((key, i) => (found[i] ? [] : [{ put: { ...key, threadId }, if: { absent: true } } as const])),
    ...(inbox ? [{ put: mailboxItem(accountId, inbox) }] : []),
  ];
};
