import { aliases as contract } from '../../../contract/admin/aliases.ts';
import type { Groups } from '../../../core/directory/groups/groups.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';

export const listGroupsOfMember = ({ groups }: { readonly groups: Pick<Groups, 'groupIdsOf' | 'findAll'> }) =>
  adminMethod(contract.methods.ListGroupsOfMember, {
    prefetch: ({ member_id, page_size }, { pageAfter }) => groups.groupIdsOf(member_id, pageAfter, page_size),
    async run(_request, { nextPageToken }, { items, next }) {
      const found = await groups.findAll(items);
      return { groups: found.toSorted(({ group_id: one }, { group_id: other }) => (one < other ? -1 : 1)), next_page_token: await nextPageToken(next) };
    },
  });
