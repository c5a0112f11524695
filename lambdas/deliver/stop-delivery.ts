import { comparableAddress } from '../../contract/values/mail-address.ts';
import { bounceHours } from '../../core/aws/ses/ses-bounce-sender.ts';
import type { ReceivedEntry } from '../../core/mail/delivery/received-message.ts';
import { stoppedRecord, type StoppedDelivery } from '../../core/mail/delivery/stopped-delivery.ts';
import { parseMessage } from '../../core/mime/parse-message.ts';
import type { StoredObject } from '../../core/storage/objects.ts';
import { bounceObstacle, type BounceObstacle } from './bounces/bounce-policy.ts';
import { abandonBounce, enqueueBounces, sendBounce } from './bounces/bounce-task.ts';
import { refuseDelivery, type PostponedMail } from './bounces/postponed-mail.ts';
import type { BatchDependencies } from './deliver-dependencies.ts';
import { membersOfParts } from './group-delivery.ts';
import { accountIdsOf, findRecipients, type FoundRecipients } from './plan-delivery.ts';
import { parseQueueRecord } from './queue-record.ts';
import { RawMessageMissing, readBeginning } from './received/message-reader.ts';
import {
  changeRecord,
  entriesOf,
  entriesOfMembers,
  entriesOfUnknown,
  noForwards,
  receivedRecord,
  withRecord,
  type MemberDelivery,
} from './received/received-record.ts';
import type { ReceivedMail } from './received/ses-notification.ts';

/** The reason in the record of a message that an admin dropped. */
const droppedByAdmin = 'dropped by an admin';

/**
 * Ends the work of a dead letter by the decision of an admin: no account that lacks the message gets it any more. The
 * raw message stays in the inbound folder. A message that may not be bounced is not returned; its record becomes a dead
 * letter again, with the reason.
 * @throws Error for the record of nothing that can be stopped.
 */
export const stopDelivery = async ({ how, record }: StoppedDelivery, dependencies: BatchDependencies): Promise<void> => {
  const stopped = parseQueueRecord(record);
  switch (stopped.kind) {
    case 'received':
    case 'postponed':
      return how === 'return' ? returnMail(stopped.mail, record, dependencies) : dropMail(stopped.mail, dependencies);
    case 'bounce':
      return how === 'return'
        ? sendBounce(stopped.bounce, dependencies)
        : abandonBounce(stopped.bounce.messageId, stopped.bounce.recipients, droppedByAdmin, dependencies);
    case 'forwarding-links':
      // Nothing was mailed. The next change of the forwarding requests the links again.
      return;
    case 'setup':
    case 'stop':
      throw new Error(`a record of the kind ${stopped.kind} has no work to stop`);
    default:
      return stopped satisfies never;
  }
};

type Mail = ReceivedMail | PostponedMail;

const hour = 3_600_000;

/** The beginning of the raw message. Undefined when it is not stored any more. */
const findBeginning = async (mail: Mail, { objects }: BatchDependencies): Promise<StoredObject | undefined> => {
  try {
    return await readBeginning(mail, objects);
  } catch (error) {
    if (error instanceof RawMessageMissing) return undefined;
    throw error;
  }
};

const obstacleOf = (mail: Mail, beginning: StoredObject | undefined, now: Date): BounceObstacle | 'too old' | 'not stored' | undefined => {
  if (!beginning) return 'not stored';
  return now.getTime() - mail.receivedAt >= bounceHours * hour ? 'too old' : bounceObstacle(mail, beginning);
};

const returnMail = async (mail: Mail, record: string, dependencies: BatchDependencies): Promise<void> => {
  const { deadLetters, queue, clock, log } = dependencies;
  const { messageId } = mail;
  const beginning = await findBeginning(mail, dependencies);
  const obstacle = obstacleOf(mail, beginning, clock());
  if (obstacle !== undefined) {
    await deadLetters.send(stoppedRecord({ how: 'return', record, refused: obstacle }));
    return log.warn('the message was not returned to its sender', { sesMessageId: messageId, reason: obstacle });
  }
  await endDelivery(mail, beginning, { bounce: 'returned' }, dependencies, async (unknown, missing) => {
    await enqueueBounces(queue, { messageId, recipients: unknown, reason: 'unknown', attempt: 1 });
    await enqueueBounces(queue, { messageId, recipients: missing, reason: 'returned', attempt: 1 });
  });
  log.info('undeliverable: a bounce is due', { sesMessageId: messageId, reason: 'returned by an admin' });
};

