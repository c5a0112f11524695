import type { ResponseOf } from '../../api/admin-api.tsx';
import { usePagedList } from '../../api/use-list.ts';
import type { PageDefinition } from '../../page/page-definition.ts';
import { linkColumn, stateColumn, timeColumn, yesNoColumn, type Column } from '../../parts/lists/columns.tsx';
import { useListOrder } from '../../parts/lists/list-order.ts';
import { ListPage } from '../../parts/lists/list-page.tsx';
import { domainWords } from '../../words/pages/domains.ts';
import { words } from '../../words/words.ts';

export const page: PageDefinition = {
  path: '/domains',
  title: words.pages.domains,
  navigation: { group: 'domains', position: 1 },
  methods: { domains: ['ListDomains'] },
};

type Domain = ResponseOf<'domains', 'ListDomains'>['domains'][number];

const { columns: titles } = domainWords;

const columns: readonly Column<Domain>[] = [
  linkColumn(
    'domain',
    titles.domain,
    ({ domain }) => domain,
    ({ id }) => `/domains/${id}`,
  ),
  stateColumn('state', titles.state, 'domainVerification', ({ verification_status: state }) => state),
  yesNoColumn('send', titles.send, ({ send_enabled: sends }) => sends),
  yesNoColumn('receive', titles.receive, ({ receive_enabled: receives }) => receives),
  timeColumn('created', titles.created, ({ created_at: at }) => at),
];

export const DomainsPage = () => {
  const { order, request } = useListOrder({ domain: 'DOMAIN', created: 'CREATED_AT' });
  const source = usePagedList('domains', 'ListDomains', { ...request, page_size: 100 }, ({ domains }) => domains, { keepsPrevious: true });
  return (
    <ListPage
      name="domains"
      title={words.pages.domains}
      columns={columns}
      idOf={({ id }) => id}
      source={source}
      order={order}
      empty={domainWords.empty}
      create={{ text: domainWords.add, path: '/domains/add' }}
    />
  );
};
