import { emailToStore } from '../blobs/message-store.ts';
import { emailIdOf, messageBlobId, messageKey } from '../mail/email/blob-id.ts';
import { emailOfBlob } from '../mail/email/email-blobs.ts';
import type { DeliveryOutcome } from '../mail/email/email-store.ts';
import type { MailStore } from '../mail/mail-store/mail-store.ts';
import { parseMessage } from '../mime/parse-message.ts';
import type { Log } from '../runtime/log.ts';
import { objectKeys } from '../storage/object-keys.ts';
import type { Objects } from '../storage/objects.ts';
import type { Table } from '../storage/table.ts';
import { composeDeliveryReport } from './delivery-report.ts';
import type { ChangePart } from './submission/part-changes.ts';
import type { DeliveryReport, Submission, SubmissionPart } from './submission/submission.ts';
import type { Submissions } from './submission/submissions.ts';
import { referenceOf, type PartReference } from './submission/submit-queue.ts';

/**
 * Delivers the due reports of a part into the sender's account. It may be called repeatedly, because each report
 * is one Email. When it throws, the reports are still due, and the queue must repeat the call.
 */
export type DeliverReports = (reference: PartReference) => Promise<void>;

type ReportDependencies = {
  readonly submissions: Pick<Submissions, 'findPart'>;
  readonly changePart: ChangePart;
  readonly mailStore: Pick<MailStore, 'deliver'>;
  readonly mailTable: Table;
  readonly objects: Pick<Objects, 'put' | 'remove'>;
  readonly log: Log;
};

/** The key of a report's message. It can't be guessed, because submission ids can't. */
const reportKey = (accountId: string, { submission_id, part }: PartReference, index: number): string =>
  messageKey(accountId, `report/${submission_id}/${part}/${index}`);

/**
 * Delivers reports into the inbox, even if the account is full: {@link DeliverReports}. Reports for a removed account
 * are dropped.
 */
export const reportDelivery =
  (dependencies: ReportDependencies): DeliverReports =>
  async (reference) => {
    const found = await dependencies.submissions.findPart(reference);
    for (const [index, report] of (found?.part.reports ?? []).entries()) {
      if (report.state === 'due') await deliverReport(found!.submission, reference, { index, report }, dependencies);
    }
  };

const deliverReport = async (
  submission: Submission,
  reference: PartReference,
  { index, report }: { readonly index: number; readonly report: DeliveryReport },
  { changePart, mailStore, mailTable, objects, log }: ReportDependencies,
): Promise<void> => {
  const { account_id: accountId } = submission;
  const settle = (settled: DeliveryReport) => changePart(reference, ({ part }) => withSettledReport(part, index, settled));
  if (accountId === undefined) return void (await settle({ ...report, state: 'dropped' }));
  const key = reportKey(accountId, reference, index);
  const raw = composeDeliveryReport(report, submission, key);
  // The message is stored first, so that an Email which the account lists can be read. Every attempt stores the same
  // octets.
  await objects.put(objectKeys.message(accountId, key), raw, 'message/rfc822');
  const content = emailToStore(key, parseMessage(raw), raw.length);
  const outcome = await mailStore.deliver(accountId, { ...content, keywords: [], receivedAt: Date.parse(report.at), mailboxRole: 'inbox', ignoresQuota: true });
  if (await isUnused(outcome, accountId, key, mailTable)) await objects.remove([objectKeys.message(accountId, key)]);
  await settle(outcome === 'unknown-account' ? { ...report, state: 'dropped' } : { ...report, state: 'delivered', blob_id: messageBlobId(key) });
  log.info('a failure was reported to the sender', {
    ...referenceOf(reference),
    accountId,
    emailId: emailIdOf(key),
    outcome,
    recipients: report.recipients.length,
  });
};

/**
 * Whether no Email has the message, because the account was removed or the Email was destroyed since an earlier
 * attempt.
 */
const isUnused = async (outcome: DeliveryOutcome, accountId: string, key: string, mailTable: Table): Promise<boolean> =>
  outcome === 'unknown-account' || (outcome === 'duplicate' && !(await emailOfBlob(mailTable, accountId, key)));

const withSettledReport = (part: SubmissionPart, index: number, settled: DeliveryReport): SubmissionPart => {
  const known = part.reports?.[index];
  if (known?.state !== 'due') return part;
  return { ...part, reports: part.reports!.with(index, settled) };
};
