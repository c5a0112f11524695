import { aliases as contract } from '../../../contract/admin/aliases.ts';
import type { Groups } from '../../../core/directory/groups/groups.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { notFound } from '../../../core/rpc/rpc-error.ts';
import { groupMembersOf, type MemberReads } from './group-members-on-wire.ts';

type Dependencies = MemberReads & { readonly groups: Pick<Groups, 'find' | 'findAll' | 'members'> };

export const listGroupMembers = (dependencies: Dependencies) =>
  adminMethod(contract.methods.ListGroupMembers, {
    prefetch: ({ group_id, page_size }, { pageAfter }) =>
      Promise.all([dependencies.groups.find(group_id), dependencies.groups.members(group_id, pageAfter, page_size)]),
    async run(_request, { nextPageToken }, [group, { items, next }]) {
      if (!group) throw notFound('group');
      return { members: await groupMembersOf(items, dependencies), next_page_token: await nextPageToken(next) };
    },
  });
