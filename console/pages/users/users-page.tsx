import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Toggle from '@cloudscape-design/components/toggle';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { ResponseOf } from '../../api/admin-api.tsx';
import { usePagedList } from '../../api/use-list.ts';
import type { PageDefinition } from '../../page/page-definition.ts';
import { Copyable } from '../../parts/text/copyable.tsx';
import { DetailList } from '../../parts/text/details.tsx';
import { PageLink } from '../../parts/text/link.tsx';
import { ListPage, type Column } from '../../parts/lists/list-page.tsx';
import { stateColumn, StateLabel } from '../../parts/lists/state-label.tsx';
import { Time } from '../../parts/text/time.tsx';
import { userWords } from '../../words/pages/users.ts';
import { words } from '../../words/words.ts';
import { AccountLink } from '../../parts/objects/account-link.tsx';
import { UserActions } from './user-actions.tsx';
import { nameOf, signInOf, userState } from './user-state.ts';

export const page: PageDefinition = {
  path: '/users', title: words.pages.users, navigation: { group: 'people', position: 1 },
  methods: { users: ['ListUsers', 'UpdateUser', 'ResendInvitation', 'DeleteUser'], accounts: ['GetAccount'] },
};

type User = ResponseOf<'users', 'ListUsers'>['users'][number];

const columns: readonly Column<User>[] = [
  { id: 'name', header: userWords.columns.name, text: nameOf, cell: (user) => <PageLink to={`/users/${user.user_id}`}>{nameOf(user)}</PageLink> },
  { id: 'email', header: userWords.columns.email, text: signInOf, cell: (user) => <Copyable value={signInOf(user)} name={userWords.columns.email} /> },
  stateColumn('user', { id: 'state', header: userWords.columns.state, stateOf: userState }),
  { id: 'admin', header: userWords.columns.admin, cell: (user) => (user.is_admin ? words.form.yes : words.form.no), text: (user) => String(user.is_admin) },
  { id: 'created', header: userWords.columns.created, cell: ({ created_at: at }) => <Time at={at} />, text: ({ created_at: at }) => at },
];

/** A user in short, with the possible actions. */
const UserSummary = ({ user }: { readonly user: User }) => (
  <SpaceBetween size="l">
    <UserActions key={user.user_id} user={user} />
    <DetailList
      details={[
        { label: userWords.columns.state, value: <StateLabel kind="user" state={userState(user)} /> },
        { label: userWords.signIns, value: <Copyable value={signInOf(user)} name={userWords.signIns} /> },
        {
          label: userWords.primaryAccount,
          value: user.primary_account_id && <AccountLink accountId={user.primary_account_id} />,
        },
        { label: words.id, value: <Copyable value={user.user_id} name={words.id} /> },
      ]}
    />
  </SpaceBetween>
);

export const UsersPage = () => {
  const navigate = useNavigate();
  const [isWithDeleted, setWithDeleted] = useState(false);
  const source = usePagedList('users', 'ListUsers', {}, ({ users }) => (isWithDeleted ? users : users.filter(({ is_deleted: isDeleted }) => !isDeleted)));
  const invite = <Button variant="primary" onClick={() => void navigate('/users/invite')}>{userWords.invite}</Button>;
  return (
    <ListPage
      name="users" title={words.pages.users} columns={columns} idOf={({ user_id: id }) => id} source={source} actions={invite}
      filters={<Toggle checked={isWithDeleted} onChange={({ detail }) => setWithDeleted(detail.checked)}>{userWords.withDeleted}</Toggle>}
      sortedBy="name" empty={{ ...userWords.empty, action: invite }} details={{ title: nameOf, content: (user) => <UserSummary user={user} /> }}
    />
  );
};
