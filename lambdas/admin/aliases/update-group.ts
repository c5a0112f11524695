import { aliases as contract } from '../../../contract/admin/aliases.ts';
import type { Groups } from '../../../core/directory/groups/groups.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { auditGroupChange } from './group-audit.ts';

export const updateGroup = ({ groups, clock }: { readonly groups: Pick<Groups, 'update'>; readonly clock: Clock }) =>
  adminMethod(contract.methods.UpdateGroup, {
    run: async ({ group_id, ...change }, { audit }) => ({ group: await groups.update(group_id, change, clock(), auditGroupChange(audit)) }),
  });
