import { comparableAddress } from '../../../contract/values/mail-address.ts';
import type { AddressFault } from '../../../core/directory/aliases/addresses.ts';
import { recordedMessageId, recordedText, referenceOf, type ReceivedEntry, type ReceivedMessage } from '../../../core/mail/delivery/received-message.ts';
import type { ChangedEntries, ReceivedMessages } from '../../../core/mail/delivery/received-messages.ts';
import type { ParsedMessage } from '../../../core/mime/parse-message.ts';
import type { ReceivedMail } from './ses-notification.ts';

/** The recorded outcome for a recipient to whom the message is not delivered. */
export type Undeliverable = Pick<ReceivedEntry, 'bounce' | 'dropped'>;

/** Recipients without an account, each with what the address is. */
export type UnknownRecipients = ReadonlyMap<string, AddressFault | 'a group without members'>;

/** A copy of the message for the `bcc` of an alias. The account is that of the address, or else that of the alias. */
type RecordedCopy = { readonly accountId: string; readonly alias: string; readonly bcc: string };

/** Accounts, each with the envelope recipients that are its addresses. */
export type ReceivingAccounts = ReadonlyMap<string, readonly string[]>;

/** An account that gets the message by a group, with the group's address. */
export type MemberDelivery = { readonly accountId: string; readonly email: string; readonly group: string };

/** What became of a message for addresses outside that are members of a group. */
export type OutsideOutcome = { readonly group: string; readonly addresses: readonly string[]; readonly dropped: string | undefined };

/** An account that gets the message because another account forwards it. */
export type InsideForward = { readonly accountId: string; readonly email: string; readonly forwardedBy: string };

/** The outcome of a message for an address outside to which an account forwards, or for any such address when it is not forwarded. */
export type OutsideForward = { readonly address: string; readonly forwardedBy: string; readonly dropped: string | undefined };

/** The results of forwarding a message. */
export type DecidedForwards = {
  readonly inside: readonly InsideForward[];
  readonly outside: readonly OutsideForward[];
  /** The accounts that have forwarded the message, and keep no copy. */
  readonly withoutCopy: ReadonlySet<string>;
  /** The accounts that do not get the message again, because they forwarded it to the outside and kept a copy. */
  readonly returned: ReadonlySet<string>;
};

export const noForwards: DecidedForwards = { inside: [], outside: [], withoutCopy: new Set(), returned: new Set() };

/** The recipients of a message, as its delivery has found them. */
type RecordedRecipients = {
  readonly accounts: ReceivingAccounts;
  readonly unknown: UnknownRecipients;
  /** The recipients that are groups, with the outcome of a group that refused the message. */
  readonly groups: { readonly reached: readonly string[]; readonly refused: readonly (readonly [recipients: readonly string[], Undeliverable])[] };
  /** The accounts that get the message by a group. */
  readonly members: readonly MemberDelivery[];
  readonly outside: readonly OutsideOutcome[];
  readonly forwards: DecidedForwards;
  readonly copies: {
    readonly inside: readonly RecordedCopy[];
    readonly outside: readonly RecordedCopy[];
    readonly withheld: readonly (RecordedCopy & { readonly reason: string })[];
  };
};

export type RecordDependencies = {
  readonly received: ReceivedMessages;
  /** Whether the records of messages have their subjects. */
  readonly recordsSubjects: boolean;
};

/** The position of a recipient among those of the message. */
export const positionOf = ({ recipients, positions }: Pick<ReceivedMail, 'recipients' | 'positions'>, recipient: string): number =>
  positions?.[recipient] ?? recipients.indexOf(recipient);

/** Entries for these recipients, by comparable address. */
export const entriesOf = (
  mail: Pick<ReceivedMail, 'recipients' | 'positions'>,
  recipients: readonly string[],
  fields: Omit<ReceivedEntry, 'n'>,
): ChangedEntries =>
  Object.fromEntries(
    recipients.toReversed().map((given) => {
      const address = comparableAddress(given);
      return [address, { n: positionOf(mail, given), ...(given !== address && { given }), ...fields }];
    }),
  );

/** Entries for recipients without an account. Those that are dropped say what the address is, and why no bounce is sent. */
export const entriesOfUnknown = (mail: ReceivedMail, unknown: UnknownRecipients, { bounce, dropped }: Undeliverable): ChangedEntries =>
  Object.assign(
    {},
    ...[...unknown]
      .toReversed()
      .map(([recipient, fault]) => entriesOf(mail, [recipient], dropped === undefined ? { bounce } : { dropped: `${fault}; ${dropped}` })),
  );

/** The position of the accounts that get a message by a group: after all recipients, of which SES allows fewer. */
const positionOfMembers = 1000;
/** The position of those that get it by forwarding. */
const positionOfForwards = 2000;

/** Maximum addresses of forwarding in a record: those of a message for 1,000 members would exceed the size of an item. */
const maxRecordedForwards = 50;

/** Entries for accounts that get the message by a group, by their primary addresses. */
export const entriesOfMembers = (members: readonly MemberDelivery[], fields: Omit<ReceivedEntry, 'n'> = {}): ChangedEntries =>
  Object.fromEntries(members.map(({ accountId, email, group }) => [comparableAddress(email), { n: positionOfMembers, account: accountId, group, ...fields }]));

