import { StatusIndicator } from '@cloudscape-design/components';
import { useState } from 'react';
import { isIdOf } from '../../../contract/values/ids.ts';
import { useAdminMutation, useAdminQuery, type ResponseOf } from '../../api/admin-api.tsx';
import { listSource } from '../../api/use-list.ts';
import { Confirm } from '../../parts/forms/confirm.tsx';
import { DialogButton, FormDialog } from '../../parts/forms/form-dialog.tsx';
import { actionsColumn, timeColumn, type Column } from '../../parts/lists/columns.tsx';
import { List } from '../../parts/lists/list-page.tsx';
import { UserSelect } from '../../parts/objects/selects.tsx';
import { Isolated } from '../../parts/text/isolated.tsx';
import { PageLink } from '../../parts/text/link.tsx';
import { fieldWords } from '../../words/fields.ts';
import { accountWords } from '../../words/pages/accounts.ts';

type Member = ResponseOf<'accounts', 'ListAccountMembers'>['members'][number];
type Open = { readonly action: 'role' | 'remove'; readonly member: Member };

/** The name of a member, with a link to a person, and a mark of those who are gone. */
const MemberName = ({ member: { user_id: id, name, is_active: isActive } }: { readonly member: Member }) => (
  <>
    {isIdOf('user', id) ? <PageLink to={`/users/${encodeURIComponent(id)}`}>{name}</PageLink> : <Isolated>{name}</Isolated>}
    {!isActive && (
      <>
        {' '}
        <StatusIndicator type="stopped">{accountWords.gone}</StatusIndicator>
      </>
    )}
  </>
);

const columnsWith = (open: (next: Open) => void): readonly Column<Member>[] => [
  { id: 'user', header: accountWords.columns.user, text: ({ name }) => name, cell: (member) => <MemberName member={member} /> },
  { id: 'role', header: accountWords.columns.role, cell: ({ role }) => fieldWords.values[role] ?? role, text: ({ role }) => role },
  timeColumn('created', accountWords.columns.created, ({ created_at: at }) => at),
  actionsColumn('', (member) => [
    {
      needs: ['accounts', 'PutAccountMember'],
      text: accountWords.changeRole,
      label: `${accountWords.changeRole} ${member.name}`,
      onClick: () => open({ action: 'role', member }),
    },
    {
      needs: ['accounts', 'DeleteAccountMember'],
      text: accountWords.removeMember,
      label: `${accountWords.removeMember} ${member.name}`,
      onClick: () => open({ action: 'remove', member }),
    },
  ]),
];

export const AccountMembers = ({ accountId: account_id }: { readonly accountId: string }) => {
  const [open, setOpen] = useState<Open>();
  const members = useAdminQuery('accounts', 'ListAccountMembers', { account_id });
  const remove = useAdminMutation('accounts', 'DeleteAccountMember');
  const close = (): void => setOpen(undefined);
  const user_id = open?.member.user_id ?? '';
  return (
    <>
      <List
        name="account-members"
        variant="part"
        title={accountWords.members}
        columns={columnsWith(setOpen)}
        idOf={({ user_id: id }) => id}
        source={listSource(members, (response) => response.members)}
        empty={accountWords.noMembers}
        actions={
          <DialogButton needs={['accounts', 'PutAccountMember']} text={accountWords.addMember}>
            {(onClose) => (
              <FormDialog
                title={accountWords.addMember}
                service="accounts"
                method="PutAccountMember"
                fixed={{ account_id }}
                inputs={{ user_id: UserSelect }}
                onClose={onClose}
              />
            )}
          </DialogButton>
        }
      />
      {open?.action === 'role' && (
        <FormDialog
          title={
            <>
              {accountWords.roleOf} <Isolated>{open.member.name}</Isolated>
            </>
          }
          service="accounts"
          method="PutAccountMember"
          fields={['role']}
          suggested={{ role: open.member.role }}
          fixed={{ account_id, user_id }}
          onClose={close}
        />
      )}
      {open?.action === 'remove' && (
        <Confirm
          title={accountWords.removeMember}
          consequences={
            <>
              <b>
                <Isolated>{open.member.name}</Isolated>
              </b>{' '}
              {accountWords.removeMemberText}
            </>
          }
          actionText={accountWords.removeMember}
          onConfirm={() => remove.mutateAsync({ account_id, user_id })}
          onClose={close}
        />
      )}
    </>
  );
};
