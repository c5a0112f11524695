import { mailboxCounters } from '../../contract/jmap/mailbox.ts';
import type { Head } from '../account-log/head.ts';
import { changesOf, isEmptyChange, type LogEntry } from '../account-log/log-entry.ts';
import { changedSubscriptions, mergeSubscriptions } from '../account-log/records/member-subscriptions.ts';
import { mergeProperties } from '../account-log/records/merge-records.ts';
import type { MemberKey, RecordEvent, Indexes, Operation, PlannedCommit, StoredType } from '../account-log/records/stored-type.ts';
import type { EmailRow } from './email/email-content.ts';
import { emailsOf, emailType, type EmailBefore } from './email/email-type.ts';
import { mailboxesOf, mailboxStorage, newDefaultMailboxes, type MailboxRecord } from './mailbox/mailbox-record.ts';
import { checkDestroyedMailbox, checkMailbox } from './mailbox/mailbox-rules.ts';
import { MailboxTree } from './mailbox/mailbox-tree.ts';

/** The properties of a Mailbox before a change that the log stores. */
type MailboxBefore = {
  /** The role before. Present when the role changes or the Mailbox is destroyed. */
  readonly role?: string | null;
  /** The members whose subscriptions change. Present when nothing else changes. */
  readonly onlySubscriptionsOf?: readonly MemberKey[];
};

const differsBySubscriptionsOnly = (from: MailboxRecord, to: MailboxRecord): boolean =>
  from.name === to.name && from.parentId === to.parentId && from.role === to.role && from.sortOrder === to.sortOrder;

/** The properties that the log stores: only the role and the subscriptions of a Mailbox. */
const beforeChange = (from: MailboxRecord, to: MailboxRecord | undefined): MailboxBefore | undefined => {
  if (!to) return from.role === null ? undefined : { role: from.role };
  if (from.role !== to.role) return { role: from.role };
  const members = changedSubscriptions(from, to);
  return members.length > 0 && differsBySubscriptionsOnly(from, to) ? { onlySubscriptionsOf: members } : undefined;
};

/** Whether another Mailbox became the trash. Then the counters of any Mailbox may have changed. */
const trashChanged = (entry: LogEntry): boolean => {
  const { created, updated, destroyed } = changesOf<MailboxRecord, MailboxBefore>(entry, mailboxStorage);
  const wasTrash = (before: MailboxBefore | undefined) => before?.role === 'trash';
  const hasOtherRole = (before: MailboxBefore | undefined) => before?.role !== undefined;
  return (
    created.some(({ role }) => role === 'trash') ||
    updated.some(({ record, before }) => hasOtherRole(before) && (record.role === 'trash') !== wasTrash(before)) ||
    destroyed.some(({ before }) => wasTrash(before))
  );
};

/**
 * The Mailboxes whose counters may have changed: the Mailboxes of changed Emails, and of other Emails in the same
 * Threads.
 */
const recountedMailboxes = (entry: LogEntry, indexes: Indexes, existing: ReadonlySet<string>): ReadonlySet<string> => {
  if (trashChanged(entry)) return new Set(existing);
  const { created, updated, destroyed } = changesOf<EmailRow, EmailBefore>(entry, emailType);
  const mailboxIds = new Set<string>();
  const threadIds = new Set<string>();
  const add = (threadId: string, ids: readonly string[]) => {
    threadIds.add(threadId);
    for (const id of ids) mailboxIds.add(id);
  };
  for (const row of created) add(row.threadId, row.mailboxIds);
  for (const { record, before } of updated) if (before) add(record.threadId, [...before.mailboxIds, ...record.mailboxIds]);
  for (const { before } of destroyed) add(before!.threadId!, before!.mailboxIds);
  const emails = emailsOf(indexes);
  for (const threadId of threadIds) for (const id of emails.mailboxesOfThread(threadId)) mailboxIds.add(id);
  return mailboxIds;
};

/**
 * The events of written and recounted Mailboxes. The Mailboxes at each commit are derived backwards from the newest
 * commit.
 */
const mailboxEvents = (entries: readonly LogEntry[], indexes: Indexes): readonly (readonly RecordEvent[])[] => {
  const existing = new Set(mailboxesOf(indexes).ids());
  return entries
    .toReversed()
    .map((entry) => {
      const { created, updated, destroyed } = changesOf<MailboxRecord, MailboxBefore>(entry, mailboxStorage);
      const events = new Map<string, RecordEvent>();
      for (const id of recountedMailboxes(entry, indexes, existing)) {
        if (existing.has(id)) events.set(id, { id, kind: 'updated', onlyComputed: true, properties: mailboxCounters });
      }
      const subscriptions: RecordEvent[] = [];
      for (const {
        record: { id },
        before,
      } of updated) {
        const { onlySubscriptionsOf: onlyFor }: MailboxBefore = before ?? {};
        if (onlyFor) subscriptions.push({ id, kind: 'updated', onlyFor, properties: ['isSubscribed'] });
        else events.set(id, { id, kind: 'updated' });
      }
      for (const { id } of created) events.set(id, { id, kind: 'created' });
      for (const { id } of destroyed) events.set(id, { id, kind: 'destroyed' });
      for (const { id } of created) existing.delete(id);
      for (const { id } of destroyed) existing.add(id);
      return [...events.values(), ...subscriptions];
    })
    .toReversed();
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

/** An Email that will be in the Mailbox after a commit; undefined when there will be none. */
const emailLeftIn = (mailboxId: string, planned: PlannedCommit): string | undefined => {
  const emails = emailsOf(planned.indexes);
  if (emails.counters(mailboxId).totalEmails === 0) return undefined;
  return [...emails.query({ inMailbox: mailboxId }, [])].find((id) => planned.after(emailType, id)?.mailboxIds.includes(mailboxId));
};

/**
 * Mailbox (RFC 8621 §2). A Mailbox also changes with its counters: when its Emails are added, moved, destroyed or read.
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
    const emails = changesOf<EmailRow, EmailBefore>(entry, emailType);
    return (
      !isEmptyChange(changesOf(entry, mailboxStorage)) ||
      emails.created.length + emails.destroyed.length > 0 ||
      emails.updated.some(({ before }) => before !== undefined)
    );
  },
  events: mailboxEvents,
};
