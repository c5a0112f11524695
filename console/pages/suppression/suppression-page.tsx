import { usePagedList } from '../../api/use-list.ts';
import type { PageDefinition } from '../../page/page-definition.ts';
import { stateColumn, textColumn, timeColumn, type Column } from '../../parts/lists/columns.tsx';
import { ListPage } from '../../parts/lists/list-page.tsx';
import { Time } from '../../parts/text/time.tsx';
import { suppressionWords } from '../../words/pages/sending.ts';
import { words } from '../../words/words.ts';
import { RecipientLookUp, SuppressionDetails } from './suppression-details.tsx';
import { complaintsOf, lastOccurrence, levelOf, reasonOf, type Suppression } from './suppression-state.ts';

export const page: PageDefinition = {
  path: '/suppression',
  title: words.pages.suppression,
  navigation: { group: 'sending', position: 2 },
  methods: { suppression: ['ListSuppressions', 'GetSuppression', 'ClearBounceSuppression', 'ClearComplaintSuppression'] },
};

const complaintCount = (suppression: Suppression): number => complaintsOf(suppression).reduce((sum, { count }) => sum + count, 0);

const { columns: titles } = suppressionWords;

const columns: readonly Column<Suppression>[] = [
  textColumn('recipient', titles.recipient, ({ recipient }) => recipient),
  stateColumn('level', titles.level, 'suppression', levelOf),
  textColumn('reason', titles.reason, reasonOf, { maxWidth: 300 }),
  {
    id: 'until',
    header: titles.until,
    text: ({ bounce }) => bounce.reenable_after ?? '',
    cell: (one) => (levelOf(one) === 'SOFT' && one.bounce.reenable_after ? <Time at={one.bounce.reenable_after} /> : suppressionWords.until[levelOf(one)]),
  },
  timeColumn('last', titles.last, (one) => lastOccurrence(one) ?? ''),
  textColumn('bounces', titles.bounce, ({ bounce }) => bounce.count.toLocaleString(), { isVisible: false }),
  textColumn('complaints', titles.complaint, (one) => complaintCount(one).toLocaleString(), { isVisible: false }),
];

export const SuppressionPage = () => {
  const source = usePagedList('suppression', 'ListSuppressions', {}, ({ suppressions }) => suppressions);
  return (
    <ListPage
      name="suppression"
      title={words.pages.suppression}
      columns={columns}
      idOf={({ recipient }) => recipient}
      source={source}
      empty={suppressionWords.empty}
      details={{
        title: ({ recipient }) => recipient,
        content: (suppression) => <SuppressionDetails suppression={suppression} />,
        missing: (recipient) => <RecipientLookUp recipient={recipient} />,
        lookUp: suppressionWords.find,
      }}
    />
  );
};
