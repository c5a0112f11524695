import Button from '@cloudscape-design/components/button';
import { useNavigate } from 'react-router';
import type { ResponseOf } from '../../api/admin-api.tsx';
import { usePagedList } from '../../api/use-list.ts';
import type { PageDefinition } from '../../page/page-definition.ts';
import { Copyable } from '../../parts/text/copyable.tsx';
import { PageLink } from '../../parts/text/link.tsx';
import { ListPage, type Column } from '../../parts/lists/list-page.tsx';
import { Time } from '../../parts/text/time.tsx';
import { accountWords } from '../../words/pages/accounts.ts';
import { words } from '../../words/words.ts';
import { AccountRemovals } from './account-removals.tsx';

export const page: PageDefinition = {
  path: '/accounts', title: words.pages.accounts, navigation: { group: 'people', position: 2 },
  methods: { accounts: ['ListAccounts', 'ListAccountRemovals'] },
};

type Account = ResponseOf<'accounts', 'ListAccounts'>['accounts'][number];

const { columns: titles } = accountWords;

/** The columns of accounts, wherever accounts are listed. */
export const accountColumns: readonly Column<Account>[] = [
  { id: 'name', header: titles.name, cell: ({ account_id: id, name }) => <PageLink to={`/accounts/${id}`}>{name}</PageLink>, text: ({ name }) => name },
  { id: 'email', header: titles.email, cell: ({ email }) => <Copyable value={email} name={titles.email} />, text: ({ email }) => email },
  {
    id: 'kind', header: titles.kind, cell: ({ shared }) => (shared ? accountWords.shared : accountWords.personal),
    text: ({ shared }) => (shared ? accountWords.shared : accountWords.personal),
  },
  { id: 'created', header: titles.created, cell: ({ created_at: at }) => <Time at={at} />, text: ({ created_at: at }) => at },
];

export const AccountsPage = () => {
  const navigate = useNavigate();
  const source = usePagedList('accounts', 'ListAccounts', {}, ({ accounts }) => accounts);
  const create = <Button variant="primary" onClick={() => void navigate('/accounts/create')}>{accountWords.create}</Button>;
  return (
    <ListPage
      name="accounts" title={words.pages.accounts} columns={accountColumns} idOf={({ account_id: id }) => id} source={source} actions={create}
      sortedBy="name" description={<AccountRemovals />} empty={{ ...accountWords.empty, action: create }}
    />
  );
};
