import { mailboxCounters } from '../../../contract/jmap/mailbox.ts';
import { emailsOf, emailType, type EmailBefore } from '../email/email-type.ts';
import type { EmailRow } from '../email/email-content.ts';
import type { Head } from '../../account-log/head.ts';
import { changesOf, isEmptyChange, type LogEntry } from '../../account-log/log-entry.ts';
import { checkDestroyedMailbox, checkMailbox } from './mailbox-rules.ts';
import { mergeProperties } from '../../account-log/records/merge-records.ts';
import { changedSubscriptions, differsBySubscriptionsOnly, mergeSubscriptions } from './mailbox-subscriptions.ts';
import { MailboxTree } from './mailbox-tree.ts';
import type { MemberKey, RecordEvent, Indexes, Operation, PlannedCommit, StoredType } from '../../account-log/records/stored-type.ts';
import { mailboxesOf, mailboxStorage, newDefaultMailboxes, type MailboxRecord } from './mailbox-record.ts';

/** The properties of a Mailbox before its change that the log keeps. */
type MailboxBefore = {
  /** When the Mailbox's role changes or the Mailbox is destroyed. */
  readonly role?: string | null;
  /** When nothing but subscriptions changes: of these members. */
  readonly onlySubscriptionsOf?: readonly MemberKey[];
};

/** The log keeps only the role and the subscriptions of a Mailbox. */
const beforeChange = (from: MailboxRecord, to: MailboxRecord | undefined): MailboxBefore | undefined => {
  if (!to) return from.role === null ? undefined : { role: from.role };
  if (from.role !== to.role) return { role: from.role };
  const members = changedSubscriptions(from, to);
  return members.length > 0 && differsBySubscriptionsOnly(from, to) ? { onlySubscriptionsOf: members } : undefined;
};

/**
 * Whether the commit gave the trash role to another Mailbox, or to none. Then the counters of any Mailbox may have
 * changed.
 */
const trashChanged = (entry: LogEntry): boolean => {
  const { created, updated, destroyed } = changesOf<MailboxRecord>(entry, mailboxStorage);
  const wasTrash = (before: MailboxBefore | undefined) => before?.role === 'trash';
  const hasOtherRole = (before: MailboxBefore | undefined) => before?.role !== undefined;
  return created.some(({ role }) => role === 'trash')
    || updated.some(({ record, before }) => hasOtherRole(before) && (record.role === 'trash') !== wasTrash(before))
    || destroyed.some(({ before }) => wasTrash(before));
};

/**
 * The Mailboxes of the changed Emails, before and after the commit, and of the other Emails of their Threads. An unread
 * Email makes its Thread unread in all of them.
 */
const recountedMailboxes = (entry: LogEntry, indexes: Indexes, existing: ReadonlySet<string>): ReadonlySet<string> => {
  if (trashChanged(entry)) return new Set(existing);
  const { created, updated, destroyed } = changesOf<EmailRow>(entry, emailType);
  const mailboxIds = new Set<string>();
  const threadIds = new Set<string>();
  const add = (threadId: string, ids: readonly string[]) => {
    threadIds.add(threadId);
    for (const id of ids) mailboxIds.add(id);
  };
  for (const row of created) add(row.threadId, row.mailboxIds);
  for (const { record, before } of updated) if (before) add(record.threadId, [...(before as EmailBefore).mailboxIds, ...record.mailboxIds]);
  for (const { before } of destroyed) add((before as EmailBefore).threadId!, (before as EmailBefore).mailboxIds);
  const emails = emailsOf(indexes);
  for (const threadId of threadIds) for (const id of emails.mailboxesOfThread(threadId)) mailboxIds.add(id);
  return mailboxIds;
};

/**
 * The events of written Mailboxes and of those whose counters may have changed. The Mailboxes that existed at each
 * commit are derived backwards from the newest one.
 */
const mailboxEvents = (entries: readonly LogEntry[], indexes: Indexes): readonly (readonly RecordEvent[])[] => {
  const existing = new Set(mailboxesOf(indexes).ids());
  return entries.toReversed().map((entry) => {
    const { created, updated, destroyed } = changesOf<MailboxRecord>(entry, mailboxStorage);
    const events = new Map<string, RecordEvent>();
    for (const id of recountedMailboxes(entry, indexes, existing)) {
      if (existing.has(id)) events.set(id, { id, kind: 'updated', onlyComputed: true, properties: mailboxCounters });
    }
    const subscriptions: RecordEvent[] = [];
    for (const { record: { id }, before } of updated) {
      const { onlySubscriptionsOf: onlyFor }: MailboxBefore = before ?? {};
      if (onlyFor) subscriptions.push({ id, kind: 'updated', onlyFor, properties: ['isSubscribed'] });
      else events.set(id, { id, kind: 'updated' });
    }
    for (const { id } of created) events.set(id, { id, kind: 'created' });
    for (const { id } of destroyed) events.set(id, { id, kind: 'destroyed' });
    for (const { id } of created) existing.delete(id);
    for (const { id } of destroyed) existing.add(id);
    return [...events.values(), ...subscriptions];
  }).toReversed();
};

/** Mailbox ids by role after a commit. */
const rolesAfter = ({ roles }: Head, operations: readonly Operation<MailboxRecord>[]): Head['roles'] => {
  const written = operations.flatMap((operation) => (operation.kind === 'destroy' ? [] : [operation.record]));
  const changed = new Set(operations.map((operation) => (operation.kind === 'destroy' ? operation.from.id : operation.record.id)));
  return Object.fromEntries([
    ...Object.entries(roles).filter(([, id]) => !changed.has(id)),
    ...written.flatMap(({ id, role }) => (role === null ? [] : [[role, id] as const])),
  ]);
};

/** An Email that will be in the Mailbox after a commit; undefined when there is none. */
const emailLeftIn = (mailboxId: string, planned: PlannedCommit): string | undefined => {
  const emails = emailsOf(planned.indexes);
  if (emails.counters(mailboxId).totalEmails === 0) return undefined;
  return [...emails.query({ inMailbox: mailboxId }, [])].find((id) => planned.after(emailType, id)?.mailboxIds.includes(mailboxId));
};

/**
 * Mailbox (RFC 8621 §2). It also changes when its counters may have changed: when Emails in it are added, moved,
 * destroyed or read.
 */
export const mailboxType: StoredType<MailboxRecord> = {
  ...mailboxStorage,
  records: {
    ...mailboxStorage.records,
    initialRecords: newDefaultMailboxes,
    checkDestroy({ id }, planned) {
      const emailId = emailLeftIn(id, planned);
      if (emailId !== undefined) throw new Error(`Mailbox ${id} is destroyed while Email ${emailId} is in it`);
    },
    revalidate(operation, planned) {
      const tree = new MailboxTree(planned.allAfter(mailboxStorage));
      if (operation.kind !== 'destroy') {
        return checkMailbox(tree, operation.record, operation.kind === 'update' ? operation.from : undefined);
      }
      checkDestroyedMailbox(tree, operation.from, emailLeftIn(operation.from.id, planned) !== undefined);
    },
    merge: (current, from, to) => mergeSubscriptions(mergeProperties(current, from, to), current, from, to),
    before: beforeChange,
    headFields: (head, operations) => ({ roles: rolesAfter(head, operations) }),
  },
  isChangedBy(entry) {
    const emails = changesOf<EmailRow>(entry, emailType);
    return !isEmptyChange(changesOf(entry, mailboxStorage))
      || emails.created.length + emails.destroyed.length > 0
      || emails.updated.some(({ before }) => before !== undefined);
  },
  events: mailboxEvents,
};
