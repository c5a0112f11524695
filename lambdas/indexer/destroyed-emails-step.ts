import { changesOf } from '../../core/account-log/log-entry.ts';
import { removalDelay, type DestroyedEmails } from '../../core/blobs/destroyed-emails.ts';
import { dueRetention } from '../../core/blobs/ended-retention.ts';
import { emailType, type EmailBefore } from '../../core/mail/email/email-type.ts';
import type { Queue } from '../../core/runtime/lambda/queue.ts';
import type { Table } from '../../core/storage/table.ts';
import type { IndexerStep } from './index-batch.ts';

/** Maximum Emails in one message of the queue: one BatchGet of their records. */
const emailsInMessage = 100;

/** The end of the time in which a destroyed Email can be restored. */
const recoverableUntilOf = ({ recoverableUntil }: Partial<EmailBefore> = {}): number | undefined => recoverableUntil;

/**
 * Enqueues the Emails that commits destroyed, for the mail-cleanup Lambda. For Emails that can be restored, it stores
 * the time at which the sweep must handle the account. Repeating a batch is harmless.
 */
export const destroyedEmailsStep =
  (queue: Queue, table: Table): IndexerStep =>
  async ({ accountId, entries }) => {
    const destroyed = entries
      .flatMap((entry) => changesOf(entry, emailType).destroyed)
      .map(({ id, before }) => ({ id, recoverableUntil: recoverableUntilOf(before) }));
    const due = destroyed.flatMap(({ recoverableUntil }) => (recoverableUntil === undefined ? [] : [dueRetention(accountId, recoverableUntil)]));
    for (const write of new Map(due.map((each) => [JSON.stringify(each), each])).values()) await table.write([write]);
    const emailIds = destroyed.flatMap(({ id, recoverableUntil }) => (recoverableUntil === undefined ? [id] : []));
    for (let from = 0; from < emailIds.length; from += emailsInMessage) {
      await queue.send({ accountId, emailIds: emailIds.slice(from, from + emailsInMessage) } satisfies DestroyedEmails, removalDelay);
    }
  };
