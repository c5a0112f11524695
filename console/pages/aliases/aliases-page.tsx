import { usePagedList } from '../../api/use-list.ts';
import type { PageDefinition } from '../../page/page-definition.ts';
import { linkColumn } from '../../parts/lists/columns.tsx';
import { useListOrder } from '../../parts/lists/list-order.ts';
import { accountWords, aliasWords } from '../../words/pages/accounts.ts';
import { words } from '../../words/words.ts';
import { AliasList, type Alias } from './alias-list.tsx';

export const page: PageDefinition = {
  path: '/aliases',
  title: words.pages.aliases,
  navigation: { group: 'people', position: 3 },
  methods: { aliases: ['ListAliases', 'CreateAlias', 'UpdateAlias', 'SetPrimaryAlias', 'MoveAlias', 'DeleteAlias'], accounts: ['ListAccounts'] },
};

/** The addresses of all accounts. */
export const AliasesPage = () => {
  const { order, request } = useListOrder({ email: 'EMAIL', created: 'CREATED_AT' });
  const source = usePagedList(
    'aliases',
    'ListAliases',
    { ...request, page_size: 100 },
    ({ aliases, accounts }) => aliases.map((alias) => ({ ...alias, account: accounts.find(({ account_id: id }) => id === alias.account_id)?.name })),
    { keepsPrevious: true },
  );
  const account = linkColumn<Alias>(
    'account',
    accountWords.columns.account,
    ({ account_id: id, account: name = id }) => name,
    ({ account_id: id }) => `/accounts/${id}`,
  );
  return <AliasList variant="page" title={words.pages.aliases} source={source} empty={aliasWords.empty} moreColumns={[account]} order={order} />;
};
