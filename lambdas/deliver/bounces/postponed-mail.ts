import { z } from 'zod';
import { messageKey } from '../../../core/mail-types/email/blob-id.ts';
import { removeUnusedMessages } from '../../../core/blobs/unused-messages.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { Log } from '../../../core/runtime/log.ts';
import type { Queue } from '../../../core/runtime/lambda/queue.ts';
import { mapConcurrently } from '../../../core/runtime/concurrency/map-concurrently.ts';
import { maxDelaySeconds } from '../../../core/sending/submission/submit-queue.ts';
import type { Objects } from '../../../core/storage/objects.ts';
import type { Table } from '../../../core/storage/table.ts';
import { enqueueBounces } from './bounce-task.ts';
import { readBounceProblem } from './undeliverable.ts';
import { receivedMail, type ReceivedMail } from '../received/ses-notification.ts';

/**
 * A message for full accounts waits in the queue of received mail. Its delivery is attempted again until the accounts
 * have room. SES bounces a message within 24 hours only, so the sender gets a bounce after 20 hours.
 */
const hoursUntilBounce = 20;
/** Maximum days that a message waits when it may not be bounced. The inbound folder keeps it for longer. */
const maxDays = 14;

const hour = 3_600_000;

const postponedMail = z.object({
  postponed: receivedMail.extend({
    /** Accounts that get a copy for the `bcc` of an alias, and are full. */
    copyAccountIds: z.array(z.string()).readonly().default([]),
  }),
});
export type PostponedMail = z.output<typeof postponedMail>['postponed'];

/** The message in the body of a queue record that waits for a full account; undefined if the record is something else. */
export const parsePostponedMail = (body: string): PostponedMail | undefined =>
  (body.startsWith('{"postponed"') ? postponedMail.parse(JSON.parse(body)).postponed : undefined);

/** The accounts that are full. */
export type FullAccounts = {
  /** With the recipients of the envelope that are addresses of the account. */
  readonly accounts: ReadonlyMap<string, readonly string[]>;
  /** Accounts that get a copy for the `bcc` of an alias. */
  readonly copyAccountIds: readonly string[];
};

type Dependencies = {
  readonly objects: Objects; readonly queue: Queue; readonly mailTable: Table; readonly clock: Clock; readonly log: Log;
};

/**
 * Lets a message wait for full accounts, or has it bounced when it has waited too long. All other work of its
 * notification is finished: the record in the queue contains the remaining work. The raw message stays in the inbound
 * folder.
 * @throws RawMessageMissing
 */
export const postponeMail = async (mail: ReceivedMail, full: FullAccounts, dependencies: Dependencies): Promise<void> => {
  const waited = dependencies.clock().getTime() - mail.receivedAt;
  if (waited < hoursUntilBounce * hour) return wait(mail, full, dependencies);
  const recipients = [...full.accounts.values()].flat();
  const problem = recipients.length === 0 ? 'no recipient' : await readBounceProblem(mail, recipients, dependencies.objects);
  if (problem === undefined && waited < 24 * hour) {
    await bounce(mail, full.accounts, dependencies);
    return full.copyAccountIds.length > 0 ? wait(mail, { ...full, accounts: new Map() }, dependencies) : undefined;
  }
  if (waited < maxDays * 24 * hour) return wait(mail, full, dependencies);
  await refuse(mail, [...full.accounts.keys(), ...full.copyAccountIds], dependencies);
  dependencies.log.warn('undeliverable: not bounced', {
    sesMessageId: mail.messageId, recipients: recipients.length + full.copyAccountIds.length, reason: 'account full',
  });
};

const wait = async (
  mail: ReceivedMail, { accounts, copyAccountIds }: FullAccounts, { queue, clock, log }: Pick<Dependencies, 'queue' | 'clock' | 'log'>,
): Promise<void> => {
  const recipients = [...accounts.values()].flat();
  const postponed: PostponedMail = { ...mail, recipients, copyAccountIds };
  await queue.send({ postponed }, maxDelaySeconds);
  // Each attempt is a new message of the queue: only this line tells the true age (contract/deployment/waiting-mail.ts).
  const waitedSeconds = Math.max(0, Math.floor((clock().getTime() - mail.receivedAt) / 1000));
  log.warn('undeliverable: waiting for room', {
    sesMessageId: mail.messageId, recipients: recipients.length + copyAccountIds.length, waitedSeconds,
  });
};

const bounce = async (mail: ReceivedMail, accounts: FullAccounts['accounts'], dependencies: Dependencies): Promise<void> => {
  const refused = await refuse(mail, [...accounts.keys()], dependencies);
  const recipients = refused.flatMap((accountId) => accounts.get(accountId)!);
  if (recipients.length === 0) return;
  await enqueueBounces(dependencies.queue, { messageId: mail.messageId, recipients, reason: 'full', attempt: 1 });
  dependencies.log.info('undeliverable: a bounce is due', { sesMessageId: mail.messageId, recipients: recipients.length });
};

/**
 * Ends the wait: later deliveries of the message to these accounts fail, and their copies of it are removed. So a
 * message is either bounced or delivered, even when the queue has the record twice.
 * @returns the accounts that do not have the Email.
 */
const refuse = async (
  { messageId }: ReceivedMail, accountIds: readonly string[], { objects, mailTable, clock }: Dependencies,
): Promise<string[]> => {
  const refused = await mapConcurrently(accountIds, async (accountId) => {
    const removed = await removeUnusedMessages({ table: mailTable, objects, now: clock }, accountId, [messageKey(accountId, messageId)]);
    return removed > 0 ? [accountId] : [];
  });
  return refused.flat();
};
