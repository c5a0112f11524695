import type { Item, Value } from '../storage/table.ts';
import { emailKey, mailboxKey, rowKey } from './keys.ts';
import type { BodyPart } from '../mime/parsed-email.ts';
import type { EmailRecord, EmailRow, MailboxRecord } from './email/email-record.ts';

type Attributes = { readonly [name: string]: Value | undefined };

/** A row's attributes, in its own item (which has the id in its key) and in the log. */
export const encodeRow = (row: EmailRow): Attributes => ({
  threadId: row.threadId,
  mailboxIds: row.mailboxIds,
  ...(row.keywords.length > 0 && { keywords: row.keywords }),
  receivedAt: row.receivedAt,
  sentAt: row.sentAt,
  size: row.size,
});

export const decodeRow = (id: string, attributes: Attributes): EmailRow => ({
  id,
  threadId: attributes['threadId'] as string,
  mailboxIds: attributes['mailboxIds'] as string[],
  keywords: (attributes['keywords'] ?? []) as string[],
  receivedAt: attributes['receivedAt'] as number,
  ...(attributes['sentAt'] !== undefined && { sentAt: attributes['sentAt'] as number }),
  size: attributes['size'] as number,
});

export const rowItem = (accountId: string, row: EmailRow): Item => ({ ...rowKey(accountId, row.id), ...encodeRow(row) });

export const encodeMailbox = ({ name, parentId, role, sortOrder, isSubscribed }: MailboxRecord): Attributes =>
  ({ name, parentId, role, sortOrder, isSubscribed });

export const decodeMailbox = (id: string, attributes: Attributes): MailboxRecord => ({
  id,
  name: attributes['name'] as string,
  parentId: attributes['parentId'] as string | null,
  role: attributes['role'] as string | null,
  sortOrder: attributes['sortOrder'] as number,
  isSubscribed: attributes['isSubscribed'] as boolean,
});

export const mailboxItem = (accountId: string, mailbox: MailboxRecord): Item => ({ ...mailboxKey(accountId, mailbox.id), ...encodeMailbox(mailbox) });

/**
 * The record as one text: a body structure may be nested deeper than DynamoDB's maps, and one text is read faster than a tree of attributes.
 * The structure is a line of its own, because lists of Emails are shown without it.
 */
export const recordItem = (accountId: string, { bodyStructure, ...record }: EmailRecord): Item =>
  ({ ...emailKey(accountId, record.id), record: `${JSON.stringify(record)}\n${JSON.stringify(bodyStructure)}` });

/** The record of an item, its structure parsed when it is first asked for; undefined when the Email was destroyed. */
export const decodeRecord = (item: Item): EmailRecord | undefined => {
  const text = item['record'] as string | undefined;
  if (text === undefined) return undefined;
  const end = text.indexOf('\n');
  let structure: BodyPart | undefined;
  return {
    ...JSON.parse(text.slice(0, end)) as Omit<EmailRecord, 'bodyStructure'>,
    get bodyStructure() {
      return structure ??= JSON.parse(text.slice(end + 1)) as BodyPart;
    },
  };
};

/** How long a destroyed Email is remembered, in seconds: longer than any queue keeps a late duplicate of its delivery. */
const tombstoneSeconds = 60 * 24 * 60 * 60;

/** What is left of a destroyed Email, so that delivering it again does not bring it back. DynamoDB removes it after `expiresAt`, in seconds. */
export const tombstoneItem = (accountId: string, emailId: string, now: Date): Item =>
  ({ ...emailKey(accountId, emailId), expiresAt: Math.floor(now.getTime() / 1000) + tombstoneSeconds });
