import { removalDelay, type DestroyedEmails } from '../../core/blobs/destroyed-emails.ts';
import { emailType } from '../../core/mail-types/email/email-type.ts';
import { changesOf } from '../../core/account-log/log-entry.ts';
import type { Queue } from '../../core/runtime/lambda/queue.ts';
import type { IndexerStep } from './index-batch.ts';

/** Emails in one message of the queue: at most one BatchGet of their records. */
const emailsInMessage = 100;

/** Puts the Emails that commits destroyed into the queue of the mail-cleanup Lambda. A repeated message removes nothing again. */
export const destroyedEmailsStep = (queue: Queue): IndexerStep => async ({ accountId, entries }) => {
  const emailIds = entries.flatMap((entry) => changesOf(entry, emailType).destroyed.map(({ id }) => id));
  for (let from = 0; from < emailIds.length; from += emailsInMessage) {
    await queue.send({ accountId, emailIds: emailIds.slice(from, from + emailsInMessage) } satisfies DestroyedEmails, removalDelay);
  }
};
