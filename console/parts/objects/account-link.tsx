import { useAdminQuery } from '../../api/admin-api.tsx';
import { PageLink } from '../text/link.tsx';

/** A link to an account by its name. */
export const AccountLink = ({ accountId }: { readonly accountId: string }) => {
  const { data } = useAdminQuery('accounts', 'GetAccount', { account_id: accountId });
  return <PageLink to={`/accounts/${encodeURIComponent(accountId)}`}>{data?.account.name ?? accountId}</PageLink>;
};
