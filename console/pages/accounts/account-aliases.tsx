import { useAdminQuery } from '../../api/admin-api.tsx';
import { listSource } from '../../api/use-list.ts';
import { accountWords } from '../../words/pages/accounts.ts';
import { AliasList } from '../aliases/alias-list.tsx';

/** The addresses of an account. */
export const AccountAliases = ({ accountId }: { readonly accountId: string }) => {
  const query = useAdminQuery('aliases', 'ListAccountAliases', { account_id: accountId });
  return (
    <AliasList
      variant="part" title={accountWords.aliases} source={listSource(query, ({ aliases }) => aliases)} empty={accountWords.noAliases}
      accountId={accountId}
    />
  );
};
