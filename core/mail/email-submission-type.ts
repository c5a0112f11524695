import { accountPartitions } from '../../contract/deployment/keys.ts';
import { deliveryProperties, emailSubmission, type UndoStatus } from '../../contract/jmap/email-submission.ts';
import { countRecipients, type SendCounts } from '../account-log/head-send-counts.ts';
import { changesOf, type LogEntry } from '../account-log/log-entry.ts';
import { recordCodec } from '../account-log/records/record-codec.ts';
import {
  indexOfRecords,
  RecordMap,
  type Indexes,
  type Operation,
  type RecordEvent,
  type RecordIndex,
  type StoredType,
} from '../account-log/records/stored-type.ts';

/** An EmailSubmission without its envelope and delivery status, which are in the sending table. */
export type EmailSubmissionRecord = {
  readonly id: string;
  readonly identityId: string;
  readonly emailId: string;
  readonly threadId: string;
  /** The time to send the message: RFC 3339 in UTC with milliseconds. */
  readonly sendAt: string;
  /** Equal to `undo_status` of the submission in the sending table: the two change in one transaction. */
  readonly undoStatus: UndoStatus;
  /**
   * Number of recipients, which counts towards the send limits, and the time of creation in milliseconds since 1970.
   */
  readonly recipients: number;
  readonly createdAt: number;
  /** Number of parts of the submission in the sending table, so that one BatchGet reads all of them. */
  readonly parts: number;
  /** The number of changes of the delivery status. It is stored so that each of them updates this record. */
  readonly deliveryChanges: number;
};

/** The record after a recipient's delivery status changed. */
export const withDeliveryChange = (record: EmailSubmissionRecord): EmailSubmissionRecord => ({ ...record, deliveryChanges: record.deliveryChanges + 1 });

/** The record with an undo status; the same object when it already has that status. */
export const withUndoStatus = (record: EmailSubmissionRecord, undoStatus: UndoStatus): EmailSubmissionRecord =>
  record.undoStatus === undoStatus ? record : { ...record, undoStatus };

type EmailSubmissionBefore = Pick<EmailSubmissionRecord, 'undoStatus'>;

const codec = recordCodec<EmailSubmissionRecord>({
  name: emailSubmission.name,
  encode: ({ id: _id, ...attributes }) => attributes,
  decode: (id, { identityId, emailId, threadId, sendAt, undoStatus, recipients, createdAt, parts, deliveryChanges }) => ({
    id,
    identityId,
    emailId,
    threadId,
    sendAt,
    undoStatus,
    recipients,
    createdAt,
    parts,
    deliveryChanges,
  }),
});

/**
 * The events of EmailSubmissions. An update changes the undo status, the delivery status or both; all other properties
 * are immutable.
 */
const submissionEvents = (entry: LogEntry): readonly RecordEvent[] => {
  const { created, updated, destroyed } = changesOf<EmailSubmissionRecord>(entry, { name: emailSubmission.name });
  return [
    ...created.map(({ id }): RecordEvent => ({ id, kind: 'created' })),
    ...updated.map(({ record: { id }, before }): RecordEvent => ({
      id,
      kind: 'updated',
      properties: before ? ['undoStatus', ...deliveryProperties] : deliveryProperties,
    })),
    ...destroyed.map(({ id }): RecordEvent => ({ id, kind: 'destroyed' })),
  ];
};

/** The counts of sent mail after a commit. */
const countsAfter = (before: SendCounts | undefined, operations: readonly Operation<EmailSubmissionRecord>[]): SendCounts | undefined =>
  operations.reduce(
    (counts, operation) => (operation.kind === 'create' ? countRecipients(counts, operation.record.recipients, operation.record.createdAt) : counts),
    before,
  );

/** EmailSubmission (RFC 8621 §7). */
export const emailSubmissionType: StoredType<EmailSubmissionRecord> = {
  name: emailSubmission.name,
  records: {
    partition: accountPartitions.emailSubmission,
    codec,
    indexBuilder: () => indexOfRecords((records) => new RecordMap(records)),
    headFields(head, operations) {
      const sends = countsAfter(head.sends, operations);
      return sends === head.sends ? {} : { sends };
    },
    before: (from, to): EmailSubmissionBefore | undefined => (to && to.undoStatus !== from.undoStatus ? { undoStatus: from.undoStatus } : undefined),
  },
  events: (entries) => entries.map(submissionEvents),
};

/** The EmailSubmissions of an account in memory. */
export const emailSubmissionsOf = (account: Indexes): RecordIndex<EmailSubmissionRecord> => account.index(emailSubmissionType);
