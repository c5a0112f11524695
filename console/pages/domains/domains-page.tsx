import Button from '@cloudscape-design/components/button';
import { useNavigate } from 'react-router';
import type { ResponseOf } from '../../api/admin-api.tsx';
import { usePagedList } from '../../api/use-list.ts';
import type { PageDefinition } from '../../page/page-definition.ts';
import { PageLink } from '../../parts/text/link.tsx';
import { ListPage, type Column } from '../../parts/lists/list-page.tsx';
import { stateColumn } from '../../parts/lists/state-label.tsx';
import { Time } from '../../parts/text/time.tsx';
import { YesNo } from '../../parts/text/yes-no.tsx';
import { domainWords } from '../../words/pages/domains.ts';
import { words } from '../../words/words.ts';

export const page: PageDefinition = {
  path: '/domains', title: words.pages.domains, navigation: { group: 'domains', position: 1 },
  methods: { domains: ['ListDomains'] },
};

type Domain = ResponseOf<'domains', 'ListDomains'>['domains'][number];

const { columns: titles } = domainWords;

const columns: readonly Column<Domain>[] = [
  { id: 'domain', header: titles.domain, cell: ({ domain, id }) => <PageLink to={`/domains/${id}`}>{domain}</PageLink>, text: ({ domain }) => domain },
  stateColumn('domainVerification', { id: 'state', header: titles.state, stateOf: ({ verification_status: state }) => state }),
  { id: 'send', header: titles.send, cell: ({ send_enabled: sends }) => <YesNo value={sends} />, text: ({ send_enabled: sends }) => String(sends) },
  {
    id: 'receive', header: titles.receive, cell: ({ receive_enabled: receives }) => <YesNo value={receives} />,
    text: ({ receive_enabled: receives }) => String(receives),
  },
  { id: 'created', header: titles.created, cell: ({ created_at: at }) => <Time at={at} />, text: ({ created_at: at }) => at },
];

export const DomainsPage = () => {
  const navigate = useNavigate();
  const source = usePagedList('domains', 'ListDomains', {}, ({ domains }) => domains);
  const add = <Button variant="primary" onClick={() => void navigate('/domains/add')}>{domainWords.add}</Button>;
  return (
    <ListPage
      name="domains" title={words.pages.domains} columns={columns} idOf={({ id }) => id} source={source} actions={add}
      sortedBy="domain" empty={{ ...domainWords.empty, action: add }}
    />
  );
};
