import { useState } from 'react';
import { useAdminMutation } from '../../api/admin-api.tsx';
import { usePagedList } from '../../api/use-list.ts';
import { Confirm } from '../../parts/forms/confirm.tsx';
import { DialogButton, FormDialog } from '../../parts/forms/form-dialog.tsx';
import { actionsColumn } from '../../parts/lists/columns.tsx';
import { List } from '../../parts/lists/list-page.tsx';
import { GroupSelect } from '../../parts/objects/selects.tsx';
import { groupWords } from '../../words/pages/groups.ts';
import { groupColumns, type Group } from './groups-page.tsx';

/** The columns of groups that are shown beside the actions. */
const shownColumns = ['name', 'email', 'members'];

const columns = groupColumns.map((column) => ({ ...column, isVisible: shownColumns.includes(column.id) }));

/** An account or a group. */
type MemberGroupsProps = { readonly memberId: string; readonly name: string; readonly email: string };

/** The groups that have an account, or a group, as a member. */
export const MemberGroups = ({ memberId, name, email }: MemberGroupsProps) => {
  const [left, setLeft] = useState<Group>();
  const leave = useAdminMutation('aliases', 'RemoveGroupMembers');
  const source = usePagedList('aliases', 'ListGroupsOfMember', { member_id: memberId, page_size: 1000 }, ({ groups }) => groups);
  const actions = actionsColumn<Group>(groupWords.columns.actions, (group) => [
    { needs: ['aliases', 'RemoveGroupMembers'], text: groupWords.removeMember, label: `${groupWords.leave} ${group.email}`, onClick: () => setLeft(group) },
  ]);
  return (
    <>
      <List
        name="member-groups"
        variant="part"
        title={groupWords.groups}
        description={groupWords.groupsOf(name)}
        columns={[...columns, actions]}
        idOf={({ group_id: id }) => id}
        source={source}
        sortedBy="name"
        empty={groupWords.noGroups}
        actions={
          <DialogButton needs={['aliases', 'AddGroupMembers']} text={groupWords.join}>
            {(onClose) => (
              <FormDialog
                title={groupWords.join}
                service="aliases"
                method="AddGroupMembers"
                fixed={{ addresses: [email] }}
                inputs={{ group_id: GroupSelect }}
                submitText={groupWords.join}
                done={({ group }) => ({ title: groupWords.joined(group.email) })}
                onClose={onClose}
              />
            )}
          </DialogButton>
        }
      />
      {left && (
        <Confirm
          title={groupWords.leave}
          consequences={groupWords.leaveText(name, left.email)}
          actionText={groupWords.leave}
          onConfirm={() => leave.mutateAsync({ group_id: left.group_id, member_ids: [memberId] })}
          onClose={() => setLeft(undefined)}
        />
      )}
    </>
  );
};
