import type { AddressFault, Receiver, ReceivingGroup } from '../../core/directory/aliases/addresses.ts';
import type { ReceivedMessage } from '../../core/mail/delivery/received-message.ts';
import { emailIdOf, messageBlobId, messageKey } from '../../core/mail/email/blob-id.ts';
import type { DeliveredEmail } from '../../core/mail/email/email-store.ts';
import { exceededResource } from '../../core/mail/quota/account-quota.ts';
import type { ParsedMessage } from '../../core/mime/parse-message.ts';
import { mapConcurrently } from '../../core/runtime/map-concurrently.ts';
import type { StoredObject } from '../../core/storage/objects.ts';
import { findCopies, noCopies, withholdCopies, type AliasCopies } from './alias-copies.ts';
import { bounceObstacle, headerFieldsOf, undeliverableOf, type BounceObstacle } from './bounces/bounce-policy.ts';
import { waitPolicy, type PostponedMail, type WaitPolicy } from './bounces/postponed-mail.ts';
import type { BatchDependencies } from './deliver-dependencies.ts';
import { findGroups, membersOfParts, noGroups, type DecidedGroups, type RecipientGroup } from './group-delivery.ts';
import {
  noForwards,
  receivedRecord,
  withRecord,
  type DecidedForwards,
  type ReceivingAccounts,
  type MemberDelivery,
  type Undeliverable,
  type UnknownRecipients,
} from './received/received-record.ts';
import type { ReceivedMail } from './received/ses-notification.ts';
import { isSignInMail } from './sign-in-mail.ts';

/** The decisions about a message, for each of its recipients. A plan changes nothing. */
export type DeliveryPlan = {
  readonly mail: ReceivedMail;
  /** The accounts that receive the message. One without recipients gets it by a group, or gets a copy for the `bcc` of an alias. */
  readonly accounts: ReceivingAccounts;
  /** Those of the accounts that get it by a group. */
  readonly members: readonly MemberDelivery[];
  /** Whether other records deliver the same message, so that this one leaves it in the inbound folder. */
  readonly isPart: boolean;
  readonly isUnrecorded: boolean;
  /** The members to whom further records deliver the message. */
  readonly later: DecidedGroups['later'];
  /** Whether there is nobody who could get the message. */
  readonly isForNobody: boolean;
  /** The groups that refuse the message, with the outcome for each. */
  readonly refusals: readonly (readonly [recipients: readonly string[], outcome: Undeliverable])[];
  /** Those of the accounts that have forwarded the message, and keep it as a destroyed Email. */
  readonly withoutCopy: DecidedForwards['withoutCopy'];
  /** The Email for each of the accounts, with its mailbox. Empty while all of them are full. */
  readonly emails: ReadonlyMap<string, DeliveredEmail>;
  /** The recipients without an account. */
  readonly unknown: UnknownRecipients;
  /** The outcome for recipients without an account. Undefined when the plan has none to decide ({@link mayBounce}). */
  readonly undeliverable: Undeliverable | undefined;
  /** The policy for accounts that turn out to be full. */
  readonly ifFull: WaitPolicy;
  /** The copies to send to addresses outside. */
  readonly outsideCopies: AliasCopies['outside'];
  /** The record of the message. Undefined for a message that waited, whose record is stored. */
  readonly received: ReceivedMessage | undefined;
  /** Whether the parser failed, so that no response to the message is made. */
  readonly isUnparsed: boolean;
};

/** The recipients of a message, as the directory and the mail table have them now. */
export type FoundRecipients = {
  /** The accounts, each with the envelope recipients that are its addresses. */
  readonly accounts: ReceivingAccounts;
  readonly unknown: UnknownRecipients;
  readonly copies: AliasCopies;
  /** The groups among the recipients. Empty once they are decided. */
  readonly groups: readonly RecipientGroup[];
  readonly decided: DecidedGroups;
  readonly forwards: DecidedForwards;
  /** Whether all accounts, also those of copies, are known to be full. */
  readonly areFull: boolean;
};

/** The accounts with a message, also those of its copies, and those of groups that are not decided. */
export const accountIdsOf = ({ accounts, copies, groups, decided }: Omit<FoundRecipients, 'unknown' | 'areFull' | 'forwards'>): readonly string[] => [
  ...new Set([
    ...accounts.keys(),
    ...copies.accountIds,
    ...decided.members.map(({ accountId }) => accountId),
    ...groups.flatMap(({ accountIds }) => accountIds),
  ]),
];

