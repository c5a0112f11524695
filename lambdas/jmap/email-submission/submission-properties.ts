import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import type { EmailSubmissionRecord } from '../../../core/mail/email-submission-type.ts';
import { deliveryStatuses, reportBlobIds, type SubmissionPart } from '../../../core/sending/submission/submission.ts';
import type { FoundSubmission } from '../../../core/sending/submission/submissions.ts';
import type { Envelope } from '../../../core/sending/wire/envelope.ts';
import type { PlainRecord } from '../request/plain-records.ts';

/** The DeliveryStatus objects by recipient (RFC 8621 §7). */
export const toDeliveryStatus = (parts: readonly Pick<SubmissionPart, 'recipients'>[]): JsonObject =>
  Object.fromEntries(Object.entries(deliveryStatuses(parts)).map(([address, { smtp_reply: smtpReply, ...status }]) => [address, { smtpReply, ...status }]));

/** The Envelope object (RFC 8621 §7). */
export const toEnvelope = ({ mailFrom, parameters, recipients }: Omit<Envelope, 'holdUntil'>): JsonObject => ({
  mailFrom: { email: mailFrom, parameters },
  rcptTo: recipients.map((email) => ({ email, parameters: null })),
});

/** A time as UTCDate, which omits a fraction of zero (RFC 8620 §1.4). */
const toUtcDate = (time: string): string => time.replace('.000Z', 'Z');

/** The properties of an EmailSubmission that are in memory. */
export const storedProperties = ({ id, identityId, emailId, threadId, sendAt, undoStatus }: EmailSubmissionRecord): PlainRecord => ({
  id,
  identityId,
  emailId,
  threadId,
  sendAt: toUtcDate(sendAt),
  undoStatus,
});

/** Properties that are read from the sending table. */
export const computedProperties = ['envelope', 'deliveryStatus', 'dsnBlobIds', 'mdnBlobIds'] as const;

/** All properties. @param found undefined when the submission's items in the sending table are removed. */
export const toEmailSubmission = (record: EmailSubmissionRecord, found: FoundSubmission | undefined): JsonObject => {
  const { submission, parts = [] } = found ?? {};
  const recipients = parts.flatMap((part) => part.recipients.map(({ address }) => address));
  return {
    ...storedProperties(record),
    envelope: submission ? toEnvelope({ mailFrom: submission.mail_from, parameters: submission.mail_parameters ?? null, recipients }) : null,
    deliveryStatus: submission ? toDeliveryStatus(parts) : null,
    dsnBlobIds: reportBlobIds(parts),
    mdnBlobIds: [],
  };
};
