import type { Group, GroupMember } from '../../../contract/admin/aliases.ts';
import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import type { FoundAddress } from '../../../core/directory/aliases/addresses.ts';
import { isGroup, isOutside } from '../../../core/directory/groups/group-receivers.ts';
import type { GroupMembership, Groups } from '../../../core/directory/groups/groups.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';

export type MemberReads = { readonly groups: Pick<Groups, 'findAll'>; readonly accounts: Pick<Accounts, 'findAll'> };

const kindOf = (memberId: string): GroupMember['kind'] => (isOutside(memberId) ? 'OUTSIDE' : isGroup(memberId) ? 'GROUP' : 'ACCOUNT');

/** The members as /aliases returns them, with their names, in two reads at the same time. */
export const groupMembersOf = async (memberships: readonly GroupMembership[], { groups, accounts }: MemberReads): Promise<GroupMember[]> => {
  const ids = memberships.map(({ memberId }) => memberId);
  const [foundGroups, foundAccounts] = await Promise.all([groups.findAll(ids.filter(isGroup)), accounts.findAll(ids.filter((id) => kindOf(id) === 'ACCOUNT'))]);
  const named = new Map<string, Pick<Group, 'email' | 'name'>>([
    ...foundGroups.map((group) => [group.group_id, group] as const),
    ...foundAccounts.map((account) => [account.account_id, account] as const),
  ]);
  return memberships.map(({ memberId, addedAt }) => {
    const { email, name } = named.get(memberId) ?? {};
    const kind = kindOf(memberId);
    return { member_id: memberId, kind, email: kind === 'OUTSIDE' ? memberId : email, name, added_at: addedAt };
  });
};

/** The group or the account that has the address, whether it receives mail now or not. */
export const holderOf = ({ group, stored, receiver, isCatchAll }: FoundAddress): string | undefined =>
  isCatchAll ? undefined : (group?.groupId ?? (stored && !stored.isRemoved ? stored.accountId : receiver?.accountId));

/** The member of a group that the address means: its holder, or itself where its domain does not receive mail here. */
export const memberIdOf = (found: FoundAddress): string | undefined => holderOf(found) ?? (found.isDomainReceiving ? undefined : found.email);

/** The error for addresses that neither an account nor a group has. */
export const noHolder = (addresses: readonly string[]): RpcError =>
  new RpcError('failed_precondition', `no account and no group here has ${addresses.join(', ')}`);
