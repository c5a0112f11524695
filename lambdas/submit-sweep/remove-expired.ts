import { emailSubmissionType } from '../../core/mail/email-submission-type.ts';
import type { MailStore } from '../../core/mail/mail-store/mail-store.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import type { Log } from '../../core/runtime/log.ts';
import { isFinished } from '../../core/sending/submission/submission.ts';
import type { ExpiredSubmission, FoundSubmission, Submissions } from '../../core/sending/submission/submissions.ts';
import type { Objects } from '../../core/storage/objects.ts';
import type { Write } from '../../core/storage/table.ts';

export type ExpiryDependencies = {
  readonly submissions: Pick<Submissions, 'find' | 'findExpired' | 'removeWrites' | 'write'>;
  readonly mail: Pick<MailStore, 'commitRecords'>;
  readonly objects: Pick<Objects, 'remove'>;
  readonly clock: Clock;
  readonly log: Log;
};

/** Maximum submissions that one run removes. The next run is a minute later. */
const batchSize = 100;

/**
 * Removes submissions after their retention, each with its EmailSubmission. A submission with an unfinished part
 * is kept.
 */
export const removeExpired = async (dependencies: ExpiryDependencies): Promise<void> => {
  const { submissions, clock, log } = dependencies;
  const expired = await submissions.findExpired(clock().toISOString(), batchSize);
  let removed = 0;
  for (const each of expired) if (await removeSubmission(each, dependencies)) removed++;
  if (expired.length > 0) log.info('submissions were removed after their retention', { removed, kept: expired.length - removed });
};

const isOpen = ({ submission, parts }: FoundSubmission): boolean => submission.undo_status !== 'canceled' && !parts.every(isFinished);

/** Removes a submission. @returns false when the submission is kept. */
const removeSubmission = async (expired: ExpiredSubmission, { submissions, mail, objects, log }: ExpiryDependencies): Promise<boolean> => {
  const { submission_id } = expired;
  const found = await submissions.find(submission_id);
  if (found && isOpen(found)) {
    log.error('a submission is still unfinished at the end of its retention', { submission_id });
    return false;
  }
  if (found) await objects.remove([found.submission.message_key]);
  const writes = submissions.removeWrites(expired, found);
  return (await destroyRecord(found, writes, mail)) || submissions.write(writes);
};

/** Destroys the EmailSubmission. @returns false when it does not exist; then nothing is written. */
const destroyRecord = async (found: FoundSubmission | undefined, additionalWrites: readonly Write[], mail: ExpiryDependencies['mail']): Promise<boolean> => {
  const { account_id: accountId, has_record: hasRecord, submission_id: id } = found?.submission ?? {};
  if (!hasRecord || accountId === undefined || id === undefined) return false;
  return (
    (await mail.commitRecords([{ accountId, type: emailSubmissionType, id }], (records) =>
      records.hasAccount(accountId) && records.get(accountId, emailSubmissionType, id)
        ? { accounts: { [accountId]: { EmailSubmission: { destroy: [id] } } }, additionalWrites }
        : undefined,
    )) === 'committed'
  );
};
