import Button from '@cloudscape-design/components/button';
import { useState } from 'react';
import { useAdminMutation, useAdminQuery, type ResponseOf } from '../../api/admin-api.tsx';
import { listSource } from '../../api/use-list.ts';
import { Confirm } from '../../parts/forms/confirm.tsx';
import { FormDialog } from '../../parts/forms/form-dialog.tsx';
import { List, type Column } from '../../parts/lists/list-page.tsx';
import { Time } from '../../parts/text/time.tsx';
import { accountWords } from '../../words/pages/accounts.ts';
import { fieldWords } from '../../words/fields.ts';
import { UserLink, UserName } from '../../parts/objects/user-name.tsx';
import { UserSelect } from '../../parts/objects/user-select.tsx';

type Member = ResponseOf<'accounts', 'ListAccountMembers'>['members'][number];
type Open = { readonly action: 'add' } | { readonly action: 'role' | 'remove'; readonly member: Member };

const columnsWith = (open: (next: Open) => void): readonly Column<Member>[] => [
  {
    id: 'user', header: accountWords.columns.user, text: ({ user_id: id }) => id,
    cell: ({ user_id: id }) => <UserLink userId={id} />,
  },
  { id: 'role', header: accountWords.columns.role, cell: ({ role }) => fieldWords.values[role] ?? role, text: ({ role }) => role },
  { id: 'created', header: accountWords.columns.created, cell: ({ created_at: at }) => <Time at={at} />, text: ({ created_at: at }) => at },
  {
    id: 'actions', header: '',
    cell: (member) => (
      <div className="row-actions">
        <Button variant="inline-link" ariaLabel={`${accountWords.changeRole} ${member.user_id}`} onClick={() => open({ action: 'role', member })}>
          {accountWords.changeRole}
        </Button>
        <Button variant="inline-link" ariaLabel={`${accountWords.removeMember} ${member.user_id}`} onClick={() => open({ action: 'remove', member })}>
          {accountWords.removeMember}
        </Button>
      </div>
    ),
  },
];

/** The members of an account and their rights. */
export const AccountMembers = ({ accountId }: { readonly accountId: string }) => {
  const [open, setOpen] = useState<Open>();
  const members = useAdminQuery('accounts', 'ListAccountMembers', { account_id: accountId });
  const remove = useAdminMutation('accounts', 'DeleteAccountMember');
  const close = (): void => setOpen(undefined);
  return (
    <>
      <List
        name="account-members" variant="part" title={accountWords.members} columns={columnsWith(setOpen)} idOf={({ user_id: id }) => id}
        source={listSource(members, (response) => response.members)} empty={accountWords.noMembers}
        actions={<Button onClick={() => setOpen({ action: 'add' })}>{accountWords.addMember}</Button>}
      />
      {open?.action === 'add' && (
        <FormDialog
          title={accountWords.addMember} service="accounts" method="PutAccountMember" fixed={{ account_id: accountId }}
          inputs={{ user_id: UserSelect }}
          onClose={close} onDone={() => undefined}
        />
      )}
      {open?.action === 'role' && (
        <FormDialog
          title={<>{accountWords.roleOf} <UserName userId={open.member.user_id} /></>} service="accounts" method="PutAccountMember" fields={['role']} suggested={{ role: open.member.role }}
          fixed={{ account_id: accountId, user_id: open.member.user_id }} onClose={close} onDone={() => undefined}
        />
      )}
      {open?.action === 'remove' && (
        <Confirm
          title={accountWords.removeMember} consequences={<><b><UserName userId={open.member.user_id} /></b> {accountWords.removeMemberText}</>}
          actionText={accountWords.removeMember}
          onConfirm={() => remove.mutateAsync({ account_id: accountId, user_id: open.member.user_id })} onClose={close}
        />
      )}
    </>
  );
};
