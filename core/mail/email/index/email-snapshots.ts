import { grownCapacity, packedBytes, withCapacity, type SavedIds } from '../../../account-index/columns/packed-ids.ts';
import { savedAs, type IndexSnapshots, type SnapshotArray } from '../../../account-log/records/stored-type.ts';
import { mailboxWithRole } from '../../mailbox/mailbox-record.ts';
import { EmailColumns } from './email-columns.ts';
import { EmailIndex } from './email-index.ts';
import { MailboxCounterTable, type SavedCounters } from './mailbox-counters.ts';

type EmailsJson = {
  readonly emails: number;
  readonly unpackedEmailIds: SavedIds['unpacked'];
  readonly threads: number;
  readonly unpackedThreadIds: SavedIds['unpacked'];
  readonly mailboxSets: readonly (readonly string[])[];
  readonly keywordSets: readonly (readonly string[])[];
  /** The id of the Mailbox that was the trash when the Emails were counted. */
  readonly trashId: string | null;
  readonly counters: SavedCounters;
};

/** A saved index. A column has room for the Emails and Threads of the next commits. */
type SavedEmails = {
  readonly json: EmailsJson;
  readonly arrays: {
    readonly [Name in 'emailIds' | 'threadIds']: SavedArray<Uint8Array>;
  } & {
    readonly [Name in 'emailIdTable' | 'threadIdTable' | 'thread' | 'emailSize']: SavedArray<Uint32Array>;
  } & {
    readonly [Name in 'mailboxSet' | 'keywordSet']: SavedArray<SnapshotArray>;
  } & {
    readonly [Name in 'receivedAt' | 'sentAt']: SavedArray<Float64Array>;
  };
};
type SavedArray<Values> = { readonly values: Values; readonly capacity?: number };

/** Set numbers in the smallest unsigned array type that can hold them. */
const narrowed = (numbers: Uint32Array, sets: number): SnapshotArray =>
  sets <= 0x100 ? Uint8Array.from(numbers) : sets <= 0x1_0000 ? Uint16Array.from(numbers) : numbers;

const widened = (numbers: SnapshotArray, capacity: number): Uint32Array => {
  if (numbers instanceof Uint32Array) return withCapacity(numbers, capacity);
  const wide = new Uint32Array(capacity);
  wide.set(numbers);
  return wide;
};

/**
 * Saves an index of Emails. Counters are computed anew, so that an error in one snapshot is not repeated in the next.
 */
const save = (index: EmailIndex, trashId: string | undefined): SavedEmails => {
  const columns = index.sortedColumns();
  const { ids, threads, mailboxSets, keywordSets, thread, mailboxSet, keywordSet, receivedAt, sentAt, emailSize } = columns.save();
  const json: EmailsJson = {
    emails: ids.size,
    unpackedEmailIds: ids.unpacked,
    threads: threads.size,
    unpackedThreadIds: threads.unpacked,
    mailboxSets,
    keywordSets,
    trashId: trashId ?? null,
    counters: new MailboxCounterTable(columns, trashId).save(),
  };
  // The columns have room for the Emails and Threads of the next commits, so that these copy no column.
  const capacity = grownCapacity(ids.size);
  return {
    json,
    arrays: {
      emailIds: { values: ids.packed, capacity: capacity * packedBytes },
      emailIdTable: { values: ids.table },
      threadIds: { values: threads.packed, capacity: grownCapacity(threads.size) * packedBytes },
      threadIdTable: { values: threads.table },
      thread: { values: thread, capacity },
      mailboxSet: { values: narrowed(mailboxSet, mailboxSets.length) },
      keywordSet: { values: narrowed(keywordSet, keywordSets.length) },
      receivedAt: { values: receivedAt, capacity },
      sentAt: { values: sentAt, capacity },
      emailSize: { values: emailSize, capacity },
    },
  };
};

const restore = ({ json: emails, arrays }: SavedEmails, trashId: string | undefined): EmailIndex => {
  const capacity = grownCapacity(emails.emails);
  const columns = EmailColumns.restore({
    ids: { size: emails.emails, packed: arrays.emailIds.values, table: arrays.emailIdTable.values, unpacked: emails.unpackedEmailIds },
    threads: { size: emails.threads, packed: arrays.threadIds.values, table: arrays.threadIdTable.values, unpacked: emails.unpackedThreadIds },
    mailboxSets: emails.mailboxSets,
    keywordSets: emails.keywordSets,
    thread: arrays.thread.values,
    mailboxSet: widened(arrays.mailboxSet.values, capacity),
    keywordSet: widened(arrays.keywordSet.values, capacity),
    receivedAt: arrays.receivedAt.values,
    sentAt: arrays.sentAt.values,
    emailSize: arrays.emailSize.values,
  });
  const saved = (emails.trashId ?? undefined) === trashId ? emails.counters : undefined;
  return new EmailIndex(columns, new MailboxCounterTable(columns, trashId, { saved }));
};

/** The snapshot format of Emails. A change of the arrays or of the hash function needs a new `snapshotVersion`. */
export const emailSnapshots: IndexSnapshots<EmailIndex> = {
  save: (index, indexes) => save(index, mailboxWithRole(indexes, 'trash')?.id),
  restore: (saved, indexes) => restore(savedAs<SavedEmails>(saved), mailboxWithRole(indexes, 'trash')?.id),
};
