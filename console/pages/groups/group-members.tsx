import { Box, StatusIndicator } from '@cloudscape-design/components';
import { useState } from 'react';
import { useAdminMutation, type ResponseOf } from '../../api/admin-api.tsx';
import { usePagedList } from '../../api/use-list.ts';
import { Confirm } from '../../parts/forms/confirm.tsx';
import { DialogButton } from '../../parts/forms/form-dialog.tsx';
import { bulkAction, type Bulk } from '../../parts/lists/bulk-actions.tsx';
import { actionsColumn, textColumn, timeColumn, type Column } from '../../parts/lists/columns.tsx';
import { List } from '../../parts/lists/list-page.tsx';
import { groupWords } from '../../words/pages/groups.ts';
import { AddMembers } from './add-members.tsx';
import type { Group } from './groups-page.tsx';
import { MemberLink } from './member-link.tsx';

type Member = ResponseOf<'aliases', 'ListGroupMembers'>['members'][number];

const { columns: titles } = groupWords;

const nameOf = ({ name, email, member_id: id }: Member): string => name ?? email ?? id;

const MemberName = ({ member }: { readonly member: Member }) => {
  const { kind, member_id: id, email, paused_reason: reason } = member;
  if (email === undefined) return <StatusIndicator type="stopped">{groupWords.wasDeleted}</StatusIndicator>;
  return (
    <>
      <MemberLink kind={kind} id={id} text={nameOf(member)} />
      {reason !== undefined && (
        <div>
          <StatusIndicator type="warning">{groupWords.paused}</StatusIndicator>
          <Box variant="small" display="block">
            {reason}
          </Box>
        </div>
      )}
    </>
  );
};

const columnsWith = (remove: (member: Member) => void): readonly Column<Member>[] => [
  { id: 'name', header: titles.name, text: nameOf, cell: (member) => <MemberName member={member} /> },
  textColumn('email', titles.email, ({ email, member_id: id }) => email ?? id),
  timeColumn('added', titles.added, ({ added_at: at }) => at),
  actionsColumn(titles.actions, (member) => [
    {
      needs: ['aliases', 'RemoveGroupMembers'],
      text: groupWords.removeMember,
      label: `${groupWords.removeMember} ${nameOf(member)}`,
      onClick: () => remove(member),
    },
  ]),
];

const bulkOf = (group_id: string): Bulk<Member> => ({
  nameOf,
  actions: [
    bulkAction('aliases', 'RemoveGroupMembers', {
      text: groupWords.removeMember,
      appliesTo: () => true,
      consequences: () => groupWords.removeMemberText,
      request: ({ member_id: id }: Member) => ({ group_id, member_ids: [id] }),
    }),
  ],
});

export const GroupMembers = ({ group }: { readonly group: Group }) => {
  const { group_id } = group;
  const [removed, setRemoved] = useState<Member>();
  const remove = useAdminMutation('aliases', 'RemoveGroupMembers');
  const source = usePagedList('aliases', 'ListGroupMembers', { group_id, page_size: 1000 }, ({ members }) => members);
  const add = (
    <DialogButton needs={['aliases', 'AddGroupMembers']} text={groupWords.addMembers} variant="primary">
      {(onClose) => <AddMembers group={group} onClose={onClose} />}
    </DialogButton>
  );
  return (
    <>
      <List
        name="group-members"
        variant="part"
        title={titles.members}
        columns={columnsWith(setRemoved)}
        idOf={({ member_id: id }) => id}
        source={source}
        sortedBy="name"
        empty={groupWords.noMembers}
        actions={add}
        bulk={bulkOf(group_id)}
      />
      {removed && (
        <Confirm
          title={groupWords.removeMember}
          consequences={groupWords.leaveText(nameOf(removed), group.email)}
          actionText={groupWords.removeMember}
          onConfirm={() => remove.mutateAsync({ group_id, member_ids: [removed.member_id] })}
          done={groupWords.memberRemoved(nameOf(removed))}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </>
  );
};