/** Whether the record has only some of the accounts of a message: full ones, or members of groups. */
export const isWaiting = (mail: ReceivedMail | PostponedMail): mail is PostponedMail => 'copyAccountIds' in mail;

/** Whether the account or the group had the address when the message arrived. It gets no mail that waited for a deleted account. */
const isMeantFor = ({ heldSince }: Pick<Receiver, 'heldSince'>, { receivedAt }: ReceivedMail): boolean =>
  heldSince === undefined || Date.parse(heldSince) <= receivedAt;

/** What a recipient is that no account receives. An address that others have now was that of a deleted account. */
const faultOf = (resolved: Receiver | ReceivingGroup | { readonly fault: AddressFault } | undefined): AddressFault => {
  if (resolved === undefined) return 'no such address';
  return 'fault' in resolved ? resolved.fault : 'address of a deleted account';
};

/**
 * Finds the accounts of a message, each once. For a message that waits for full accounts, these are the accounts and
 * copies that are still missing.
 */
export const findRecipients = async (mail: ReceivedMail | PostponedMail, dependencies: BatchDependencies): Promise<FoundRecipients> => {
  const { resolveAddresses } = dependencies;
  const resolved = mail.recipients.length > 0 ? await resolveAddresses(mail.recipients) : new Map<string, never>();
  const found = new Map([...resolved].flatMap(([recipient, holder]) => ('fault' in holder || !isMeantFor(holder, mail) ? [] : [[recipient, holder] as const])));
  const known = mail.recipients.filter((recipient) => found.has(recipient));
  const receivers = known.flatMap((recipient) => {
    const holder = found.get(recipient)!;
    return 'accountId' in holder ? [{ recipient, receiver: holder }] : [];
  });
  const accounts = new Map(
    [...Map.groupBy(receivers, ({ receiver }) => receiver.accountId)].map(([accountId, of]) => [accountId, of.map(({ recipient }) => recipient)] as const),
  );
  const unknown = new Map(mail.recipients.flatMap((recipient) => (found.has(recipient) ? [] : [[recipient, faultOf(resolved.get(recipient))] as const])));
  const groups = await findGroups(
    [...new Set(known)].flatMap((recipient) => {
      const holder = found.get(recipient)!;
      return 'groupId' in holder ? [{ recipient, group: holder }] : [];
    }),
    dependencies,
  );
  if (!isWaiting(mail)) {
    const copies = await findCopies(
      receivers.map(({ receiver }) => receiver),
      resolveAddresses,
    );
    return { accounts, unknown, copies, groups, decided: noGroups, forwards: noForwards, areFull: false };
  }
  const copies = { ...noCopies, accountIds: mail.copyAccountIds };
  const decided = { ...noGroups, members: await membersOfParts(mail.members, dependencies) };
  const waiting = { accounts, unknown, copies, groups, decided, forwards: noForwards };
  // A record of members that has not been tried yet has no record of the message.
  return { ...waiting, areFull: mail.record !== undefined && (await areFull(accountIdsOf(waiting), dependencies)) };
};

/**
 * Whether all of these accounts are still full. It is checked first, so that a message that waits for them is not read
 * and copied in vain.
 */
const areFull = async (accountIds: readonly string[], { mailStore }: BatchDependencies): Promise<boolean> => {
  const quotas = await mapConcurrently(accountIds, (accountId) => mailStore.quota(accountId));
  return accountIds.length > 0 && quotas.every((quota) => quota && exceededResource(quota, 1));
};

/** A message as far as it was read: all of it for accounts, its beginning otherwise. */
export type ReadMessage = { readonly parsed: ParsedMessage; readonly beginning: StoredObject };

type Settings = Pick<BatchDependencies, 'signInMailFrom' | 'recordsSubjects' | 'clock'>;

/**
 * Plans the delivery of a message.
 * @param read the message. Undefined when the plan needs nothing of it.
 */
