import { aliases as contract } from '../../../contract/admin/aliases.ts';
import type { Groups } from '../../../core/directory/groups/groups.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { auditGroupChange } from './group-audit.ts';

export const removeGroupMembers = ({ groups, clock }: { readonly groups: Pick<Groups, 'removeMembers'>; readonly clock: Clock }) =>
  adminMethod(contract.methods.RemoveGroupMembers, {
    run: async ({ group_id, member_ids }, { audit }) => ({
      group: await groups.removeMembers(group_id, member_ids, clock(), auditGroupChange(audit, { removed: member_ids })),
    }),
  });
