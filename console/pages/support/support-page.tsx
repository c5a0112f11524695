import Button from '@cloudscape-design/components/button';
import { useNavigate } from 'react-router';
import { useAdminQuery } from '../../api/admin-api.tsx';
import { listSource } from '../../api/use-list.ts';
import type { PageDefinition } from '../../page/page-definition.ts';
import { PageLink } from '../../parts/text/link.tsx';
import { ListPage, type Column } from '../../parts/lists/list-page.tsx';
import { stateColumn } from '../../parts/lists/state-label.tsx';
import { Time } from '../../parts/text/time.tsx';
import { supportWords } from '../../words/pages/operations.ts';
import { words } from '../../words/words.ts';
import { Countdown } from './countdown.tsx';
import { caseState, tierNames, type SupportCase } from './support-state.ts';

export const page: PageDefinition = {
  path: '/support', title: words.pages.support, navigation: { group: 'operations', position: 3 },
  methods: { support: ['ListSupportCases'] },
};

const { columns: titles } = supportWords;

const columns: readonly Column<SupportCase>[] = [
  {
    id: 'subject', header: titles.subject, cell: ({ case_id: id, subject }) => <PageLink to={`/support/${id}`}>{subject}</PageLink>,
    text: ({ subject }) => subject,
  },
  stateColumn('supportCase', { id: 'status', header: titles.status, stateOf: (one) => caseState(one, Date.now()) }),
  { id: 'tiers', header: titles.tiers, cell: tierNames, text: tierNames },
  {
    id: 'until', header: titles.until, text: ({ active_until: at }) => at,
    cell: ({ active_until: at, status }) => (status === 'closed' ? <Time at={at} /> : <><Time at={at} /> · <Countdown until={at} /></>),
  },
  { id: 'by', header: titles.by, cell: ({ opened_by: by }) => by, text: ({ opened_by: by }) => by, isVisible: false },
  { id: 'opened', header: titles.opened, cell: ({ opened_at: at }) => <Time at={at} />, text: ({ opened_at: at }) => at },
];

export const SupportPage = () => {
  const navigate = useNavigate();
  const cases = useAdminQuery('support', 'ListSupportCases', {});
  const open = <Button variant="primary" onClick={() => void navigate('/support/open')}>{supportWords.open}</Button>;
  return (
    <ListPage
      name="support" title={words.pages.support} columns={columns} idOf={({ case_id: id }) => id} source={listSource(cases, (response) => response.cases)}
      empty={{ ...supportWords.empty, action: open }} actions={open}
    />
  );
};
