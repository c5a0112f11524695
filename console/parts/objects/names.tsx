import { useAdminQuery } from '../../api/admin-api.tsx';
import { Isolated } from '../text/isolated.tsx';
import { PageLink } from '../text/link.tsx';
import { nameOf } from './user-names.ts';

export const AccountLink = ({ accountId }: { readonly accountId: string }) => {
  const { data } = useAdminQuery('accounts', 'GetAccount', { account_id: accountId });
  return <PageLink to={`/accounts/${encodeURIComponent(accountId)}`}>{data?.account.name ?? accountId}</PageLink>;
};

const useUser = (userId: string) => useAdminQuery('users', 'GetUser', { user_id: userId }).data?.user;

/** The name of a user. A principal that is not a user, such as a headless client, shows its id. */
export const UserName = ({ userId }: { readonly userId: string }) => {
  const user = useUser(userId);
  return <Isolated>{user ? nameOf(user) : userId}</Isolated>;
};

/** A link to a user. A principal that is not a user has no page, and shows its id. */
export const UserLink = ({ userId }: { readonly userId: string }) => {
  const user = useUser(userId);
  return user ? <PageLink to={`/users/${userId}`}>{nameOf(user)}</PageLink> : <>{userId}</>;
};
