import { comparableAddress } from '../../contract/values/mail-address.ts';
import type { Addresses, ReceivingGroup } from '../../core/directory/aliases/addresses.ts';
import type { AllMembers, GroupReceivers } from '../../core/directory/groups/group-receivers.ts';
import type { HeaderField } from '../../core/mime/header-fields.ts';
import { errorLogFields } from '../../core/runtime/error-log-fields.ts';
import { mapConcurrently } from '../../core/runtime/map-concurrently.ts';
import { authorOf, isAutomaticAnswer, isAuthorProven, isNullSender } from './bounces/bounce-policy.ts';
import { partsOfMembers, type GroupPart } from './bounces/postponed-mail.ts';
import { isLoop, type Marks } from './copy-marks.ts';
import { sendToMembersOutside, type OutsideDependencies } from './group-outside.ts';
import type { ReadHeader } from './outside-message.ts';
import type { MemberDelivery, OutsideOutcome } from './received/received-record.ts';
import type { ReceivedMail } from './received/ses-notification.ts';
import { attempt } from './temporary-failure.ts';

/* Mail for groups (docs/specification.md#groups-and-catch-alls). */

/** A group among the recipients of a message, with the accounts of all its members, those of groups in it too. */
export type RecipientGroup = ReceivingGroup & { readonly recipient: string } & AllMembers;

/** The reason why a message is not given to the members of a group. */
export type GroupRefusal = 'automatic answer to a group' | 'the author may not write to the group' | 'loop';

/** What happens to a message for groups. */
export type DecidedGroups = {
  /** The recipients whose members get the message. */
  readonly reached: readonly string[];
  readonly refused: ReadonlyMap<string, GroupRefusal>;
  /** The recipients that no account gets. */
  readonly empty: readonly string[];
  /** The accounts to which the message is delivered at once. */
  readonly members: readonly MemberDelivery[];
  /** What became of the message for members outside. */
  readonly outside: readonly OutsideOutcome[];
  /** The accounts to which further records of the queue deliver the message. */
  readonly later: readonly (readonly GroupPart[])[];
};

export const noGroups: DecidedGroups = { reached: [], refused: new Map(), empty: [], members: [], outside: [], later: [] };

export type GroupDependencies = OutsideDependencies & { readonly resolveAddresses: Addresses['resolveAll']; readonly groupReceivers: GroupReceivers };

/** Accounts of one record, so that a record is delivered well within the time of the Lambda, and a failure keeps few others waiting. */
const accountsOfRecord = 50;

/** Parts whose members are in the record of the message, which DynamoDB limits to 400 KB. */
export const maxRecordedParts = 20;

/** Finds the accounts of the groups among the recipients. */
export const findGroups = async (
  recipients: readonly { readonly recipient: string; readonly group: ReceivingGroup }[],
  { groupReceivers }: GroupDependencies,
): Promise<RecipientGroup[]> => {
  if (recipients.length === 0) return [];
  const members = await groupReceivers.membersOf(recipients.map(({ group }) => group.groupId));
  return recipients.map(({ recipient, group }) => ({ ...group, recipient, ...members.get(group.groupId)! }));
};

/** The existing accounts of parts. */
export const membersOfParts = async (parts: readonly GroupPart[], { groupReceivers }: GroupDependencies): Promise<MemberDelivery[]> => {
  const groups = new Map(parts.flatMap(({ group, accountIds }) => accountIds.map((accountId) => [accountId, group] as const)));
  if (groups.size === 0) return [];
  return (await groupReceivers.accounts([...groups.keys()])).map((account) => ({ ...account, group: groups.get(account.accountId)! }));
};

/**
 * The address of the message's author, and the account that has it or the group that it is the address of. Undefined unless the
 * author is proven.
 */
type Author = { readonly address: string; readonly accountId?: string; readonly groupId?: string };

const provenAuthor = async (mail: ReceivedMail, fields: readonly HeaderField[], { resolveAddresses }: GroupDependencies): Promise<Author | undefined> => {
  const author = isAuthorProven(mail, fields) ? authorOf(fields) : undefined;
  if (author === undefined) return undefined;
  const found = (await resolveAddresses([author])).get(author);
  const address = comparableAddress(author);
  // The group that gets the mail of addresses that do not exist has another address.
  const holder = found && ('accountId' in found || ('groupId' in found && found.email === address)) ? found : undefined;
  return { ...holder, address };
};

/** Who sends from the address of a group is a member of it, because the deployment signs such mail for its members only. */
const mayWrite = ({ groupId, writers, accountIds, outside }: RecipientGroup, author: Author | undefined): boolean => {
  if (writers === 'ANYONE') return true;
  if (author === undefined) return false;
  const isOfGroup = author.groupId !== undefined;
  if (writers === 'PEOPLE_HERE') return isOfGroup || author.accountId !== undefined;
  if (isOfGroup) return author.groupId === groupId;
  return author.accountId === undefined ? outside.includes(author.address) : accountIds.includes(author.accountId);
};

