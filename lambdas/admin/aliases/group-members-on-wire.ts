import type { Group, GroupMember } from '../../../contract/admin/aliases.ts';
import { isIdOf } from '../../../contract/values/ids.ts';
import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import type { GroupMembership, Groups } from '../../../core/directory/groups/groups.ts';

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
