import { z } from 'zod';
import { bounceHours } from '../../../core/aws/ses/ses-bounce-sender.ts';
import { removeUnusedMessages } from '../../../core/blobs/unused-messages.ts';
import type { ReceivedEntry } from '../../../core/mail/delivery/received-message.ts';
import { messageKey } from '../../../core/mail/email/blob-id.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { Queue } from '../../../core/runtime/lambda/queue.ts';
import type { Log } from '../../../core/runtime/log.ts';
import { mapConcurrently } from '../../../core/runtime/map-concurrently.ts';
import { maxDelaySeconds } from '../../../core/sending/submission/submit-queue.ts';
import type { Objects } from '../../../core/storage/objects.ts';
import type { Table } from '../../../core/storage/table.ts';
import {
  changeRecord,
  entriesOf,
  entriesOfMembers,
  positionOf,
  type MemberDelivery,
  type ReceivingAccounts,
  type RecordDependencies,
} from '../received/received-record.ts';
import { receivedMail, type ReceivedMail } from '../received/ses-notification.ts';
import { enqueueBounces } from './bounce-task.ts';

/**
 * Hours after which a message for full accounts is bounced. Until then it waits in the queue of received mail, and its
 * delivery is attempted again.
 */
const hoursUntilBounce = 20;
/** Maximum days for which a message that may not be bounced waits. The inbound folder keeps it longer. */
const maxDays = 14;

const hour = 3_600_000;

const postponedMail = receivedMail.extend({
  /** Full accounts that get a copy for the `bcc` of an alias. */
  copyAccountIds: z.array(z.string()).readonly(),
  /** Accounts that get the message by a group. */
  members: z
    .array(z.object({ group: z.string(), accountIds: z.array(z.string()).readonly() }))
    .readonly()
    .default([]),
  /** Whether other records deliver the same message, so that this one does not remove it from the inbound folder. */
  isPart: z.boolean().default(false),
  /** Whether what becomes of the members is not recorded, because the record of the message would be too large. */
  isUnrecorded: z.boolean().default(false),
});
export type PostponedMail = z.output<typeof postponedMail>;
/** Accounts that get a message by a group. */
export type GroupPart = PostponedMail['members'][number];

/** Checks the message of a queue record that waits for full accounts. @throws ZodError */
export const parsePostponedMail = (content: unknown): PostponedMail => postponedMail.parse(content);

/**
 * The policy for a message in full accounts: it waits, it is bounced while the copies for the `bcc` of aliases go on
 * waiting, or it is given up.
 */
export type WaitPolicy = 'wait' | 'bounce' | 'give up';

/** The policy for a message at this time. @param isBounceAllowed whether a bounce could reach nobody but the sender. */
export const waitPolicy = ({ receivedAt }: ReceivedMail, isBounceAllowed: boolean, now: Date): WaitPolicy => {
  const waited = now.getTime() - receivedAt;
  if (isBounceAllowed && waited >= hoursUntilBounce * hour && waited < bounceHours * hour) return 'bounce';
  return waited < maxDays * 24 * hour ? 'wait' : 'give up';
};