const dropMail = async (mail: Mail, dependencies: BatchDependencies): Promise<void> =>
  endDelivery(mail, await findBeginning(mail, dependencies), { dropped: droppedByAdmin }, dependencies, async (unknown, missing) => {
    await abandonBounce(mail.messageId, unknown, droppedByAdmin, dependencies);
    dependencies.log.warn('undeliverable: not bounced', { sesMessageId: mail.messageId, recipients: missing.length, reason: droppedByAdmin });
  });

/** Settles the recipients without an account, and those whose account lacks the message. */
type Settle = (unknown: readonly string[], missing: readonly string[]) => Promise<void>;

/**
 * Ends the delivery to the recipients that lack the message, and records that. The record may be stored already,
 * because a delivery to other recipients succeeded.
 * @param outcome the outcome for the recipients whose account lacks the message.
 */
const endDelivery = async (
  mail: Mail,
  beginning: StoredObject | undefined,
  outcome: Pick<ReceivedEntry, 'bounce' | 'dropped'>,
  dependencies: BatchDependencies,
  settle: Settle,
): Promise<void> => {
  const found = await findRecipients(mail, dependencies);
  const refused = new Set(await refuseDelivery(mail, accountIdsOf(found), dependencies));
  const missing = [...found.accounts].filter(([account, recipients]) => refused.has(account) && recipients.length > 0);
  const groups = found.groups.filter(({ accountIds }) => accountIds.some((account) => refused.has(account))).map(({ recipient }) => recipient);
  await settle([...found.unknown.keys()], [...missing.flatMap(([, recipients]) => recipients), ...groups]);
  const members = await membersWithout(found, refused, dependencies);
  const recorded = await recordMail(mail, beginning, found, members, dependencies);
  const entries = [
    ...missing.map(([account, recipients]) => entriesOf(mail, recipients, { account, ...outcome })),
    entriesOf(mail, groups, outcome),
    // The sender is told about the groups, and never about their members.
    entriesOfMembers(members, { dropped: outcome.dropped ?? 'returned by an admin' }),
  ];
  await changeRecord(recorded, Object.assign(entriesOfUnknown(mail, found.unknown, ofUnknown), ...entries), dependencies);
};

/** The members of groups that lack the message. */
const membersWithout = async (
  { groups, decided }: FoundRecipients,
  refused: ReadonlySet<string>,
  dependencies: BatchDependencies,
): Promise<readonly MemberDelivery[]> => {
  const undecided = await membersOfParts(
    groups.map(({ recipient, accountIds }) => ({ group: comparableAddress(recipient), accountIds })),
    dependencies,
  );
  return [...decided.members, ...undecided].filter(({ accountId }) => refused.has(accountId));
};

/** The entries of recipients without an account. The record of their bounce says whether it was sent. */
const ofUnknown = { bounce: 'unknown' } as const;

/** Stores the record of a message that has none yet, with the copies that are not made. @returns the message with the reference. */
const recordMail = async (
  mail: Mail,
  beginning: StoredObject | undefined,
  { accounts, unknown, copies, groups }: FoundRecipients,
  members: readonly MemberDelivery[],
  dependencies: BatchDependencies,
): Promise<ReceivedMail> => {
  if (mail.record || !beginning) return mail;
  const withheld = [...copies.withheld, ...[...copies.inside, ...copies.outside].map((copy) => ({ ...copy, reason: 'message stopped' }))];
  const reached = groups.map(({ recipient }) => recipient);
  const recipients = {
    accounts,
    unknown,
    members,
    outside: [],
    forwards: noForwards,
    groups: { reached, refused: [] },
    copies: { inside: [], outside: [], withheld },
  };
  const message = receivedRecord(mail, parseMessage(beginning.bytes), beginning.size, recipients, ofUnknown, dependencies);
  await dependencies.received.record(message);
  return withRecord(mail, message);
};
