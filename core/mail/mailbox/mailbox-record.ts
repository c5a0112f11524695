import { mailbox } from '../../../contract/jmap/mailbox.ts';
import { plainStoredType, type Indexes, type RecordIndex } from '../stored-type.ts';

/** RFC 8621 §2, without the computed properties (counters, rights). */
export type MailboxRecord = {
  readonly id: string;
  readonly name: string;
  readonly parentId: string | null;
  readonly role: string | null;
  readonly sortOrder: number;
  readonly isSubscribed: boolean;
};

/** RFC 8621 §2: the four counters of a Mailbox. They are derived from the Emails in memory. */
export type MailboxCounters = {
  readonly totalEmails: number;
  readonly unreadEmails: number;
  readonly totalThreads: number;
  readonly unreadThreads: number;
};

/** How Mailboxes are stored. `mailbox-type.ts` adds what depends on Emails. */
export const mailboxStorage = plainStoredType<MailboxRecord>(mailbox);

/** An account's Mailboxes. */
export const mailboxesOf = (account: Indexes): RecordIndex<MailboxRecord> => account.index(mailboxStorage);

/** The Mailbox that has the role; undefined when none has it. */
export const mailboxWithRole = (account: Indexes, role: string): MailboxRecord | undefined => mailboxesOf(account).all().find((each) => each.role === role);

/** The Mailboxes that an account begins with, in the order in which clients show them. */
const defaultMailboxes = [
  { name: 'Inbox', role: 'inbox' },
  { name: 'Drafts', role: 'drafts' },
  { name: 'Sent', role: 'sent' },
  { name: 'Archive', role: 'archive' },
  { name: 'Junk', role: 'junk' },
  { name: 'Trash', role: 'trash' },
] as const;

export type DefaultRole = (typeof defaultMailboxes)[number]['role'];

/** A new default Mailbox. */
export const defaultMailbox = (role: DefaultRole, newId: () => string): MailboxRecord => {
  const place = defaultMailboxes.findIndex((each) => each.role === role);
  return { id: `F${newId()}`, name: defaultMailboxes[place]!.name, parentId: null, role, sortOrder: place + 1, isSubscribed: true };
};

/** All default Mailboxes of a new account. */
export const newDefaultMailboxes = (newId: () => string): readonly MailboxRecord[] => defaultMailboxes.map(({ role }) => defaultMailbox(role, newId));
