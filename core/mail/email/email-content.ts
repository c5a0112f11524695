import { createHash } from 'node:crypto';
import { mailKeys } from '../../../contract/deployment/keys.ts';
import { emailLimits } from '../../../contract/jmap/core.ts';
import { checkedRow, firstVersion, versionAttribute, type Attributes } from '../../account-log/item-version.ts';
import { recordCodec } from '../../account-log/records/record-codec.ts';
import type { BodyPart, ParsedEmail } from '../../mime/parsed-email.ts';
import { rowOf, type Condition, type Item, type Key, type Table, type Update, type Write } from '../../storage/table.ts';

/** The small, mutable part of an Email. A Lambda holds the rows of the accounts that it has opened. */
export type EmailRow = {
  readonly id: string;
  readonly threadId: string;
  /** Never empty. */
  readonly mailboxIds: readonly string[];
  /** Lower case (RFC 8621 §4.1.1). */
  readonly keywords: readonly string[];
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** Time of the Date header, in milliseconds since 1970. Absent when the message has no valid Date header. */
  readonly sentAt?: number;
  /** Octets of the raw message. */
  readonly size: number;
};

/** The large, immutable part of an Email: the message, parsed when it was stored. */
export type EmailContent = ParsedEmail & {
  readonly id: string;
  /** Id of the blob with the whole raw message. */
  readonly blobId: string;
};

type StoredEmailRow = Omit<EmailRow, 'id' | 'keywords'> & Partial<Pick<EmailRow, 'keywords'>>;

export const emailRowCodec = recordCodec<EmailRow, StoredEmailRow>({
  name: 'Email row',
  encode: ({ threadId, mailboxIds, keywords, receivedAt, sentAt, size }) => ({
    threadId,
    mailboxIds,
    ...(keywords.length > 0 && { keywords }),
    receivedAt,
    sentAt,
    size,
  }),
  decode: (id, { threadId, mailboxIds, keywords = [], receivedAt, sentAt, size }) => ({
    id,
    threadId,
    mailboxIds,
    keywords,
    receivedAt,
    ...(sentAt !== undefined && { sentAt }),
    size,
  }),
});

/** Key of an Email's record, or of the tombstone of a destroyed Email. */
export const emailKey = mailKeys.email;

/** The attributes of a tombstone for a restoration. */
type RestorableRow = {
  /** The attributes of the Email's row when it was destroyed. */
  readonly row: Attributes;
  /** The name of the list of the commit's destroyed Emails. */
  readonly destruction: string;
  /** The end of the restoration period, in seconds since 1970. */
  readonly recoverableUntil: number;
};

/** The attributes of a tombstone. A purged one has no `row`. */
type TombstoneRow = { readonly expiresAt: number; readonly record?: string; readonly isPurged?: boolean } & (
  | RestorableRow
  | (Partial<RestorableRow> & { readonly row?: undefined })
);

export const tombstoneRow = rowOf<TombstoneRow>;

/** Key of a reference, which maps a Message-ID and a base subject to a Thread (RFC 8621 §3). */
export const referenceKey = (accountId: string, messageId: string, baseSubject: string): Key =>
  mailKeys.reference(
    accountId,
    createHash('sha256')
      .update(JSON.stringify([messageId, baseSubject]))
      .digest('base64url')
      .slice(0, 32),
  );

/** Key of the item that counts the Emails of a Thread. References have longer sort keys. */
export const threadKey = mailKeys.thread;

type ThreadRow = { readonly joined: number; readonly restored?: number };

/**
 * The item of a record. The record is stored as JSON text, because a body structure may be nested deeper than
 * DynamoDB's maps, and because text is decoded faster than a tree of attributes. The body structure is on a second
 * line, so that lists of Emails are read without parsing it.
 */
export const emailItem = (accountId: string, { bodyStructure, ...record }: EmailContent): Item => ({
  ...emailKey(accountId, record.id),
  [versionAttribute]: firstVersion,
  record: `${JSON.stringify(record)}\n${JSON.stringify(bodyStructure)}`,
});

/**
 * Whether the item is a tombstone, so that its Email is destroyed. The tombstone has the record until the Email is
 * removed.
 */
const isTombstone = (item: Item): boolean => item['expiresAt'] !== undefined;

/**
 * Decodes a record.
 * @returns undefined for a tombstone.
 * @throws UnknownItemVersion when a newer release wrote the item.
 */
export const decodeEmailContent = (item: Item): EmailContent | undefined => (isTombstone(item) ? undefined : decodeRecord(item));

/**
 * The stored content of a destroyed Email. @returns undefined for an existing Email, and after the content was removed.
 */
export const decodeDestroyedRecord = (item: Item): EmailContent | undefined => (isTombstone(item) ? decodeRecord(item) : undefined);

/** The content in its stored form, as JSON text. @returns undefined for a tombstone whose content is removed. */
const recordText = (item: Item): string | undefined => checkedRow<Pick<TombstoneRow, 'record'>>('Email record', item).record;

const decodeRecord = (item: Item): EmailContent | undefined => {
  const text = recordText(item);
  return text === undefined ? undefined : parseRecordText(text);
};

