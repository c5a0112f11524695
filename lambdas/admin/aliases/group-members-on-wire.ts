import type { Group, GroupMember } from '../../../contract/admin/aliases.ts';
import { isIdOf } from '../../../contract/values/ids.ts';
import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import type { FoundAddress } from '../../../core/directory/aliases/addresses.ts';
import type { GroupMembership, Groups } from '../../../core/directory/groups/groups.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';

export type MemberReads = { readonly groups: Pick<Groups, 'findAll'>; readonly accounts: Pick<Accounts, 'findAll'> };

const isGroup = (memberId: string): boolean => isIdOf('group', memberId);

/** The members as /aliases returns them, with their names, in two reads at the same time. */
export const groupMembersOf = async (memberships: readonly GroupMembership[], { groups, accounts }: MemberReads): Promise<GroupMember[]> => {
  const ids = memberships.map(({ memberId }) => memberId);
  const [foundGroups, foundAccounts] = await Promise.all([groups.findAll(ids.filter(isGroup)), accounts.findAll(ids.filter((id) => !isGroup(id)))]);
  const named = new Map<string, Pick<Group, 'email' | 'name'>>([
    ...foundGroups.map((group) => [group.group_id, group] as const),
    ...foundAccounts.map((account) => [account.account_id, account] as const),
  ]);
  return memberships.map(({ memberId, addedAt }) => {
    const { email, name } = named.get(memberId) ?? {};
    return { member_id: memberId, kind: isGroup(memberId) ? 'GROUP' : 'ACCOUNT', email, name, added_at: addedAt };
  });
};

/** The group or the account that has the address, whether it receives mail now or not. */
export const memberIdOf = ({ group, stored, receiver }: FoundAddress): string | undefined =>
  group?.groupId ?? (stored && !stored.isRemoved ? stored.accountId : receiver?.accountId);

/** The error for addresses that neither an account nor a group has. */
export const noHolder = (addresses: readonly string[]): RpcError =>
  new RpcError('failed_precondition', `no account and no group here has ${addresses.join(', ')}`);
