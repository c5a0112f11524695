import type { ResponseOf } from '../../api/admin-api.tsx';
import { usePagedList } from '../../api/use-list.ts';
import type { PageDefinition } from '../../page/page-definition.ts';
import { copyColumn, linkColumn, textColumn, timeColumn, type Column } from '../../parts/lists/columns.tsx';
import { useListOrder } from '../../parts/lists/list-order.ts';
import { ListPage } from '../../parts/lists/list-page.tsx';
import { accountWords } from '../../words/pages/accounts.ts';
import { words } from '../../words/words.ts';
import { AccountRemovals } from './account-removals.tsx';

export const page: PageDefinition = {
  path: '/accounts',
  title: words.pages.accounts,
  navigation: { group: 'people', position: 2 },
  methods: { accounts: ['ListAccounts', 'ListAccountRemovals', 'RestoreAccount', 'RemoveAccountNow'] },
};

type Account = ResponseOf<'accounts', 'ListAccounts'>['accounts'][number];

const { columns: titles } = accountWords;

/** The columns of accounts, wherever accounts are listed. */
export const accountColumns: readonly Column<Account>[] = [
  linkColumn(
    'name',
    titles.name,
    ({ name }) => name,
    ({ account_id: id }) => `/accounts/${id}`,
  ),
  copyColumn('email', titles.email, ({ email }) => email),
  textColumn('kind', titles.kind, ({ shared }) => (shared ? accountWords.shared : accountWords.personal)),
  timeColumn('created', titles.created, ({ created_at: at }) => at),
];

export const AccountsPage = () => {
  const { order, request } = useListOrder({ name: 'NAME', email: 'EMAIL', created: 'CREATED_AT' });
  const source = usePagedList('accounts', 'ListAccounts', { ...request, page_size: 100 }, ({ accounts }) => accounts, { keepsPrevious: true });
  return (
    <ListPage
      name="accounts"
      title={words.pages.accounts}
      columns={accountColumns}
      idOf={({ account_id: id }) => id}
      source={source}
      order={order}
      description={<AccountRemovals />}
      empty={accountWords.empty}
      create={{ text: accountWords.create, path: '/accounts/create' }}
    />
  );
};
