import { useAdminQuery } from '../../api/admin-api.tsx';
import { PageLink } from '../text/link.tsx';

/** The name of a user. A principal that is not a user, such as a headless client, shows its id. */
export const UserName = ({ userId }: { readonly userId: string }) => {
  const { data } = useAdminQuery('users', 'GetUser', { user_id: userId });
  return <>{data ? data.user.display_name ?? data.user.name : userId}</>;
};

/** A link to a user. A principal that is not a user has no page, and shows its id. */
export const UserLink = ({ userId }: { readonly userId: string }) => {
  const { data } = useAdminQuery('users', 'GetUser', { user_id: userId });
  return data ? <PageLink to={`/users/${userId}`}>{data.user.display_name ?? data.user.name}</PageLink> : <>{userId}</>;
};
