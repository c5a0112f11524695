import { aliases as contract } from '../../../contract/admin/aliases.ts';
import { missingRole } from '../../../contract/rpc/admin-roles.ts';
import type { Addresses } from '../../../core/directory/aliases/addresses.ts';
import { isGroup, isOutside, type GroupReceivers } from '../../../core/directory/groups/group-receivers.ts';
import type { Groups } from '../../../core/directory/groups/groups.ts';
import type { AdminProtection } from '../../../core/directory/users/admin-protection.ts';
import type { Caller } from '../../../core/rpc/admin-gate.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { auditGroupChange } from './group-audit.ts';
import { groupMembersOf, memberIdOf, noHolder, type MemberReads } from './group-members-on-wire.ts';

type Dependencies = MemberReads & {
  readonly groups: Pick<Groups, 'addMembers' | 'findAll'>;
  readonly groupReceivers: Pick<GroupReceivers, 'membersOf'>;
  readonly addresses: Pick<Addresses, 'findAll'>;
  readonly protection: Pick<AdminProtection, 'accountsOfAdmins'>;
  readonly clock: Clock;
};

/** Requires that a caller without the role ALL adds no admin, whom they could not remove again. @throws RpcError permission_denied. */
const refuseAdmins = async (members: ReadonlyMap<string, string>, { role }: Caller, { groupReceivers, protection }: Dependencies): Promise<void> => {
  if (role === 'ALL') return;
  const groups = await groupReceivers.membersOf([...members.values()].filter(isGroup));
  const accountsOf = (id: string): readonly string[] => groups.get(id)?.accountIds ?? (isOutside(id) ? [] : [id]);
  const admins = await protection.accountsOfAdmins([...members.values()].flatMap(accountsOf));
  const refused = [...members].filter(([, id]) => accountsOf(id).some((accountId) => admins.has(accountId))).map(([address]) => address);
  if (refused.length > 0) throw new RpcError('permission_denied', missingRole(role, `adding an account that an admin owns (${refused.join(', ')})`));
};

const isHeld = (entry: readonly [address: string, id: string | undefined]): entry is readonly [string, string] => entry[1] !== undefined;

export const addGroupMembers = (dependencies: Dependencies) =>
  adminMethod(contract.methods.AddGroupMembers, {
    prefetch: ({ addresses }) => dependencies.addresses.findAll(addresses),
    async run({ group_id, addresses }, { audit, caller }, found) {
      const members = new Map([...found].flatMap(([address, each]) => [[address, memberIdOf(each)] as const].filter(isHeld)));
      const unknown = addresses.filter((address) => !members.has(address));
      if (unknown.length > 0) throw noHolder(unknown);
      const memberIds = [...new Set(members.values())];
      await refuseAdmins(members, caller, dependencies);
      const now = dependencies.clock();
      const group = await dependencies.groups.addMembers(group_id, memberIds, now, auditGroupChange(audit, { added: memberIds }));
      const added = memberIds.map((memberId) => ({ memberId, addedAt: now.toISOString() }));
      return { group, members: await groupMembersOf(added, dependencies) };
    },
  });
