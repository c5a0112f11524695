import { comparableAddress } from '../../contract/values/mail-address.ts';
import { isMessageUsed } from '../../core/blobs/destroyed-emails.ts';
import { messageKey } from '../../core/mail/email/blob-id.ts';
import type { DeliveredEmail } from '../../core/mail/email/email-store.ts';
import { errorLogFields } from '../../core/runtime/error-log-fields.ts';
import { allSettled } from '../../core/runtime/map-concurrently.ts';
import { isInbound } from '../../core/storage/object-keys.ts';
import { sendCopy } from './alias-copies.ts';
import { bounceObstacle, undeliverableOf } from './bounces/bounce-policy.ts';
import { postponeMail } from './bounces/postponed-mail.ts';
import { bounceUndeliverable } from './bounces/undeliverable.ts';
import type { CommittedDelivery, EmailDelivery } from './commit-deliveries.ts';
import type { BatchDependencies } from './deliver-dependencies.ts';
import { accountCopyKey, readBeginning } from './received/message-reader.ts';
import { changeRecord, entriesOfUnknown, type ReceivingAccounts } from './received/received-record.ts';
import type { ReceivedMail } from './received/ses-notification.ts';
import { attempt } from './temporary-failure.ts';
import { respondToDelivery, type RespondedDelivery } from './vacation/send-vacation-response.ts';

/**
 * Finishes a delivery by the outcomes of its Emails: it bounces the message for accounts that were removed, responds,
 * sends copies outside, and postpones the message for full accounts. It removes the object last, because a missing
 * object means that all work of its notification is finished. A record for full accounts contains the remaining work.
 * @throws the first failure of an account, or of the record, after the others are settled.
 */
export const finishDelivery = async (delivery: CommittedDelivery, dependencies: BatchDependencies): Promise<void> => {
  const {
    plan: { mail, accounts, members, ifFull, outsideCopies, received, isUnparsed, isPart, isUnrecorded },
  } = delivery;
  const deliveries = await settleEmails(delivery, dependencies);
  const accountsWith = (...outcomes: readonly EmailDelivery['outcome'][]): ReceivingAccounts =>
    new Map([...accounts].filter(([accountId]) => outcomes.includes(outcomeOf(deliveries, accountId))));
  const removed = [...accountsWith('unknown-account').values()].flat();
  if (removed.length > 0) {
    const undeliverable = delivery.plan.undeliverable ?? undeliverableOf(bounceObstacle(mail, await readBeginning(mail, dependencies.objects)));
    await bounceUndeliverable(mail, removed, undeliverable, dependencies);
    const unknown = new Map(removed.map((recipient) => [recipient, 'address of a deleted account'] as const));
    await changeRecord(mail, entriesOfUnknown(mail, unknown, undeliverable), dependencies);
  }
  const responding = [...accountsWith('delivered', 'duplicate')].flatMap(([accountId, recipients]): RespondedDelivery[] => {
    const window = deliveries.get(accountId)?.vacation;
    return window && recipients.length > 0 && !isUnparsed ? [{ accountId, window, recipients }] : [];
  });
  await allSettled([
    ...responding.map((response) => attemptReply(response.accountId, mail, dependencies, () => respondToDelivery(response, mail, dependencies))),
    ...outsideCopies.map((copy) =>
      attemptReply(copy.accountId, mail, dependencies, async () => {
        const problem = await sendCopy(copy, mail, dependencies);
        const result = problem === undefined ? { sent: true } : { dropped: problem };
        const address = comparableAddress(copy.bcc);
        const n = received?.recipients[address]?.n ?? mail.recipients.length;
        await changeRecord(mail, { [address]: { n, copyOf: copy.alias, ...result } }, dependencies);
      }),
    ),
  ]);
  const full = accountsWith('account-full');
  if (full.size > 0) return postponeMail({ mail, members, isPart, isUnrecorded }, full, ifFull, dependencies);
  // Each account has its own copy. If an account destroys the message, it must not remain here.
  if (accounts.size > 0 && !isPart && isInbound(mail.objectKey)) await dependencies.removeInbound([mail.objectKey]);
};

/** The outcome for an account. An account without a planned Email is full. */
const outcomeOf = (deliveries: ReadonlyMap<string, EmailDelivery>, accountId: string): EmailDelivery['outcome'] =>
  deliveries.get(accountId)?.outcome ?? 'account-full';

/** Settles the Emails of a delivery. @returns them by account id. @throws the first failure of the delivery. */
const settleEmails = async (
  { plan: { mail }, emails, failures, outcomes, recording }: CommittedDelivery,
  dependencies: BatchDependencies,
): Promise<ReadonlyMap<string, EmailDelivery>> => {
  const deliveries = new Map<string, EmailDelivery>();
  await allSettled(
    [...emails].map(async ([accountId, email]) => {
      const settled = outcomes.get(accountId)!;
      if (settled.status === 'rejected') throw settled.reason;
      await settleEmail(accountId, email, settled.value, mail, dependencies);
      deliveries.set(accountId, settled.value);
    }),
  );
  if (failures.length > 0) throw failures[0];
  if (recording.status === 'rejected') throw recording.reason;
  return deliveries;
};

/**
 * Logs an outcome, and removes the copy of a late duplicate, because its Email may already be removed and nothing else
 * would remove the copy. The copy of a full account is kept, because another record of the message may be delivered at
 * the same time. It is removed when the wait ends.
 */
const settleEmail = async (
  accountId: string,
  { content, size }: DeliveredEmail,
  { outcome }: EmailDelivery,
  mail: ReceivedMail,
  { objects, mailTable, clock, log }: BatchDependencies,
): Promise<void> => {
  const key = messageKey(accountId, mail.messageId);
  const isUnused = outcome === 'duplicate' && !(await isMessageUsed(mailTable, accountId, key, clock()));
  if (isUnused) await objects.remove([accountCopyKey(accountId, mail)]);
  log.info(outcome, { accountId, emailId: content.id, sesMessageId: mail.messageId, size });
};

/**
 * Sends the response to a committed delivery: a vacation response, or a copy. After a temporary failure the queue
 * delivers the record again, and only the response is repeated. After any other failure no response is sent, so that
 * the delivery succeeds.
 */
const attemptReply = (accountId: string, { messageId }: ReceivedMail, { log }: BatchDependencies, send: () => Promise<void>): Promise<void> =>
  attempt(send, (failure) => log.error('a vacation response or a copy could not be sent', { accountId, sesMessageId: messageId, ...errorLogFields(failure) }));
