import { WriteRefused, type Table, type Write } from '../storage/table.ts';
import type { Clock } from '../runtime/clock.ts';
import { encodeHead, type Head } from './head.ts';
import { emptyEntry, encodeEntry, statesAfter, type LogEntry } from './log.ts';
import type { MailboxRecord } from './email/email-record.ts';
import { mailboxItem } from './rows.ts';
import { conflict, retryOnConflict, type Pause } from '../storage/retry-on-conflict.ts';

/** The mailboxes that an account begins with, in the order in which clients show them. */
const defaultMailboxes = [
  { name: 'Inbox', role: 'inbox' },
  { name: 'Drafts', role: 'drafts' },
  { name: 'Sent', role: 'sent' },
  { name: 'Archive', role: 'archive' },
  { name: 'Junk', role: 'junk' },
  { name: 'Trash', role: 'trash' },
] as const;

export type DefaultRole = (typeof defaultMailboxes)[number]['role'];

/** A default mailbox, new. */
export const defaultMailbox = (role: DefaultRole, id: string): MailboxRecord => {
  const place = defaultMailboxes.findIndex((mailbox) => mailbox.role === role);
  return { id, name: defaultMailboxes[place]!.name, parentId: null, role, sortOrder: place + 1, isSubscribed: true };
};

/** Makes the account's head and default mailboxes, as its first commit, in one transaction with what is to be written also: {@link MailStore.createAccount}. */
export const createAccount = async (table: Table, accountId: string, now: Clock, newId: () => string, pause: Pause, also: readonly Write[]): Promise<boolean> => {
  const mailboxes = defaultMailboxes.map(({ role }) => defaultMailbox(role, `F${newId()}`));
  const entry: LogEntry = { ...emptyEntry, sequence: 1, at: now().getTime(), by: newId(), createdMailboxes: mailboxes };
  const head: Head = {
    sequence: entry.sequence,
    states: statesAfter({ Email: 0, EmailDelivery: 0, Mailbox: 0, Thread: 0 }, entry),
    lowWater: 0,
    roles: Object.fromEntries(mailboxes.map(({ role, id }) => [role, id])),
    bytes: 0,
  };
  const own: readonly Write[] = [
    { put: encodeHead(accountId, head), if: { absent: true } },
    { put: encodeEntry(accountId, entry) },
    ...mailboxes.map((mailbox) => ({ put: mailboxItem(accountId, mailbox) })),
  ];
  const outcome = await retryOnConflict(async () => {
    try {
      await table.write([...own, ...also]);
      return true;
    } catch (error) {
      if (!(error instanceof WriteRefused)) throw error;
      if (error.contended) return conflict;
      if (error.failed.includes(0)) return false;
      return new WriteRefused(error.failed.map((place) => place - own.length), false);
    }
  }, pause);
  if (outcome instanceof WriteRefused) throw outcome;
  return outcome;
};
