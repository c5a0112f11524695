import { emailSubmissionType, withDeliveryChange, withUndoStatus } from '../../mail/email-submission-type.ts';
import type { MailStore } from '../../mail/mail-store/mail-store.ts';
import type { Pause } from '../../runtime/clock.ts';
import { conflict, retryOnConflict } from '../../storage/retry-on-conflict.ts';
import type { Write } from '../../storage/table.ts';
import { deliveryStatuses, newProviderMessageIds, reportBlobIds, type SubmissionPart } from './submission.ts';
import type { FoundPart, Submissions } from './submissions.ts';
import type { PartReference } from './submit-queue.ts';
import { wireReferences, type WireReferences } from './wire-message-id.ts';

/**
 * Changes a part. When the undo status, a delivery status or the delivered reports change, the EmailSubmission of
 * the account changes in the same transaction, so that its clients are notified. When SES has accepted the part, the
 * Message-ID that SES wrote becomes a reference to the Thread of the sent Email, in the same transaction.
 * @param change returns the new part, or the same object to change nothing. It runs again after a conflict, and may
 * read.
 * @returns the current part; undefined when it does not exist.
 */
export type ChangePart = (reference: PartReference, change: (found: FoundPart) => SubmissionPart | Promise<SubmissionPart>) => Promise<FoundPart | undefined>;

type PartChangeDependencies = {
  readonly submissions: Pick<Submissions, 'findPart' | 'replaceWrites' | 'write'>;
  /** The mail of the accounts, which contains the EmailSubmissions. */
  readonly mail: Pick<MailStore, 'commitRecords'>;
  readonly wire: WireReferences;
  readonly pause?: Pause;
};

export const partChanges =
  (dependencies: PartChangeDependencies): ChangePart =>
  (reference, change) =>
    retryOnConflict(async () => {
      const found = await dependencies.submissions.findPart(reference);
      if (!found) return undefined;
      const next = await change(found);
      if (next === found.part) return found;
      const { part, writes } = dependencies.submissions.replaceWrites(found, next);
      if (!(await writeChange(found, part, writes, dependencies))) return conflict;
      const undo_status = part.state === 'queued' ? found.submission.undo_status : 'final';
      return { submission: { ...found.submission, undo_status }, part };
    }, dependencies.pause);

/**
 * Writes the change. @returns false, or throws WriteRefused, when the part or the submission has changed meanwhile.
 */
const writeChange = async (
  found: FoundPart,
  part: SubmissionPart,
  partWrites: readonly Write[],
  { submissions, mail, wire }: PartChangeDependencies,
): Promise<boolean> => {
  const { submission } = found;
  const writes = [...partWrites, ...wireReferences(submission, newProviderMessageIds(found.part, part), wire)];
  if (submission.has_record && submission.account_id !== undefined && isVisible(found, part)) {
    if (await commitWithRecord(submission.account_id, found, part, writes, mail)) return true;
  }
  return submissions.write(writes);
};

/** The values of the part in `deliveryStatus` and `dsnBlobIds` (RFC 8621 §7). */
const deliveryOf = (part: SubmissionPart): string => JSON.stringify([deliveryStatuses([part]), reportBlobIds([part])]);

const isDeliveryChange = (before: SubmissionPart, part: SubmissionPart): boolean => deliveryOf(before) !== deliveryOf(part);

const makesFinal = ({ submission, part: before }: FoundPart, part: SubmissionPart): boolean =>
  submission.undo_status === 'pending' && before.state === 'queued' && part.state !== 'queued';

/** Whether the change is visible to a client. */
const isVisible = (found: FoundPart, part: SubmissionPart): boolean => makesFinal(found, part) || isDeliveryChange(found.part, part);

/**
 * Writes the change together with the EmailSubmission. @returns false when the account does not have the
 * EmailSubmission any more.
 */
const commitWithRecord = async (
  accountId: string,
  found: FoundPart,
  part: SubmissionPart,
  additionalWrites: readonly Write[],
  mail: PartChangeDependencies['mail'],
): Promise<boolean> => {
  const name = { accountId, type: emailSubmissionType, id: found.submission.submission_id };
  const outcome = await mail.commitRecords([name], (records) => {
    const record = records.hasAccount(accountId) ? records.get(accountId, emailSubmissionType, name.id) : undefined;
    if (!record) return undefined;
    const delivered = isDeliveryChange(found.part, part) ? withDeliveryChange(record) : record;
    const put = makesFinal(found, part) ? withUndoStatus(delivered, 'final') : delivered;
    return put === record ? undefined : { accounts: { [accountId]: { EmailSubmission: { put: [put] } } }, additionalWrites };
  });
  return outcome === 'committed';
};