export const planDelivery = (mail: ReceivedMail, found: FoundRecipients, read: ReadMessage | undefined, settings: Settings): DeliveryPlan => {
  const { accounts, decided, forwards } = found;
  const unknown = new Map([...found.unknown, ...decided.empty.map((recipient) => [recipient, 'a group without members'] as const)]);
  const part = isWaiting(mail) ? mail : { isPart: false, isUnrecorded: false };
  const copies = read && mayHaveCode(mail, found, read, settings) ? withholdCopies(found.copies) : found.copies;
  const others = [...copies.accountIds, ...[...decided.members, ...forwards.inside].map(({ accountId }) => accountId)];
  const all = [...others.map((accountId) => [accountId, []] as const), ...accounts];
  const receiving = new Map(all.filter(([accountId]) => !forwards.returned.has(accountId)));
  // Few messages need it, and the search in the header takes as much CPU as the rest of a delivery's parsing.
  const undeliverable = read && mayBounce(mail, found, settings) ? undeliverableOf(obstacleOf(mail, read)) : undefined;
  const refusals = read ? refusalsOf(mail, decided, read) : [];
  const { members, outside, reached } = decided;
  const recipients = { accounts, unknown, copies, members, outside, forwards, groups: { reached, refused: refusals } };
  const received =
    read && !mail.record && !part.isUnrecorded ? receivedRecord(mail, read.parsed, read.beginning.size, recipients, undeliverable ?? {}, settings) : undefined;
  const planned = received ? withRecord(mail, received) : mail;
  return {
    mail: planned,
    accounts: receiving,
    members,
    isPart: part.isPart || decided.later.length > 0,
    isUnrecorded: part.isUnrecorded,
    later: decided.later,
    isForNobody: isForNobody(found),
    refusals,
    unknown,
    undeliverable,
    received,
    withoutCopy: forwards.withoutCopy,
    isUnparsed: read?.parsed.failure !== undefined,
    emails: new Map(read && !found.areFull ? [...receiving.keys()].map((accountId) => [accountId, newEmail(accountId, mail, read)]) : []),
    ifFull: waitPolicy(mail, undeliverable?.bounce !== undefined, settings.clock()),
    outsideCopies: copies.outside,
  };
};

/** Whether the message has neither a recipient whose account exists, nor a group. */
const isForNobody = (found: FoundRecipients): boolean =>
  accountIdsOf(found).length === 0 && found.decided.later.length === 0 && found.decided.refused.size === 0;

/**
 * Whether the plan may bounce the message, which the beginning of the message decides: it has recipients without an account,
 * or full accounts have kept it waiting for hours.
 */
export const mayBounce = (mail: ReceivedMail, found: FoundRecipients, { clock }: Pick<Settings, 'clock'>): boolean =>
  found.unknown.size + found.decided.empty.length > 0 || isForNobody(found) || waitPolicy(mail, true, clock()) === 'bounce';

/** The outcome for the groups that refuse the message. Automatic answers and loops are never bounced. */
const refusalsOf = (mail: ReceivedMail, { refused }: DecidedGroups, read: ReadMessage): DeliveryPlan['refusals'] =>
  [...Map.groupBy(refused, ([, reason]) => reason)].map(([reason, of]) => {
    const isUnwanted = reason === 'the author may not write to the group';
    const obstacle = isUnwanted ? obstacleOf(mail, read) : undefined;
    const mayBounce = isUnwanted && obstacle === undefined;
    const dropped = obstacle === undefined ? reason : `${reason}; ${obstacle}`;
    return [of.map(([recipient]) => recipient), mayBounce ? { bounce: 'refused' } : { dropped }] as const;
  });

/** The obstacle to a bounce. The header of a message that could not be parsed is not read again. */
const obstacleOf = (mail: ReceivedMail, { parsed, beginning }: ReadMessage): BounceObstacle | undefined =>
  parsed.failure ? 'unreadable header' : bounceObstacle(mail, beginning);

/** Whether copies of the message are withheld, because it may have a code or a password, or could not be parsed. */
const mayHaveCode = (
  mail: ReceivedMail,
  { copies: { inside, outside } }: FoundRecipients,
  { parsed, beginning }: ReadMessage,
  { signInMailFrom }: Settings,
): boolean => inside.length + outside.length > 0 && (parsed.failure !== undefined || isSignInMail(mail, headerFieldsOf(beginning) ?? [], signInMailFrom));

const newEmail = (accountId: string, mail: ReceivedMail, { parsed, beginning }: ReadMessage): DeliveredEmail => {
  const key = messageKey(accountId, mail.messageId);
  return {
    content: { ...parsed.email, id: emailIdOf(key), blobId: messageBlobId(key) },
    keywords: [],
    mailboxRole: mail.isJunk ? 'junk' : 'inbox',
    receivedAt: mail.receivedAt,
    sentAt: parsed.sentAt,
    size: beginning.size,
    threadMessageIds: parsed.threadMessageIds,
    baseSubject: parsed.baseSubject,
  };
};
