import { comparableAddress } from '../../contract/values/mail-address.ts';
import type { Addresses, ReceivingGroup } from '../../core/directory/aliases/addresses.ts';
import type { GroupReceivers } from '../../core/directory/groups/group-receivers.ts';
import type { HeaderField } from '../../core/mime/header-fields.ts';
import type { StoredObject } from '../../core/storage/objects.ts';
import { authorOf, headerFieldsOf, isAutomaticAnswer, isAuthorProven, isNullSender } from './bounces/bounce-policy.ts';
import { partsOfMembers, type GroupPart } from './bounces/postponed-mail.ts';
import type { MemberDelivery } from './received/received-record.ts';
import type { ReceivedMail } from './received/ses-notification.ts';

/* Mail for groups (docs/specification.md#groups-and-catch-alls). */

/** A group among the recipients of a message, with the accounts of all its members, those of groups in it too. */
export type RecipientGroup = ReceivingGroup & { readonly recipient: string; readonly accountIds: readonly string[] };

/** The reason why a message is not given to the members of a group. */
export type GroupRefusal = 'automatic answer to a group' | 'the author may not write to the group';

/** What happens to a message for groups. */
export type DecidedGroups = {
  /** The recipients whose members get the message. */
  readonly reached: readonly string[];
  readonly refused: ReadonlyMap<string, GroupRefusal>;
  /** The recipients that no account gets. */
  readonly empty: readonly string[];
  /** The accounts to which the message is delivered at once. */
  readonly members: readonly MemberDelivery[];
  /** The accounts to which further records of the queue deliver the message. */
  readonly later: readonly (readonly GroupPart[])[];
};

export const noGroups: DecidedGroups = { reached: [], refused: new Map(), empty: [], members: [], later: [] };

export type GroupDependencies = { readonly resolveAddresses: Addresses['resolveAll']; readonly groupReceivers: GroupReceivers };

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
  const accountIds = await groupReceivers.accountIdsOf(recipients.map(({ group }) => group.groupId));
  return recipients.map(({ recipient, group }) => ({ ...group, recipient, accountIds: accountIds.get(group.groupId) ?? [] }));
};

/** The existing accounts of parts. */
export const membersOfParts = async (parts: readonly GroupPart[], { groupReceivers }: GroupDependencies): Promise<MemberDelivery[]> => {
  const groups = new Map(parts.flatMap(({ group, accountIds }) => accountIds.map((accountId) => [accountId, group] as const)));
  if (groups.size === 0) return [];
  return (await groupReceivers.accounts([...groups.keys()])).map((account) => ({ ...account, group: groups.get(account.accountId)! }));
};

/** The account of the message's author. Undefined unless the author is proven, and has an account here. */
const accountOfAuthor = async (mail: ReceivedMail, fields: readonly HeaderField[], { resolveAddresses }: GroupDependencies): Promise<string | undefined> => {
  const author = isAuthorProven(mail, fields) ? authorOf(fields) : undefined;
  const found = author === undefined ? undefined : (await resolveAddresses([author])).get(author);
  return found && 'accountId' in found ? found.accountId : undefined;
};

/**
 * Decides which of the groups get the message, and finds the accounts. Who is in a group is nowhere in the answer to the
 * sender.
 * @param own the accounts that get the message anyway.
 */
export const decideGroups = async (
  mail: ReceivedMail,
  groups: readonly RecipientGroup[],
  own: ReadonlySet<string>,
  beginning: StoredObject,
  dependencies: GroupDependencies,
): Promise<DecidedGroups> => {
  if (groups.length === 0) return noGroups;
  const fields = headerFieldsOf(beginning) ?? [];
  const isAnswer = isNullSender(mail.sender) || isAutomaticAnswer(fields);
  const author = groups.some(({ writers }) => writers !== 'ANYONE') ? await accountOfAuthor(mail, fields, dependencies) : undefined;
  const refusalOf = ({ writers, accountIds }: RecipientGroup): GroupRefusal | undefined => {
    if (isAnswer) return 'automatic answer to a group';
    if (writers === 'ANYONE') return undefined;
    const mayWrite = author !== undefined && (writers === 'PEOPLE_HERE' || accountIds.includes(author));
    return mayWrite ? undefined : 'the author may not write to the group';
  };
  const refused = new Map(
    groups.flatMap((group) => {
      const refusal = refusalOf(group);
      return refusal === undefined ? [] : [[group.recipient, refusal] as const];
    }),
  );
  const open = groups.filter(({ recipient }) => !refused.has(recipient));
  const wanted = new Map(
    open.toReversed().flatMap(({ recipient, accountIds }) => accountIds.map((accountId) => [accountId, comparableAddress(recipient)] as const)),
  );
  for (const accountId of own) wanted.delete(accountId);
  const records = recordsOf(wanted);
  const [members, later] = records.length > 1 ? [[], records] : [await membersOfParts(records.flat(), dependencies), []];
  const found = new Set(members.map(({ accountId }) => accountId));
  const isReached = ({ accountIds }: RecipientGroup): boolean => later.length > 0 || accountIds.some((accountId) => found.has(accountId) || own.has(accountId));
  return {
    reached: open.filter(isReached).map(({ recipient }) => recipient),
    empty: open.filter((group) => !isReached(group)).map(({ recipient }) => recipient),
    refused,
    members,
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