type Dependencies = Pick<RecordDependencies, 'received'> & {
  readonly objects: Objects;
  readonly queue: Queue;
  readonly mailTable: Table;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * Postpones the delivery of a message to full accounts, or ends it when it has waited too long. All other work of its
 * notification is finished, and the record in the queue contains the remaining work. The raw message stays in the
 * inbound folder.
 * @param full the full accounts. One without recipients gets the message by a group, or a copy for the `bcc` of an alias.
 */
export const postponeMail = async ({ mail, ...waiting }: Waiting, full: ReceivingAccounts, policy: WaitPolicy, dependencies: Dependencies): Promise<void> => {
  if (policy === 'wait') return wait({ mail, ...waiting }, full, dependencies);
  if (policy === 'give up') return giveUp({ mail, ...waiting }, full, dependencies);
  const { copies = [], others = [] } = Object.groupBy([...full], ([, recipients]) => (recipients.length === 0 ? 'copies' : 'others'));
  await bounce(mail, new Map(others), dependencies);
  if (copies.length > 0) await wait({ mail, ...waiting }, new Map(copies), dependencies);
};

/** The members by their groups. */
export const partsOfMembers = (members: readonly Pick<MemberDelivery, 'accountId' | 'group'>[]): GroupPart[] =>
  [...Map.groupBy(members, ({ group }) => group)].map(([group, of]) => ({ group, accountIds: of.map(({ accountId }) => accountId) }));

/** A message, the accounts that get it by a group, and whether other records deliver it too. */
export type Waiting = { readonly mail: ReceivedMail; readonly members: readonly MemberDelivery[] } & Pick<PostponedMail, 'isPart' | 'isUnrecorded'>;

const isAmong =
  (full: ReceivingAccounts) =>
  ({ accountId }: MemberDelivery) =>
    full.get(accountId)?.length === 0;

/** The recipients, and the accounts of copies and groups, that lack the message. */
const missingIn = (full: ReceivingAccounts, members: readonly MemberDelivery[]): Pick<PostponedMail, 'recipients' | 'copyAccountIds' | 'members'> => {
  const ofGroups = members.filter(isAmong(full));
  const memberIds = new Set(ofGroups.map(({ accountId }) => accountId));
  return {
    recipients: [...full.values()].flat(),
    copyAccountIds: [...full].flatMap(([accountId, recipients]) => (recipients.length === 0 && !memberIds.has(accountId) ? [accountId] : [])),
    members: partsOfMembers(ofGroups),
  };
};

const numberOf = ({ recipients, copyAccountIds, members }: ReturnType<typeof missingIn>): number =>
  recipients.length + copyAccountIds.length + members.flatMap(({ accountIds }) => accountIds).length;

/** Changes the entries of the recipients in the message's record. */
const recordOf = (
  { mail, members, isUnrecorded }: Waiting,
  accounts: ReceivingAccounts,
  change: Pick<ReceivedEntry, 'next' | 'dropped' | 'bounce'>,
  dependencies: Pick<Dependencies, 'received'>,
): Promise<void> => {
  const ofRecipients = [...accounts].map(([account, recipients]) => entriesOf(mail, recipients, { account, ...change }));
  const ofMembers = isUnrecorded ? {} : entriesOfMembers(members.filter(isAmong(accounts)), change);
  return changeRecord(mail, Object.assign(ofMembers, ...ofRecipients), dependencies);
};

const wait = async (waiting: Waiting, full: ReceivingAccounts, dependencies: Pick<Dependencies, 'queue' | 'clock' | 'log' | 'received'>): Promise<void> => {
  const { queue, clock, log } = dependencies;
  const { mail, members, isPart, isUnrecorded } = waiting;
  const missing = missingIn(full, members);
  const positions = Object.fromEntries(missing.recipients.map((recipient) => [recipient, positionOf(mail, recipient)]));
  const postponed: PostponedMail = { ...mail, ...missing, positions, isPart, isUnrecorded };
  await queue.send({ kind: 'postponed', postponed }, maxDelaySeconds);
  const next = new Date(clock().getTime() + maxDelaySeconds * 1000).toISOString();
  await recordOf(waiting, full, { next }, dependencies);
  // Each attempt is a new message of the queue, so only this line tells the true age
  // (contract/deployment/waiting-mail.ts).
  const waitedSeconds = Math.max(0, Math.floor((clock().getTime() - mail.receivedAt) / 1000));
  log.warn('undeliverable: waiting for room', { sesMessageId: mail.messageId, recipients: numberOf(missing), waitedSeconds });
};

const bounce = async (mail: ReceivedMail, accounts: ReceivingAccounts, dependencies: Dependencies): Promise<void> => {
  const refused = await refuseDelivery(mail, [...accounts.keys()], dependencies);
  const recipients = refused.flatMap((accountId) => accounts.get(accountId)!);
  if (recipients.length === 0) return;
  await enqueueBounces(dependencies.queue, { messageId: mail.messageId, recipients, reason: 'full', attempt: 1 });
  const bounced = new Map([...accounts].filter(([accountId]) => refused.includes(accountId)));
  await recordOf({ mail, members: [], isPart: false, isUnrecorded: false }, bounced, { bounce: 'full' }, dependencies);
  dependencies.log.info('undeliverable: a bounce is due', { sesMessageId: mail.messageId, recipients: recipients.length });
};

const giveUp = async (waiting: Waiting, full: ReceivingAccounts, dependencies: Dependencies): Promise<void> => {
  const { mail, members } = waiting;
  await refuseDelivery(mail, [...full.keys()], dependencies);
  await recordOf(waiting, full, { dropped: 'account full' }, dependencies);
  dependencies.log.warn('undeliverable: not bounced', { sesMessageId: mail.messageId, recipients: numberOf(missingIn(full, members)), reason: 'account full' });
};

/**
 * Stops waiting. Later deliveries of the message to these accounts fail, and its copies in their folders are removed.
 * So a message is either bounced or delivered, even when the queue has the record twice.
 * @returns the accounts that do not have the Email.
 */
export const refuseDelivery = async (
  { messageId }: ReceivedMail,
  accountIds: readonly string[],
  { objects, mailTable, clock }: Pick<Dependencies, 'objects' | 'mailTable' | 'clock'>,
): Promise<string[]> => {
  const refused = await mapConcurrently(accountIds, async (accountId) => {
    const removed = await removeUnusedMessages({ table: mailTable, objects, now: clock }, accountId, [messageKey(accountId, messageId)]);
    return removed > 0 ? [accountId] : [];
  });
  return refused.flat();
};
