import { useAdminQuery } from '../../api/admin-api.tsx';
import { listSource } from '../../api/use-list.ts';
import type { PageDefinition } from '../../page/page-definition.ts';
import { linkColumn, stateColumn, textColumn, timeColumn, type Column } from '../../parts/lists/columns.tsx';
import { ListPage } from '../../parts/lists/list-page.tsx';
import { Time } from '../../parts/text/time.tsx';
import { supportWords } from '../../words/pages/operations.ts';
import { words } from '../../words/words.ts';
import { Countdown } from './countdown.tsx';
import { caseState, tierNames, type SupportCase } from './support-state.ts';

export const page: PageDefinition = {
  path: '/support',
  title: words.pages.support,
  navigation: { group: 'operations', position: 4 },
  methods: { support: ['ListSupportCases'] },
};

const { columns: titles } = supportWords;

const columns: readonly Column<SupportCase>[] = [
  linkColumn(
    'subject',
    titles.subject,
    ({ subject }) => subject,
    ({ case_id: id }) => `/support/${id}`,
  ),
  stateColumn('status', titles.status, 'supportCase', (one) => caseState(one, Date.now())),
  textColumn('tiers', titles.tiers, tierNames),
  {
    id: 'until',
    header: titles.until,
    text: ({ active_until: at }) => at,
    cell: ({ active_until: at, status }) => (
      <>
        <Time at={at} />
        {status !== 'closed' && (
          <>
            {' '}
            · <Countdown until={at} />
          </>
        )}
      </>
    ),
  },
  textColumn('by', titles.by, ({ opened_by: by }) => by, { isVisible: false }),
  timeColumn('opened', titles.opened, ({ opened_at: at }) => at),
];

export const SupportPage = () => {
  const cases = useAdminQuery('support', 'ListSupportCases', {});
  return (
    <ListPage
      name="support"
      title={words.pages.support}
      columns={columns}
      idOf={({ case_id: id }) => id}
      source={listSource(cases, (response) => response.cases)}
      empty={supportWords.empty}
      create={{ text: supportWords.open, path: '/support/open' }}
    />
  );
};
