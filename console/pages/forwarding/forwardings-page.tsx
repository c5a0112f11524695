import type { ResponseOf } from '../../api/admin-api.tsx';
import { usePagedList } from '../../api/use-list.ts';
import type { PageDefinition } from '../../page/page-definition.ts';
import { linkColumn, timeColumn, yesNoColumn, type Column } from '../../parts/lists/columns.tsx';
import { ListPage } from '../../parts/lists/list-page.tsx';
import { fieldWords } from '../../words/fields.ts';
import { forwardingWords } from '../../words/pages/forwarding.ts';
import { words } from '../../words/words.ts';
import { ForwardAddresses } from './forward-addresses.tsx';

export const page: PageDefinition = {
  path: '/forwarding',
  title: words.pages.forwarding,
  navigation: { group: 'people', position: 5 },
  methods: { aliases: ['ListForwardings'] },
};

type Listed = ResponseOf<'aliases', 'ListForwardings'>;
type ListedForwarding = Listed['forwardings'][number] & { readonly name: string };

const columns: readonly Column<ListedForwarding>[] = [
  linkColumn(
    'account',
    fieldWords.of('account_id').label,
    ({ name }) => name,
    ({ account_id: id }) => `/accounts/${id}`,
  ),
  {
    id: 'addresses',
    header: forwardingWords.addresses,
    text: ({ addresses }) => addresses.map(({ email }) => email).join(' '),
    cell: ({ addresses }) => <ForwardAddresses addresses={addresses} />,
  },
  yesNoColumn('copy', fieldWords.of('keep_copy').label, ({ keep_copy: keepsCopy }) => keepsCopy),
  timeColumn('changed', forwardingWords.changed, ({ updated_at: at = '' }) => at),
];

const named = ({ forwardings, accounts }: Listed): readonly ListedForwarding[] => {
  const names = new Map(accounts.map(({ account_id: id, name }) => [id, name]));
  return forwardings.map((forwarding) => ({ ...forwarding, name: names.get(forwarding.account_id) ?? forwarding.account_id }));
};

/** The accounts that forward their mail. */
export const ForwardingsPage = () => (
  <ListPage
    name="forwarding"
    title={words.pages.forwarding}
    description={forwardingWords.who}
    columns={columns}
    idOf={({ account_id: id }) => id}
    source={usePagedList('aliases', 'ListForwardings', { page_size: 100 }, named)}
    empty={forwardingWords.empty}
  />
);
