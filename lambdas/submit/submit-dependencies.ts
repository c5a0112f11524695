import type { MailSender } from '../../core/aws/ses/ses-mail-sender.ts';
import { sendRefusalText, type SendingRights } from '../../core/directory/aliases/may-send.ts';
import type { Clock, Pause } from '../../core/runtime/clock.ts';
import type { Log } from '../../core/runtime/log.ts';
import type { DeliverReports } from '../../core/sending/deliver-reports.ts';
import type { Suppressions } from '../../core/sending/feedback/suppressions.ts';
import type { ChangePart } from '../../core/sending/submission/part-changes.ts';
import type { ProviderPauses } from '../../core/sending/submission/provider-pause.ts';
import type { SentMailIndex } from '../../core/sending/submission/sent-mail-index.ts';
import type { Submission } from '../../core/sending/submission/submission.ts';
import type { Submissions } from '../../core/sending/submission/submissions.ts';
import type { SubmitQueue } from '../../core/sending/submission/submit-queue.ts';
import type { Objects } from '../../core/storage/objects.ts';

/** The connections of the submit Lambda. */
export type SubmitDependencies = {
  readonly submissions: Pick<Submissions, 'find'>;
  readonly sentMail: Pick<SentMailIndex, 'add'>;
  readonly changePart: ChangePart;
  /**
   * The reason why a submission may no longer be sent, as a sentence. Its sender or account has lost the right to send.
   */
  readonly refusalOf: (submission: Submission) => Promise<string | undefined>;
  readonly deliverReports: DeliverReports;
  readonly suppressions: Pick<Suppressions, 'findReasons'>;
  readonly pauses: ProviderPauses;
  readonly objects: Pick<Objects, 'get' | 'remove'>;
  readonly sender: MailSender;
  readonly queue: SubmitQueue;
  readonly clock: Clock;
  readonly log: Log;
  /** Waits within the Lambda while SES throttles. */
  readonly pause: Pause;
};

/**
 * The reason why a submission may no longer be sent, by the current directory: its sender was deactivated, is no longer
 * a member, or lost the address; or the account is being removed. Undefined when it may be sent. Mail that belongs to
 * no account was checked when it was accepted.
 */
export const senderRefusal =
  (rights: Pick<SendingRights, 'refusals'>) =>
  async ({ account_id: accountId, user_id: principalId, mail_from: email }: Submission): Promise<string | undefined> => {
    if (accountId === undefined) return undefined;
    const [refusal] = await rights.refusals([{ accountId, principalId, email }]);
    return refusal && sendRefusalText[refusal];
  };
