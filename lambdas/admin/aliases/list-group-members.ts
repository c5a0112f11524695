import { aliases as contract } from '../../../contract/admin/aliases.ts';
import { groupMessageClass } from '../../../contract/deployment/sending.ts';
import { isOutside } from '../../../core/directory/groups/group-receivers.ts';
import type { Groups } from '../../../core/directory/groups/groups.ts';
import { adminMethod } from '../../../core/rpc/admin-method.ts';
import { notFound } from '../../../core/rpc/rpc-error.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { Suppressions } from '../../../core/sending/feedback/suppressions.ts';
import { groupMembersOf, type MemberReads } from './group-members-on-wire.ts';

type Dependencies = MemberReads & {
  readonly suppressions: Pick<Suppressions, 'findReasons'>;
  readonly clock: Clock;
  readonly groups: Pick<Groups, 'find' | 'findAll' | 'members'>;
};

export const listGroupMembers = (dependencies: Dependencies) =>
  adminMethod(contract.methods.ListGroupMembers, {
    prefetch: ({ group_id, page_size }, { pageAfter }) =>
      Promise.all([dependencies.groups.find(group_id), dependencies.groups.members(group_id, pageAfter, page_size)]),
    async run(_request, { nextPageToken }, [group, { items, next }]) {
      if (!group) throw notFound('group');
      const outside = items.map(({ memberId }) => memberId).filter(isOutside);
      const [members, reasons] = await Promise.all([
        groupMembersOf(items, dependencies),
        outside.length > 0 ? dependencies.suppressions.findReasons(outside, groupMessageClass, dependencies.clock()) : undefined,
      ]);
      return { members: members.map((member) => ({ ...member, paused_reason: reasons?.get(member.member_id) })), next_page_token: await nextPageToken(next) };
    },
  });
