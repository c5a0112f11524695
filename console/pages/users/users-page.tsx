import { Button, SpaceBetween } from '@cloudscape-design/components';
import { useNavigate } from 'react-router';
import { keysOf } from '../../../contract/values/typed-entries.ts';
import type { ResponseOf } from '../../api/admin-api.tsx';
import { useRole } from '../../api/role.ts';
import { usePagedList } from '../../api/use-list.ts';
import { mayCallMethod } from '../../page/may-open.ts';
import type { PageDefinition } from '../../page/page-definition.ts';
import { useUrlParameters } from '../../page/url-parameters.ts';
import { copyColumn, linkColumn, stateColumn, timeColumn, yesNoColumn, type Column } from '../../parts/lists/columns.tsx';
import { ListFilter } from '../../parts/lists/list-filter.tsx';
import { useListOrder } from '../../parts/lists/list-order.ts';
import { ListPage } from '../../parts/lists/list-page.tsx';
import { AccountLink } from '../../parts/objects/names.tsx';
import { nameOf, signInOf } from '../../parts/objects/user-names.ts';
import { DetailList } from '../../parts/text/details.tsx';
import { Copyable, StateLabel } from '../../parts/text/values.tsx';
import { importWords, userWords } from '../../words/pages/users.ts';
import { words } from '../../words/words.ts';
import { UserActions, userBulk } from './user-actions.tsx';

export const page: PageDefinition = {
  path: '/users',
  title: words.pages.users,
  navigation: { group: 'people', position: 1 },
  methods: {
    users: ['ListUsers', 'UpdateUser', 'ChangeSignInAddress', 'ResendInvitation', 'ResetPassword', 'ResetSecondFactor', 'EndSessions', 'DeleteUser'],
    accounts: ['GetAccount'],
  },
};

type User = ResponseOf<'users', 'ListUsers'>['users'][number];

const columns: readonly Column<User>[] = [
  linkColumn<User>('name', userWords.columns.name, nameOf, (user) => `/users/${user.user_id}`),
  copyColumn('email', userWords.columns.email, signInOf),
  stateColumn('state', userWords.columns.state, 'user', ({ sign_in_state: state }) => state),
  yesNoColumn('admin', userWords.columns.admin, ({ is_admin: isAdmin }) => isAdmin),
  timeColumn('lastSignIn', userWords.columns.lastSignIn, ({ last_sign_in_at: at }) => at ?? ''),
  timeColumn('created', userWords.columns.created, ({ created_at: at }) => at),
];

const UserSummary = ({ user }: { readonly user: User }) => (
  <SpaceBetween size="l">
    <UserActions key={user.user_id} user={user} />
    <DetailList
      details={[
        { label: userWords.columns.state, value: <StateLabel kind="user" state={user.sign_in_state} /> },
        { label: userWords.signIns, value: <Copyable value={signInOf(user)} name={userWords.signIns} /> },
        { label: userWords.primaryAccount, value: user.primary_account_id && <AccountLink accountId={user.primary_account_id} /> },
        { label: words.id, value: <Copyable value={user.user_id} name={words.id} /> },
      ]}
    />
  </SpaceBetween>
);

/** The users to which the list can be limited, by their name in the URL. */
const states = {
  active: { is_active: true, is_deleted: false },
  deactivated: { is_active: false, is_deleted: false },
  admins: { is_admin: true, is_deleted: false },
  deleted: { is_deleted: true },
};

export const UsersPage = () => {
  const navigate = useNavigate();
  const role = useRole();
  const [search, set] = useUrlParameters();
  const chosen = keysOf(states).find((each) => each === search.get('state'));
  const { order, request } = useListOrder({ name: 'NAME', email: 'PRIMARY_EMAIL', created: 'CREATED_AT' });
  const source = usePagedList(
    'users',
    'ListUsers',
    { ...request, page_size: 100, ...(chosen ? states[chosen] : { is_deleted: false }) },
    ({ users }) => users,
    { keepsPrevious: true },
  );
  return (
    <ListPage
      name="users"
      title={words.pages.users}
      columns={columns}
      idOf={({ user_id: id }) => id}
      source={source}
      order={order}
      filters={
        <ListFilter
          label={userWords.columns.state}
          value={chosen ?? ''}
          all={userWords.shown.all}
          options={keysOf(states).map((value) => ({ value, label: userWords.shown[value] }))}
          onChange={(value) => set({ state: value, page: undefined })}
        />
      }
      empty={userWords.empty}
      actions={mayCallMethod(role, 'users', 'CreateUser') && <Button onClick={() => void navigate('/users/import')}>{importWords.title}</Button>}
      create={{ text: userWords.invite, path: '/users/invite' }}
      bulk={userBulk}
      details={{ title: nameOf, content: (user) => <UserSummary user={user} /> }}
    />
  );
};
