import type { ResponseOf } from '../../api/admin-api.tsx';
import { usePagedList } from '../../api/use-list.ts';
import type { PageDefinition } from '../../page/page-definition.ts';
import { copyColumn, linkColumn, textColumn, timeColumn, type Column } from '../../parts/lists/columns.tsx';
import { useListOrder } from '../../parts/lists/list-order.ts';
import { ListPage } from '../../parts/lists/list-page.tsx';
import { Time } from '../../parts/text/time.tsx';
import { accountWords } from '../../words/pages/accounts.ts';
import { userWords } from '../../words/pages/users.ts';
import { words } from '../../words/words.ts';
import { AccountRemovals } from './account-removals.tsx';
import { messagesText, octetsText, StorageUse } from './account-use.tsx';

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

const { notKnown } = accountWords;

const lastUseText = ({ use }: Account): string => use?.last_used_at ?? (use?.never_used ? userWords.never : notKnown);

const useColumns: readonly Column<Account>[] = [
  textColumn('owner', titles.owner, ({ use }) => use?.owners.join(', ') || notKnown),
  textColumn('members', accountWords.members, ({ use }) => use?.members.toLocaleString() ?? notKnown),
  {
    id: 'storage',
    header: accountWords.storage,
    cell: ({ use }) => (use?.storage ? <StorageUse storage={use.storage} /> : notKnown),
    text: ({ use }) => (use?.storage ? octetsText(use.storage) : notKnown),
  },
  textColumn('messages', accountWords.messages, ({ use }) => (use?.storage ? messagesText(use.storage) : notKnown), { isVisible: false }),
  {
    id: 'lastUse',
    header: titles.lastUse,
    cell: (account) => (account.use?.last_used_at === undefined ? lastUseText(account) : <Time at={account.use.last_used_at} />),
    text: lastUseText,
  },
];

export const AccountsPage = () => {
  const { order, request } = useListOrder({ name: 'NAME', email: 'EMAIL', created: 'CREATED_AT' });
  const source = usePagedList('accounts', 'ListAccounts', { ...request, page_size: 50, include_use: true }, ({ accounts }) => accounts, {
    keepsPrevious: true,
  });
  return (
    <ListPage
      name="accounts"
      title={words.pages.accounts}
      columns={[...accountColumns, ...useColumns]}
      idOf={({ account_id: id }) => id}
      source={source}
      order={order}
      description={<AccountRemovals />}
      empty={accountWords.empty}
      create={{ text: accountWords.create, path: '/accounts/create' }}
    />
  );
};
