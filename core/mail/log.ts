import type { Item, Value } from '../storage/table.ts';
import type { States } from './head.ts';
import { logKey } from './keys.ts';
import type { EmailRow, MailboxRecord } from './email/email-record.ts';
import { decodeMailbox, decodeRow, encodeMailbox, encodeRow } from './rows.ts';

/** An updated Email's new row, and where it was before if its mailboxes' counters may have changed. */
export type UpdatedEmail = { readonly row: EmailRow; readonly was?: readonly string[] };
export type DestroyedEmail = { readonly id: string; readonly threadId: string; readonly was: readonly string[] };

/** One commit: what it changed, with all that an index needs to follow and that /changes needs to tell. An id is in it once. */
export type LogEntry = {
  readonly sequence: number;
  /** When, in milliseconds since 1970. */
  readonly at: number;
  /** Tells this commit from any other, so that a writer whose answer was lost can find out whether it happened. */
  readonly by: string;
  readonly created: readonly EmailRow[];
  readonly updated: readonly UpdatedEmail[];
  readonly destroyed: readonly DestroyedEmail[];
  readonly createdMailboxes: readonly MailboxRecord[];
  readonly updatedMailboxes: readonly MailboxRecord[];
  readonly destroyedMailboxes: readonly string[];
  /** Another mailbox is the trash now, or none: counters of any mailbox may have changed. */
  readonly trashMoved?: boolean;
};

/** A commit that changes nothing, to be spread under what it does change. */
export const emptyEntry = {
  created: [], updated: [], destroyed: [], createdMailboxes: [], updatedMailboxes: [], destroyedMailboxes: [],
} as const satisfies Partial<LogEntry>;

/** The states after the commit. A Mailbox also changes when its counters may have; a Thread is its list of Emails. */
export const statesAfter = (before: States, entry: LogEntry): States => {
  const membership = entry.created.length > 0 || entry.destroyed.length > 0;
  const mailboxes = entry.createdMailboxes.length + entry.updatedMailboxes.length + entry.destroyedMailboxes.length > 0;
  const counters = membership || entry.updated.some(({ was }) => was !== undefined);
  return {
    Email: membership || entry.updated.length > 0 ? entry.sequence : before.Email,
    EmailDelivery: entry.created.length > 0 ? entry.sequence : before.EmailDelivery,
    Mailbox: mailboxes || counters ? entry.sequence : before.Mailbox,
    Thread: membership ? entry.sequence : before.Thread,
  };
};

type Attributes = { readonly [name: string]: Value | undefined };
const listed = <T>(name: string, list: readonly T[], encode: (each: T) => Value) => (list.length > 0 ? { [name]: list.map(encode) } : {});
const list = <T>(item: Item, name: string, decode: (each: Attributes) => T): T[] => ((item[name] ?? []) as Attributes[]).map(decode);

export const encodeEntry = (accountId: string, entry: LogEntry): Item => ({
  ...logKey(accountId, entry.sequence),
  at: entry.at,
  by: entry.by,
  ...listed('created', entry.created, (row) => ({ id: row.id, ...encodeRow(row) })),
  ...listed('updated', entry.updated, ({ row, was }) => ({ id: row.id, ...encodeRow(row), was })),
  ...listed('destroyed', entry.destroyed, ({ id, threadId, was }) => ({ id, threadId, was })),
  ...listed('createdMailboxes', entry.createdMailboxes, (mailbox) => ({ id: mailbox.id, ...encodeMailbox(mailbox) })),
  ...listed('updatedMailboxes', entry.updatedMailboxes, (mailbox) => ({ id: mailbox.id, ...encodeMailbox(mailbox) })),
  ...listed('destroyedMailboxes', entry.destroyedMailboxes, (id) => id),
  ...(entry.trashMoved && { trashMoved: true }),
});

export const decodeEntry = (item: Item): LogEntry => ({
  sequence: Number(item.sk),
  at: item['at'] as number,
  by: item['by'] as string,
  created: list(item, 'created', (each) => decodeRow(each['id'] as string, each)),
  updated: list(item, 'updated', (each) => ({
    row: decodeRow(each['id'] as string, each),
    ...(each['was'] !== undefined && { was: each['was'] as string[] }),
  })),
  destroyed: list(item, 'destroyed', (each) => each as DestroyedEmail),
  createdMailboxes: list(item, 'createdMailboxes', (each) => decodeMailbox(each['id'] as string, each)),
  updatedMailboxes: list(item, 'updatedMailboxes', (each) => decodeMailbox(each['id'] as string, each)),
  destroyedMailboxes: (item['destroyedMailboxes'] ?? []) as string[],
  ...(item['trashMoved'] === true && { trashMoved: true }),
});
