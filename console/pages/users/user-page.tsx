import Button from '@cloudscape-design/components/button';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { listSource } from '../../api/use-list.ts';
import { useAdminMutation, useAdminQuery, type ResponseOf } from '../../api/admin-api.tsx';
import type { PageDefinition } from '../../page/page-definition.ts';
import { Confirm } from '../../parts/forms/confirm.tsx';
import { Copyable } from '../../parts/text/copyable.tsx';
import { Details } from '../../parts/text/details.tsx';
import { FormDialog } from '../../parts/forms/form-dialog.tsx';
import { PageLink } from '../../parts/text/link.tsx';
import { List } from '../../parts/lists/list-page.tsx';
import { Page } from '../../parts/view/page-header.tsx';
import { QueryView } from '../../parts/view/query-view.tsx';
import { StateLabel } from '../../parts/lists/state-label.tsx';
import { DetailedTime } from '../../parts/text/time.tsx';
import { userWords } from '../../words/pages/users.ts';
import { words } from '../../words/words.ts';
import { AccountSelect } from '../../parts/objects/account-select.tsx';
import { accountColumns } from '../accounts/accounts-page.tsx';
import { UserActions } from './user-actions.tsx';
import { nameOf, signInOf, userState } from './user-state.ts';

export const page: PageDefinition = {
  path: '/users/:userId', title: userWords.details, parent: '/users',
  methods: { users: [
    'GetUserOverview', 'UpdateUser', 'ResendInvitation', 'DeleteUser', 'ListUserAccounts', 'PutUserAccountMember', 'DeleteUserAccountMember',
  ] },
};

type Overview = ResponseOf<'users', 'GetUserOverview'>;
type Account = Overview['accounts'][number];

const UserDetails = ({ user, primary_account: account, primary_account_aliases: aliases }: Overview) => (
  <Details
    title={userWords.details}
    details={[
      { label: userWords.columns.state, value: <StateLabel kind="user" state={userState(user)} /> },
      { label: userWords.signIns, value: <Copyable value={signInOf(user)} name={userWords.signIns} /> },
      { label: userWords.columns.admin, value: user.is_admin ? words.form.yes : words.form.no },
      {
        label: userWords.aliases,
        value: aliases.length > 0 && aliases.map(({ email }) => <div key={email}><Copyable value={email} name={userWords.aliases} /></div>),
      },
      { label: userWords.primaryAccount, value: account && <PageLink to={`/accounts/${account.account_id}`}>{account.name}</PageLink> },
      { label: userWords.columns.created, value: <DetailedTime at={user.created_at} /> },
      { label: words.id, value: <Copyable value={user.user_id} name={words.id} /> },
    ]}
  />
);

/** The accounts that the user is a member of. */
const UserAccounts = ({ userId }: { readonly userId: string }) => {
  const [isAdding, setAdding] = useState(false);
  const [left, setLeft] = useState<Account>();
  const navigate = useNavigate();
  const accounts = useAdminQuery('users', 'ListUserAccounts', { user_id: userId });
  const leave = useAdminMutation('users', 'DeleteUserAccountMember');
  const add = <Button onClick={() => setAdding(true)}>{userWords.addAccount}</Button>;
  const leaveButton = (account: Account) => (
    <div className="row-actions">
      <Button variant="inline-link" ariaLabel={`${userWords.leaveAccount} ${account.name}`} onClick={() => setLeft(account)}>
        {userWords.leaveAccount}
      </Button>
    </div>
  );
  return (
    <>
      <List
        name="user-accounts" variant="part" title={userWords.accounts} idOf={({ account_id: id }) => id} actions={add}
        columns={[...accountColumns, { id: 'leave', header: '', cell: leaveButton }]} source={listSource(accounts, (response) => response.accounts)}
        empty={{
          ...userWords.noAccounts, action: <Button onClick={() => void navigate(`/accounts/create?user=${userId}`)}>{userWords.giveAccount}</Button>,
        }}
      />
      {isAdding && (
        <FormDialog
          title={userWords.addAccount} service="users" method="PutUserAccountMember" fixed={{ user_id: userId }}
          inputs={{ account_id: AccountSelect }} onClose={() => setAdding(false)} onDone={() => undefined}
        />
      )}
      {left && (
        <Confirm
          title={userWords.leaveAccount} consequences={userWords.leaveText(left.name)} actionText={userWords.leaveAccount}
          onConfirm={() => leave.mutateAsync({ user_id: userId, account_id: left.account_id })} onClose={() => setLeft(undefined)}
        />
      )}
    </>
  );
};

export const UserPage = () => {
  const { userId = '' } = useParams();
  const query = useAdminQuery('users', 'GetUserOverview', { user_id: userId });
  return (
    <QueryView query={query} variant="page">
      {(overview) => (
        <Page title={nameOf(overview.user)} actions={<UserActions user={overview.user} />}>
          <UserDetails {...overview} />
          <UserAccounts userId={userId} />
        </Page>
      )}
    </QueryView>
  );
};