/** The reason for which each of the groups refuses the message; groups that take it are left out. */
const refusalsOf = async (
  mail: ReceivedMail,
  groups: readonly RecipientGroup[],
  fields: readonly HeaderField[],
  marks: Marks,
  dependencies: GroupDependencies,
): Promise<ReadonlyMap<string, GroupRefusal>> => {
  const isAnswer = isNullSender(mail.sender) || isAutomaticAnswer(fields);
  const author = groups.some(({ writers }) => writers !== 'ANYONE') ? await provenAuthor(mail, fields, dependencies) : undefined;
  const refusalOf = (group: RecipientGroup): GroupRefusal | undefined => {
    if (isAnswer) return 'automatic answer to a group';
    if (isLoop(marks, group.email)) return 'loop';
    return mayWrite(group, author) ? undefined : 'the author may not write to the group';
  };
  return new Map(
    groups.flatMap((group) => {
      const refusal = refusalOf(group);
      return refusal === undefined ? [] : [[group.recipient, refusal] as const];
    }),
  );
};

/** Each of the members of the groups, with the address of the first group that has it. */
const firstGroups = (groups: readonly RecipientGroup[], membersOf: (group: RecipientGroup) => readonly string[]): Map<string, string> =>
  new Map(groups.toReversed().flatMap((group) => membersOf(group).map((member) => [member, comparableAddress(group.recipient)] as const)));

/** Sends the message on to the members outside, each once. */
const sendToOutside = (
  mail: ReceivedMail,
  groups: readonly RecipientGroup[],
  header: ReadHeader,
  marks: Marks,
  dependencies: GroupDependencies,
): Promise<OutsideOutcome[]> => {
  const first = firstGroups(groups, ({ outside }) => outside);
  return mapConcurrently(
    groups.filter(({ recipient, outside }) => outside.some((address) => first.get(address) === comparableAddress(recipient))),
    async ({ groupId, recipient, outside }) => {
      const group = comparableAddress(recipient);
      const addresses = outside.filter((address) => first.get(address) === group);
      const dropped = await attempt(
        () => sendToMembersOutside({ mail, header, marks, groupId, addresses }, dependencies),
        (failure) => {
          dependencies.log.error('the message could not be sent to the members outside', { sesMessageId: mail.messageId, ...errorLogFields(failure) });
          return 'the message cannot be sent on';
        },
      );
      return { group, addresses, dropped };
    },
  );
};

/**
 * Decides which of the groups get the message, finds the accounts, and sends the message to the members outside. Who is in a
 * group is nowhere in the answer to the sender.
 * @param own the accounts that get the message anyway.
 */
export const decideGroups = async (
  mail: ReceivedMail,
  groups: readonly RecipientGroup[],
  own: ReadonlySet<string>,
  header: ReadHeader,
  dependencies: GroupDependencies,
): Promise<DecidedGroups> => {
  const marks = await dependencies.copyMarks.validMarks(header.fields);
  const refused = await refusalsOf(mail, groups, header.fields, marks, dependencies);
  const open = groups.filter(({ recipient }) => !refused.has(recipient));
  const wanted = firstGroups(open, ({ accountIds }) => accountIds);
  for (const accountId of own) wanted.delete(accountId);
  const records = recordsOf(wanted);
  const [members, later] = records.length > 1 ? [[], records] : [await membersOfParts(records.flat(), dependencies), []];
  // Whether accounts of further records exist is only seen when these are delivered.
  const found = new Set([...own, ...(later.length > 0 ? wanted.keys() : members.map(({ accountId }) => accountId))]);
  const isReached = ({ accountIds, outside }: RecipientGroup): boolean => outside.length > 0 || accountIds.some((accountId) => found.has(accountId));
  return {
    reached: open.filter(isReached).map(({ recipient }) => recipient),
    empty: open.filter((group) => !isReached(group)).map(({ recipient }) => recipient),
    refused,
    members,
    outside: await sendToOutside(mail, open, header, marks, dependencies),
    later,
  };
};

/** The accounts in parts of one record each. */
const recordsOf = (groups: ReadonlyMap<string, string>): GroupPart[][] => {
  const accounts = Array.from(groups, ([accountId, group]) => ({ accountId, group }));
  return Array.from({ length: Math.ceil(accounts.length / accountsOfRecord) }, (_, index) =>
    partsOfMembers(accounts.slice(index * accountsOfRecord, (index + 1) * accountsOfRecord)),
  );
};
