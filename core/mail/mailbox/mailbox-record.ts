import { accountPartitions } from '../../../contract/deployment/keys.ts';
import { mailbox } from '../../../contract/jmap/mailbox.ts';
import { withSubscribersCodec } from '../../account-log/records/member-subscriptions.ts';
import { plainStoredType, type Indexes, type RecordIndex, type RecordStorage, type StoredType } from '../../account-log/records/stored-type.ts';

/** A Mailbox (RFC 8621 §2) without the computed properties (counters, rights). */
export type MailboxRecord = {
  readonly id: string;
  readonly name: string;
  readonly parentId: string | null;
  readonly role: string | null;
  readonly sortOrder: number;
  /** Whether the account's owner is subscribed. */
  readonly isSubscribed: boolean;
  /**
   * The principal ids of other subscribed members, the newest last. Former members are not removed. Absent when there
   * are none.
   */
  readonly subscribers?: readonly string[];
};

/** The four counters of a Mailbox (RFC 8621 §2). They are derived from the Emails in memory. */
export type MailboxCounters = { readonly totalEmails: number; readonly unreadEmails: number; readonly totalThreads: number; readonly unreadThreads: number };

const plain = plainStoredType<MailboxRecord>(mailbox, 2);

/** The stored form of Mailboxes. `email-groups/mailbox-type.ts` adds the properties that depend on Emails. */
export const mailboxStorage: StoredType<MailboxRecord> & { readonly records: RecordStorage<MailboxRecord, RecordIndex<MailboxRecord>> } = {
  ...plain,
  records: { ...plain.records, partition: accountPartitions.mailbox, codec: withSubscribersCodec(plain.records.codec) },
};

/** An account's Mailboxes. */
export const mailboxesOf = (account: Indexes): RecordIndex<MailboxRecord> => account.index(mailboxStorage);

/** The Mailbox with the role. @returns undefined when no Mailbox has it. */
export const mailboxWithRole = (account: Indexes, role: string): MailboxRecord | undefined =>
  mailboxesOf(account)
    .all()
    .find((each) => each.role === role);

/** The Mailboxes of a new account, in the order in which clients show them. */
const defaultMailboxes = [
  { name: 'Inbox', role: 'inbox' },
  { name: 'Drafts', role: 'drafts' },
  { name: 'Sent', role: 'sent' },
  { name: 'Archive', role: 'archive' },
  { name: 'Junk', role: 'junk' },
  { name: 'Trash', role: 'trash' },
] as const;

type DefaultRole = (typeof defaultMailboxes)[number]['role'];

/** A new default Mailbox. */
export const defaultMailbox = (role: DefaultRole, newId: () => string): MailboxRecord => {
  const position = defaultMailboxes.findIndex((each) => each.role === role);
  return { id: `F${newId()}`, name: defaultMailboxes[position]!.name, parentId: null, role, sortOrder: position + 1, isSubscribed: true };
};

/** All default Mailboxes, with new ids. */
export const newDefaultMailboxes = (newId: () => string): readonly MailboxRecord[] => defaultMailboxes.map(({ role }) => defaultMailbox(role, newId));