const parseStructure = (text: string): BodyPart => JSON.parse(text);

/** Parses stored content. The body structure is parsed when it is read for the first time. */
export const parseRecordText = (text: string): EmailContent => {
  const end = text.indexOf('\n');
  const content: Omit<EmailContent, 'bodyStructure'> = JSON.parse(text.slice(0, end));
  let structure: BodyPart | undefined;
  return {
    ...content,
    get bodyStructure() {
      structure ??= parseStructure(text.slice(end + 1));
      return structure;
    },
  };
};

/**
 * Reads records in their stored form, by id, in one BatchGet. Unknown Emails are omitted.
 * @param alsoDestroyed whether to include Emails that were destroyed in the last minutes, for requests that began
 * before their destruction.
 */
export const readRecordTexts = async (
  table: Table,
  accountId: string,
  ids: readonly string[],
  { alsoDestroyed = false } = {},
): Promise<ReadonlyMap<string, string>> => {
  const items = await table.batchGet([...new Set(ids)].map((id) => emailKey(accountId, id)));
  const texts = new Map<string, string>();
  for (const item of items) {
    const text = alsoDestroyed || !isTombstone(item) ? recordText(item) : undefined;
    if (text !== undefined) texts.set(item.sk, text);
  }
  return texts;
};

/** Reads and parses the records: {@link readRecordTexts}. */
export const readEmailContents = async (...given: Parameters<typeof readRecordTexts>): Promise<ReadonlyMap<string, EmailContent>> =>
  new Map([...(await readRecordTexts(...given))].map(([id, text]) => [id, parseRecordText(text)]));

/** Seconds for which a tombstone is kept: longer than any queue keeps a duplicate of a delivery. */
export const tombstoneSeconds = 60 * 24 * 60 * 60;

/**
 * Makes the record of a destroyed Email its tombstone, so that a duplicate delivery doesn't create the Email again.
 * DynamoDB deletes the tombstone after `expiresAt`. The record's content is kept until the Email is removed
 * (`destroyed-emails.ts`), because only the record says which blob and references the Email had.
 * @param restorable attributes for a restoration. Empty for an Email that can't be restored.
 */
export const tombstone = (
  accountId: string,
  emailId: string,
  now: Date,
  restorable: RestorableRow | Record<string, never> = {},
): Update & { readonly set: NonNullable<Update['set']> } => ({
  update: emailKey(accountId, emailId),
  set: { [versionAttribute]: firstVersion, expiresAt: Math.floor(now.getTime() / 1000) + tombstoneSeconds, ...restorable },
});

/** The time of a tombstone's commit, in whole seconds. */
export const destroyedAt = (tombstoneItem: Item): Date => new Date((tombstoneRow(tombstoneItem).expiresAt - tombstoneSeconds) * 1000);

export const referenceItem = (key: Key, threadId: string): Item => ({ ...key, [versionAttribute]: firstVersion, threadId });

/** The Thread id of a reference. @throws UnknownItemVersion when a newer release wrote the item. */
export const decodeReference = (item: Item): string => checkedRow<{ readonly threadId: string }>('Thread reference', item).threadId;

/**
 * Counts Emails that join a Thread, on the condition that the Thread's limit is not exceeded. A Thread of one Email has
 * no such item, which saves a write for most Threads.
 */
export const threadJoins = (accountId: string, threadId: string, count: number): Write => ({
  update: threadKey(accountId, threadId),
  set: { [versionAttribute]: firstVersion },
  add: { joined: count },
  if: [{ lacks: 'joined' }, { below: { joined: emailLimits.maxEmailsPerThread - count } }],
});

/**
 * Seconds for which a Thread stays closed: longer than the delay of a removal. Together with the longest retention of
 * destroyed Emails, this is shorter than the time for which the id of the Thread's first Email is reserved.
 */
const closedSeconds = 20 * 24 * 60 * 60;

/**
 * Closes a Thread whose Emails are destroyed: it counts as full. Until the Emails are removed, their references would
 * otherwise add messages to the closed Thread, although other references of these messages name an existing Thread.
 */
export const closedThread = (accountId: string, threadId: string, now: Date): Item => ({
  ...threadKey(accountId, threadId),
  [versionAttribute]: firstVersion,
  joined: emailLimits.maxEmailsPerThread,
  expiresAt: Math.floor(now.getTime() / 1000) + closedSeconds,
});

/**
 * The condition that no Email has joined the Thread or was restored into it since its item was read or found absent.
 */
export const unchangedThread = (item: Item | undefined): Condition =>
  item ? { equals: { joined: decodeThreadJoins(item), restored: rowOf<ThreadRow>(item).restored } } : { absent: true };

/**
 * The write that makes concurrent removals notice an Email that is restored into its Thread. The Email was already
 * counted when it joined the Thread.
 */
export const restoredThread = (accountId: string, threadId: string): Write => ({
  update: threadKey(accountId, threadId),
  add: { restored: 1 },
  if: { present: true },
});

/** The number of Emails that joined a Thread. @throws UnknownItemVersion when a newer release wrote the item. */
export const decodeThreadJoins = (item: Item): number => checkedRow<ThreadRow>('Thread', item).joined;
