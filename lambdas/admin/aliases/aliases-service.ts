import type { aliases } from '../../../contract/admin/aliases.ts';
import type { Accounts } from '../../../core/directory/accounts/accounts.ts';
import type { Addresses } from '../../../core/directory/aliases/addresses.ts';
import type { AliasMoves } from '../../../core/directory/aliases/alias-moves.ts';
import type { Aliases } from '../../../core/directory/aliases/aliases.ts';
import type { CatchAlls } from '../../../core/directory/aliases/catch-alls.ts';
import type { Domains } from '../../../core/directory/domains/domains.ts';
import type { Forwardings, ForwardTarget } from '../../../core/directory/forwarding/forwardings.ts';
import type { GroupReceivers } from '../../../core/directory/groups/group-receivers.ts';
import type { Groups } from '../../../core/directory/groups/groups.ts';
import type { AdminProtection } from '../../../core/directory/users/admin-protection.ts';
import type { AdminMethods } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { NewId } from '../../../core/runtime/ids.ts';
import type { Queue } from '../../../core/runtime/lambda/queue.ts';
import type { Suppressions } from '../../../core/sending/feedback/suppressions.ts';
import { addGroupMembers } from './add-group-members.ts';
import { createAlias } from './create-alias.ts';
import { createGroup } from './create-group.ts';
import { deleteAlias } from './delete-alias.ts';
import { deleteCatchAll } from './delete-catch-all.ts';
import { deleteForwarding } from './delete-forwarding.ts';
import { deleteGroup } from './delete-group.ts';
import { getForwarding } from './get-forwarding.ts';
import { getGroup } from './get-group.ts';
import { listAccountAliases } from './list-account-aliases.ts';
import { listAliases } from './list-aliases.ts';
import { listCatchAlls } from './list-catch-alls.ts';
import { listForwardings } from './list-forwardings.ts';
import { listGroupMembers } from './list-group-members.ts';
import { listGroupsOfMember } from './list-groups-of-member.ts';
import { listGroups } from './list-groups.ts';
import { moveAlias } from './move-alias.ts';
import { putCatchAll } from './put-catch-all.ts';
import { putForwarding } from './put-forwarding.ts';
import { removeGroupMembers } from './remove-group-members.ts';
import { setPrimaryAlias } from './set-primary-alias.ts';
import { updateAlias } from './update-alias.ts';
import { updateGroup } from './update-group.ts';

type AliasesDependencies = {
  readonly aliases: Aliases;
  readonly accounts: Pick<Accounts, 'findAll'>;
  readonly aliasMoves: AliasMoves;
  readonly addresses: Pick<Addresses, 'find' | 'findAll'>;
  readonly groups: Groups;
  readonly groupReceivers: Pick<GroupReceivers, 'membersOf'>;
  readonly protection: Pick<AdminProtection, 'accountsOfAdmins'>;
  readonly domains: Pick<Domains, 'find' | 'list'>;
  readonly catchAlls: CatchAlls;
  readonly forwardings: Pick<Forwardings, 'find' | 'list' | 'put'>;
  readonly findForwardTargets: (accountId: string, emails: readonly string[]) => Promise<readonly ForwardTarget[]>;
  readonly mayForwardOutside: boolean;
  readonly inboundQueue: Queue;
  readonly suppressions: Pick<Suppressions, 'findReasons'>;
  readonly newId: NewId;
  readonly clock: Clock;
};

/** The methods of /aliases (docs/specification.md#aliases). */
export const aliasesService = (dependencies: AliasesDependencies): AdminMethods<typeof aliases> => ({
  ListAccountAliases: listAccountAliases(dependencies),
  ListAliases: listAliases(dependencies),
  CreateAlias: createAlias(dependencies),
  UpdateAlias: updateAlias(dependencies),
  SetPrimaryAlias: setPrimaryAlias(dependencies),
  MoveAlias: moveAlias(dependencies),
  DeleteAlias: deleteAlias(dependencies),
  CreateGroup: createGroup(dependencies),
  GetGroup: getGroup(dependencies),
  ListGroups: listGroups(dependencies),
  ListGroupsOfMember: listGroupsOfMember(dependencies),
  UpdateGroup: updateGroup(dependencies),
  DeleteGroup: deleteGroup(dependencies),
  ListGroupMembers: listGroupMembers(dependencies),
  AddGroupMembers: addGroupMembers(dependencies),
  RemoveGroupMembers: removeGroupMembers(dependencies),
  ListCatchAlls: listCatchAlls(dependencies),
  PutCatchAll: putCatchAll(dependencies),
  DeleteCatchAll: deleteCatchAll(dependencies),
  GetForwarding: getForwarding(dependencies),
  ListForwardings: listForwardings(dependencies),
  PutForwarding: putForwarding(dependencies),
  DeleteForwarding: deleteForwarding(dependencies),
});
