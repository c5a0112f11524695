import { accountPartitions } from '../../../contract/deployment/keys.ts';
import { isUnread } from '../../account-index/columns/interned-sets.ts';
import { changesOf, type LogEntry } from '../../account-log/log-entry.ts';
import { mergedSet } from '../../account-log/records/merge-records.ts';
import { RecordRefused } from '../../account-log/records/record-refused.ts';
import type { CommitContext, Indexes, Operation, PlannedCommit, RecordEvent, StoredType } from '../../account-log/records/stored-type.ts';
import { mailboxesOf, mailboxStorage } from '../mailbox/mailbox-record.ts';
import { emailRowCodec, type EmailRow } from './email-content.ts';
import { prepareEmails, threadWrites } from './email-threads.ts';
import { emailIndexBuilder, type EmailIndex } from './index/email-index.ts';
import { emailSnapshots } from './index/email-snapshots.ts';
import { destructionWrites, recoverableUntil, tombstoneOf } from './recoverable-email.ts';

/**
 * The properties of an Email before its change that the log keeps, when the change affects counters of Mailboxes or
 * destroys the Email.
 */
export type EmailBefore = {
  readonly mailboxIds: readonly string[];
  /** The Thread's id. Only of a destroyed Email. */
  readonly threadId?: string;
  /** Seconds since 1970 until which a destroyed Email can be restored. Absent for other Emails. */
  readonly recoverableUntil?: number;
};

const sorted = (members: readonly string[]): string[] => [...new Set(members)].sort();

const normalizeRow = (row: EmailRow, planned: PlannedCommit): EmailRow => {
  const exists = (mailboxId: string) => planned.after(mailboxStorage, mailboxId) !== undefined;
  if (row.mailboxIds.length === 0 || !row.mailboxIds.every(exists)) {
    throw new Error(`Email ${row.id} would be in no Mailbox, or in one that doesn't exist`);
  }
  return { ...row, mailboxIds: sorted(row.mailboxIds), keywords: sorted(row.keywords.map((keyword) => keyword.toLowerCase())) };
};

/**
 * Omits Mailboxes that another commit has destroyed. An Email that would be in no Mailbox keeps its current Mailboxes.
 */
const mergeRow = (current: EmailRow, from: EmailRow, to: EmailRow, indexes: Indexes): EmailRow => {
  const mailboxIds = mergedSet(current.mailboxIds, from.mailboxIds, to.mailboxIds).filter((id) => mailboxesOf(indexes).get(id));
  return { ...current, mailboxIds: mailboxIds.length > 0 ? mailboxIds : current.mailboxIds, keywords: mergedSet(current.keywords, from.keywords, to.keywords) };
};

/** Omits Mailboxes that another commit has destroyed. An Email that would be in no Mailbox can't be created. */
const adaptCreatedRow = (row: EmailRow, planned: PlannedCommit): EmailRow => {
  const mailboxIds = sorted(row.mailboxIds.filter((id) => planned.after(mailboxStorage, id)));
  if (mailboxIds.length === 0) throw new RecordRefused('invalidProperties', 'None of the mailboxes exists any more.', ['mailboxIds']);
  return { ...row, mailboxIds };
};

const rowBefore = (from: EmailRow, to: EmailRow | undefined, context: CommitContext): EmailBefore | undefined => {
  if (!to) {
    const until = recoverableUntil(context);
    return { mailboxIds: from.mailboxIds, threadId: from.threadId, ...(until !== undefined && { recoverableUntil: until }) };
  }
  const isRecounted = isUnread(to.keywords) !== isUnread(from.keywords) || to.mailboxIds.join(' ') !== from.mailboxIds.join(' ');
  return isRecounted ? { mailboxIds: from.mailboxIds } : undefined;
};

const sizeChange = (operation: Operation<EmailRow>): number =>
  operation.kind === 'create' ? operation.record.size : operation.kind === 'destroy' ? -operation.from.size : 0;

const countChange = ({ kind }: Operation<EmailRow>): number => (kind === 'create' ? 1 : kind === 'destroy' ? -1 : 0);

/**
 * Email (RFC 8621 §4). The mutable parts of an account's Emails are held in memory; the immutable parts are read on
 * demand.
 */
export const emailType: StoredType<EmailRow, EmailIndex> = {
  name: 'Email',
  records: {
    partition: accountPartitions.row,
    otherPartitions: [accountPartitions.email, accountPartitions.reference, accountPartitions.blob, accountPartitions.destroyed],
    codec: emailRowCodec,
    indexBuilder: emailIndexBuilder,
    snapshots: emailSnapshots,
    normalize: normalizeRow,
    prepare: prepareEmails,
    merge: mergeRow,
    adaptCreation: adaptCreatedRow,
    before: rowBefore,
    transactionWrites: (accountId, operations, context) => [...threadWrites(accountId, operations), ...destructionWrites(accountId, operations, context)],
    headFields: ({ bytes, messages }, operations) => ({
      bytes: operations.reduce((sum, operation) => sum + sizeChange(operation), bytes),
      messages: operations.reduce((sum, operation) => sum + countChange(operation), messages),
    }),
    additionalWrites: (accountId, operation, context) => (operation.kind === 'destroy' ? [tombstoneOf(accountId, operation.from, context)] : []),
  },
  events: (entries) => entries.map(emailEvents),
};

/** The mutable properties that a commit may have changed. The log stores the former Mailboxes whenever they changed. */
const changedProperties = ({ mailboxIds }: EmailRow, before: EmailBefore | undefined): readonly string[] =>
  before && before.mailboxIds.join(' ') !== mailboxIds.join(' ') ? ['mailboxIds', 'keywords'] : ['keywords'];

const emailEvents = (entry: LogEntry): readonly RecordEvent[] => {
  const { created, updated, destroyed } = changesOf<EmailRow, EmailBefore>(entry, emailType);
  return [
    ...created.map(({ id, threadId }) => ({ id, kind: 'created' as const, groupId: threadId })),
    ...updated.map(({ record, before }) => ({
      id: record.id,
      kind: 'updated' as const,
      groupId: record.threadId,
      properties: changedProperties(record, before),
    })),
    ...destroyed.map(({ id, before }) => ({ id, kind: 'destroyed' as const, groupId: before!.threadId })),
  ];
};

/** An account's Emails. */
export const emailsOf = (account: Indexes): EmailIndex => account.index(emailType);

/**
 * EmailDelivery (RFC 8621 §1.5). Its state changes only when an Email is added. It has no records and is used only for
 * push.
 */
export const emailDeliveryType: StoredType = {
  name: 'EmailDelivery',
  isChangedBy: (entry) => changesOf(entry, emailType).created.length > 0,
  events: (entries) => entries.map(() => []),
};
