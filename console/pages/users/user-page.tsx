import { Alert, Button } from '@cloudscape-design/components';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { useAdminMutation, useAdminQuery, type ResponseOf } from '../../api/admin-api.tsx';
import { listSource, type ListSource } from '../../api/use-list.ts';
import { useConfig } from '../../page/config-context.tsx';
import type { PageDefinition } from '../../page/page-definition.ts';
import { Confirm } from '../../parts/forms/confirm.tsx';
import { DialogButton, FormDialog } from '../../parts/forms/form-dialog.tsx';
import { actionsColumn } from '../../parts/lists/columns.tsx';
import { List } from '../../parts/lists/list-page.tsx';
import { AccountSelect } from '../../parts/objects/selects.tsx';
import { nameOf, signInOf } from '../../parts/objects/user-names.ts';
import { Details } from '../../parts/text/details.tsx';
import { PageLink } from '../../parts/text/link.tsx';
import { DetailedTime, Time } from '../../parts/text/time.tsx';
import { Copyable, StateLabel } from '../../parts/text/values.tsx';
import { Page, QueryView } from '../../parts/view/page.tsx';
import { fieldWords } from '../../words/fields.ts';
import { resetWords, secondFactorStates, userWords } from '../../words/pages/users.ts';
import { stateWords } from '../../words/states.ts';
import { words } from '../../words/words.ts';
import { accountColumns } from '../accounts/accounts-page.tsx';
import { AccountForwarding } from '../forwarding/account-forwarding.tsx';
import { MemberGroups } from '../groups/member-groups.tsx';
import { CopyInstructions } from './copy-instructions.tsx';
import { ResetPassword } from './reset-password.tsx';
import { UserActions } from './user-actions.tsx';
import { UserMail } from './user-mail.tsx';

export const page: PageDefinition = {
  path: '/users/:userId',
  title: userWords.details,
  parent: '/users',
  methods: {
    users: [
      'GetUserOverview',
      'UpdateUser',
      'ChangeSignInAddress',
      'ResendInvitation',
      'ResetPassword',
      'ResetSecondFactor',
      'EndSessions',
      'DeleteUser',
      'RestoreUser',
      'PutUserAccountMember',
      'DeleteUserAccountMember',
    ],
    accounts: ['GetAccount', 'ListDestroyedEmails', 'RestoreEmails', 'PurgeDestroyedEmails'],
    aliases: ['ListGroupsOfMember', 'ListGroups', 'AddGroupMembers', 'RemoveGroupMembers', 'GetForwarding', 'PutForwarding', 'DeleteForwarding'],
    'mail-feedback': ['ListReceivedMessages', 'ListSentMessages'],
  },
};

type Overview = ResponseOf<'users', 'GetUserOverview'>;
type Account = Overview['accounts'][number];
type User = Overview['user'];

const UsedClient = ({ client: { client_id: id, client_name: name, last_used_at: at } }: { readonly client: User['clients'][number] }) => {
  const { clientId, cliClientId } = useConfig();
  const own = { [clientId]: userWords.ownClients.console, [cliClientId]: userWords.ownClients.cli };
  return (
    <div>
      {own[id] ?? name ?? id}: <Time at={at} />
    </div>
  );
};

/**
 * The next step for an invited person who cannot get in. The dialog stays open when the step has changed the state, and
 * the alert is gone.
 */
const SignInProblem = ({ user }: { readonly user: User }) => {
  const [isOpen, setOpen] = useState(false);
  const { label, sentence, nextStep } = stateWords('user', user.sign_in_state) ?? {};
  return (
    <>
      {nextStep !== undefined && (
        <Alert type="warning" header={label} action={<Button onClick={() => setOpen(true)}>{resetWords.action}</Button>}>
          {sentence} {nextStep}
        </Alert>
      )}
      {isOpen && <ResetPassword user={user} onClose={() => setOpen(false)} />}
    </>
  );
};

const SecondFactor = ({ user, second_factors: factors }: Overview) => {
  const { mfa } = useConfig();
  if (mfa === 'off') return secondFactorStates.off;
  if (factors.length > 0) return factors.map((factor) => fieldWords.values[factor]).join(', ');
  return user.sign_in_state !== 'ACTIVE' && user.last_sign_in_at === undefined ? secondFactorStates.beforeSignIn : secondFactorStates.unknown;
};

const PrimaryAccount = ({ user, primary_account: account }: Overview) => {
  if (account) return <PageLink to={`/accounts/${account.account_id}`}>{account.name}</PageLink>;
  return (
    <>
      {userWords.noAccount} {user.is_active && <PageLink to={`/accounts/create?user=${user.user_id}`}>{userWords.giveAccount}</PageLink>}
    </>
  );
};

