import { aliases as contract } from '../../../contract/admin/aliases.ts';
import type { Groups } from '../../../core/directory/groups/groups.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { notFound } from '../../../core/rpc/rpc-error.ts';

export const getGroup = ({ groups }: { readonly groups: Pick<Groups, 'find'> }) =>
  adminMethod(contract.methods.GetGroup, {
    prefetch: ({ group_id }) => groups.find(group_id),
    async run(_request, _call, group) {
      if (!group) throw notFound('group');
      return { group };
    },
  });
