import { useQueries } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { adminQuery, useAdminClient, type ResponseOf } from '../../api/admin-api.tsx';
import { usePagedList, type ListSource } from '../../api/use-list.ts';
import type { PageDefinition } from '../../page/page-definition.ts';
import { PagedSelect } from '../../parts/forms/paged-select.tsx';
import { linkColumn } from '../../parts/lists/columns.tsx';
import { accountWords, aliasWords } from '../../words/pages/accounts.ts';
import { words } from '../../words/words.ts';
import { AliasList, type Alias } from './alias-list.tsx';

export const page: PageDefinition = {
  path: '/aliases',
  title: words.pages.aliases,
  navigation: { group: 'people', position: 3 },
  methods: { aliases: ['ListAccountAliases', 'CreateAlias', 'UpdateAlias', 'SetPrimaryAlias', 'MoveAlias', 'DeleteAlias'], accounts: ['ListAccounts'] },
};

type Account = ResponseOf<'accounts', 'ListAccounts'>['accounts'][number];

/** Maximum accounts whose addresses are read at once. The API lists the addresses of one account. */
const accountsAtOnce = 20;

/** The addresses of the accounts: a call for each. */
const useAliasesOf = (accounts: ListSource<Account>, chosen: string | null): ListSource<Alias> => {
  const client = useAdminClient();
  const ids = chosen === null ? (accounts.items ?? []).map(({ account_id: id }) => id) : [chosen];
  const queries = useQueries({ queries: ids.map((id) => adminQuery(client, 'aliases', 'ListAccountAliases', { account_id: id })) });
  const failed = queries.find(({ error }) => error !== null);
  const known = queries.flatMap(({ data }) => data?.aliases ?? []);
  const isRead = accounts.items !== undefined && queries.every(({ data }) => data !== undefined);
  return {
    items: isRead || known.length > 0 ? known : undefined,
    error: accounts.error ?? failed?.error ?? null,
    isReading: accounts.isReading || queries.some(({ isFetching }) => isFetching),
    refresh: () => {
      for (const query of queries) void query.refetch();
    },
    readMore: chosen === null ? accounts.readMore : undefined,
  };
};

/** The addresses of all accounts, or of the account in the page's address (`?account=`). */
export const AliasesPage = () => {
  const [search, setSearch] = useSearchParams();
  const chosen = search.get('account');
  const accounts = usePagedList('accounts', 'ListAccounts', { page_size: accountsAtOnce }, (response) => response.accounts);
  const source = useAliasesOf(accounts, chosen);
  const nameOf = (id: string): string => accounts.items?.find(({ account_id: other }) => other === id)?.name ?? id;
  const account = linkColumn<Alias>(
    'account',
    accountWords.columns.account,
    ({ account_id: id }) => nameOf(id),
    ({ account_id: id }) => `/accounts/${id}`,
  );
  return (
    <AliasList
      variant="page"
      title={words.pages.aliases}
      source={source}
      empty={aliasWords.empty}
      accountId={chosen ?? undefined}
      moreColumns={[account]}
      filters={
        <div className="list-filter">
          <PagedSelect
            value={chosen ?? ''}
            isInvalid={false}
            source={{ ...accounts, items: [{ account_id: '', name: aliasWords.all, email: '' }, ...(accounts.items ?? [])] }}
            optionOf={({ account_id: value, name: label, email: description }) => ({ value, label, description })}
            ariaLabel={accountWords.columns.account}
            onChange={(value) => setSearch(value === '' ? {} : { account: String(value) })}
          />
        </div>
      }
    />
  );
};