const UserDetails = (overview: Overview) => {
  const { user, primary_account_aliases: aliases } = overview;
  return (
    <Details
      title={userWords.details}
      actions={user.is_active && <CopyInstructions overview={overview} />}
      details={[
        { label: userWords.columns.state, value: <StateLabel kind="user" state={user.sign_in_state} /> },
        ...(user.temporary_password_until === undefined
          ? []
          : [{ label: userWords.passwordUntil, value: <DetailedTime at={user.temporary_password_until} /> }]),
        { label: userWords.columns.lastSignIn, value: user.last_sign_in_at === undefined ? userWords.never : <DetailedTime at={user.last_sign_in_at} /> },
        { label: userWords.secondFactor, value: <SecondFactor {...overview} /> },
        { label: userWords.clients, value: user.clients.length > 0 && user.clients.map((client) => <UsedClient key={client.client_id} client={client} />) },
        ...(user.removal_at === undefined ? [] : [{ label: userWords.keptUntil, value: <DetailedTime at={user.removal_at} /> }]),
        { label: userWords.signIns, value: <Copyable value={signInOf(user)} name={userWords.signIns} /> },
        { label: userWords.columns.admin, value: user.admin_role === undefined ? words.form.no : fieldWords.values[user.admin_role] },
        {
          label: userWords.aliases,
          value:
            aliases.length > 0 &&
            aliases.map(({ email }) => (
              <div key={email}>
                <Copyable value={email} name={userWords.aliases} />
              </div>
            )),
        },
        { label: userWords.primaryAccount, value: <PrimaryAccount {...overview} /> },
        { label: userWords.columns.created, value: <DetailedTime at={user.created_at} /> },
        { label: words.id, value: <Copyable value={user.user_id} name={words.id} /> },
      ]}
    />
  );
};

const UserAccounts = ({ userId, source }: { readonly userId: string; readonly source: ListSource<Account> }) => {
  const [left, setLeft] = useState<Account>();
  const navigate = useNavigate();
  const leave = useAdminMutation('users', 'DeleteUserAccountMember');
  const actions = actionsColumn<Account>('', (account) => [
    {
      needs: ['users', 'DeleteUserAccountMember'],
      text: userWords.leaveAccount,
      label: `${userWords.leaveAccount} ${account.name}`,
      onClick: () => setLeft(account),
    },
  ]);
  return (
    <>
      <List
        name="user-accounts"
        variant="part"
        title={userWords.accounts}
        idOf={({ account_id: id }) => id}
        columns={[...accountColumns, actions]}
        source={source}
        actions={
          <DialogButton needs={['users', 'PutUserAccountMember']} text={userWords.addAccount}>
            {(onClose) => (
              <FormDialog
                title={userWords.addAccount}
                service="users"
                method="PutUserAccountMember"
                fixed={{ user_id: userId }}
                inputs={{ account_id: AccountSelect }}
                onClose={onClose}
              />
            )}
          </DialogButton>
        }
        empty={{ ...userWords.noAccounts, action: <Button onClick={() => void navigate(`/accounts/create?user=${userId}`)}>{userWords.giveAccount}</Button> }}
      />
      {left && (
        <Confirm
          title={userWords.leaveAccount}
          consequences={userWords.leaveText(left.name)}
          actionText={userWords.leaveAccount}
          onConfirm={() => leave.mutateAsync({ user_id: userId, account_id: left.account_id })}
          onClose={() => setLeft(undefined)}
        />
      )}
    </>
  );
};

/** The groups and the forwarding of a person's own account. */
const UserGroups = ({ account: { account_id: id, name, email } }: { readonly account: NonNullable<Overview['primary_account']> }) => (
  <>
    <MemberGroups memberId={id} name={name} email={email} />
    <AccountForwarding accountId={id} name={name} />
  </>
);

export const UserPage = () => {
  const { userId = '' } = useParams();
  const query = useAdminQuery('users', 'GetUserOverview', { user_id: userId });
  return (
    <QueryView query={query} variant="page">
      {(overview) => (
        <Page title={nameOf(overview.user)} actions={<UserActions user={overview.user} />}>
          <SignInProblem user={overview.user} />
          <UserDetails {...overview} />
          <UserAccounts userId={userId} source={listSource(query, ({ accounts }) => accounts)} />
          {overview.primary_account && <UserGroups account={overview.primary_account} />}
          {overview.primary_account && <UserMail account={overview.primary_account} />}
        </Page>
      )}
    </QueryView>
  );
};