/** Entries for the recipients that are groups whose members get the message. */
const entriesOfGroups = (mail: ReceivedMail, recipients: readonly string[]): ChangedEntries =>
  Object.assign({}, ...recipients.map((recipient) => entriesOf(mail, [recipient], { group: comparableAddress(recipient) })));

/** Entries for the addresses to which accounts forward the message. */
const entriesOfForwards = ({ inside, outside }: DecidedForwards): ChangedEntries =>
  Object.fromEntries(
    [
      ...inside.map(({ email, accountId, forwardedBy }) => [email, { n: positionOfForwards, account: accountId, forwardedBy }] as const),
      ...outside.map(
        ({ address, forwardedBy, dropped }) =>
          [address, { n: positionOfForwards, forwardedBy, ...(dropped === undefined ? { isSentOn: true } : { dropped }) }] as const,
      ),
    ].slice(0, maxRecordedForwards),
  );

/** The reason why an account does not get a message back. */
const returnedReason = 'the account has the message, and forwarded it';

/** The recorded outcome for an account that gets the message, unless it has the message already. */
const ofAccount = (account: string, { withoutCopy, returned }: DecidedForwards): Pick<ReceivedEntry, 'account' | 'isSentOn' | 'dropped'> => {
  if (returned.has(account)) return { dropped: returnedReason };
  return { account, ...(withoutCopy.has(account) && { isSentOn: true }) };
};

/** The entries of all recipients, and of the addresses that get a copy. An address that is both is a recipient. */
const allEntries = (
  mail: ReceivedMail,
  { accounts, unknown, groups, members, outside, forwards, copies }: RecordedRecipients,
  undeliverable: Undeliverable,
): ChangedEntries => {
  const copyEntry = (
    { alias, bcc, ...more }: { readonly alias: string; readonly bcc: string; readonly account?: string; readonly dropped?: string },
    index: number,
  ) => [comparableAddress(bcc), { n: mail.recipients.length + index, copyOf: alias, ...more }] as const;
  const inside = copies.inside.map(({ accountId, alias, bcc }) => ({ account: accountId, alias, bcc }));
  const copiesOutside = copies.outside.map(({ alias, bcc }) => ({ alias, bcc }));
  const dropped = copies.withheld.map(({ alias, bcc, reason }) => ({ alias, bcc, dropped: reason }));
  return Object.fromEntries([
    ...Object.entries(entriesOfForwards(forwards)),
    ...[...inside, ...copiesOutside, ...dropped].map(copyEntry),
    ...members.flatMap((member) => Object.entries(entriesOfMembers([member], ofAccount(member.accountId, forwards)))),
    ...outside.flatMap(({ group, addresses, dropped }) =>
      addresses.map((address) => [address, { n: positionOfMembers, group, ...(dropped === undefined ? { isSentOn: true } : { dropped }) }] as const),
    ),
    ...Object.entries(entriesOfGroups(mail, groups.reached)),
    ...groups.refused.flatMap(([recipients, refusal]) => Object.entries(entriesOf(mail, recipients, refusal))),
    ...Object.entries(entriesOfUnknown(mail, unknown, undeliverable)),
    ...[...accounts].flatMap(([account, recipients]) => Object.entries(entriesOf(mail, recipients, ofAccount(account, forwards)))),
  ]);
};

/** The authors as text: `Ann <ann@example.net>`. */
const textOf = (authors: NonNullable<ParsedMessage['email']['from']>): string =>
  authors.map(({ name, email }) => (name === null ? email : `${name} <${email}>`)).join(', ');

/**
 * The record of a message that has just arrived.
 * @param undeliverable what happens to the recipients without an account.
 */
export const receivedRecord = (
  mail: ReceivedMail,
  { email }: Pick<ParsedMessage, 'email'>,
  size: number,
  recipients: RecordedRecipients,
  undeliverable: Undeliverable,
  { recordsSubjects }: Pick<RecordDependencies, 'recordsSubjects'>,
): ReceivedMessage => {
  const { from = [], subject, messageId } = email;
  const author = from.find(({ email: address }) => address.includes('@') && address.length <= 254)?.email.toWellFormed();
  const id = recordedMessageId(messageId?.[0]);
  return {
    sesMessageId: mail.messageId,
    at: new Date(mail.receivedAt).toISOString(),
    sender: mail.sender,
    ...(from.length > 0 && { from: recordedText(textOf(from)) }),
    ...(author !== undefined && { author }),
    ...(recordsSubjects && subject !== undefined && { subject: recordedText(subject) }),
    ...(id !== undefined && { messageId: id }),
    size,
    isJunk: mail.isJunk,
    verdicts: mail.verdicts,
    recipients: allEntries(mail, recipients, undeliverable),
  };
};

/** Changes entries of the message's record, if it has one. */
export const changeRecord = async ({ record }: ReceivedMail, entries: ChangedEntries, { received }: Pick<RecordDependencies, 'received'>): Promise<void> => {
  if (record) await received.change(record, entries);
};

/** The message with the reference of its record, for later changes. */
export const withRecord = (mail: ReceivedMail, message: ReceivedMessage): ReceivedMail => ({ ...mail, record: referenceOf(message) });
