import { z } from 'zod';
import { messageKey } from '../../../core/mail-types/email/blob-id.ts';
import { removeUnusedMessages } from '../../../core/blobs/unused-messages.ts';
import type { ReceivedEntry } from '../../../core/mail-types/delivery/received-message.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { Log } from '../../../core/runtime/log.ts';
import type { Queue } from '../../../core/runtime/lambda/queue.ts';
import { mapConcurrently } from '../../../core/runtime/concurrency/map-concurrently.ts';
import { maxDelaySeconds } from '../../../core/sending/submission/submit-queue.ts';
import type { Objects } from '../../../core/storage/objects.ts';
import type { Table } from '../../../core/storage/table.ts';
import { enqueueBounces } from './bounce-task.ts';
import { readBounceProblem } from './undeliverable.ts';
import { changeRecord, entriesOf, type RecordDependencies } from '../received/received-record.ts';
import { receivedMail, type ReceivedMail } from '../received/ses-notification.ts';

/**
 * Hours after which a message for full accounts is bounced. Until then it waits in the queue of received mail, and its
 * delivery is attempted again. SES bounces a message only within 24 hours.
 */
const hoursUntilBounce = 20;
/** Maximum days for which a message that may not be bounced waits. The inbound folder keeps it longer. */
const maxDays = 14;

const hour = 3_600_000;

const postponedMail = receivedMail.extend({
  /** Full accounts that get a copy for the `bcc` of an alias. */
  copyAccountIds: z.array(z.string()).readonly().default([]),
});
export type PostponedMail = z.output<typeof postponedMail>;

/** Checks the message of a queue record that waits for full accounts. @throws ZodError */
export const parsePostponedMail = (content: unknown): PostponedMail => postponedMail.parse(content);

/** The accounts that are full. */
export type FullAccounts = {
  /** The full accounts, each with the envelope recipients that are its addresses. */
  readonly accounts: ReadonlyMap<string, readonly string[]>;
  /** Full accounts that get a copy for the `bcc` of an alias. */
  readonly copyAccountIds: readonly string[];
};

type Dependencies = Pick<RecordDependencies, 'received'> & {
  readonly objects: Objects; readonly queue: Queue; readonly mailTable: Table; readonly clock: Clock; readonly log: Log;
};

/**
 * Postpones the delivery of a message to full accounts, or bounces the message when it has waited too long. All other
 * work of its notification is finished, and the record in the queue contains the remaining work. The raw message stays
 * in the inbound folder.
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
  await recordOf(mail, full.accounts, { dropped: 'account full' }, dependencies);
  dependencies.log.warn('undeliverable: not bounced', {
    sesMessageId: mail.messageId, recipients: recipients.length + full.copyAccountIds.length, reason: 'account full',
  });
};

/** Changes the entries of the recipients in the message's record. */
const recordOf = (
  mail: ReceivedMail, accounts: FullAccounts['accounts'], change: Pick<ReceivedEntry, 'next' | 'dropped' | 'bounce'>,
  dependencies: Pick<Dependencies, 'received'>,
): Promise<void> =>
  changeRecord(mail, Object.assign({}, ...[...accounts].map(([account, recipients]) => entriesOf(mail, recipients, { account, ...change }))), dependencies);

const wait = async (
  mail: ReceivedMail, { accounts, copyAccountIds }: FullAccounts, dependencies: Pick<Dependencies, 'queue' | 'clock' | 'log' | 'received'>,
): Promise<void> => {
  const { queue, clock, log } = dependencies;
  const recipients = [...accounts.values()].flat();
  const postponed: PostponedMail = { ...mail, recipients, copyAccountIds };
  await queue.send({ kind: 'postponed', postponed }, maxDelaySeconds);
  const next = new Date(clock().getTime() + maxDelaySeconds * 1000).toISOString();
  await recordOf(mail, accounts, { next }, dependencies);
  // Each attempt is a new message of the queue, so only this line tells the true age
  // (contract/deployment/waiting-mail.ts).
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
  await recordOf(mail, new Map([...accounts].filter(([accountId]) => refused.includes(accountId))), { bounce: 'full' }, dependencies);
  dependencies.log.info('undeliverable: a bounce is due', { sesMessageId: mail.messageId, recipients: recipients.length });
};

/**
 * Stops waiting. Later deliveries of the message to these accounts fail, and its copies in their folders are removed.
 * So a message is either bounced or delivered, even when the queue has the record twice.
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
