import { aliases as contract } from '../../../contract/admin/aliases.ts';
import type { Groups } from '../../../core/directory/groups/groups.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { groupAuditSubject } from './group-audit.ts';

export const deleteGroup = ({ groups }: { readonly groups: Pick<Groups, 'remove'> }) =>
  adminMethod(contract.methods.DeleteGroup, {
    async run({ group_id }, { audit }) {
      await groups.remove(group_id, {
        begun: (group) => {
          audit.describe(groupAuditSubject(group, undefined));
          return audit.pendingWrites();
        },
        ended: () => audit.successWrites(),
      });
      return {};
    },
  });
