import { usePagedList } from '../../api/use-list.ts';
import type { PageDefinition } from '../../page/page-definition.ts';
import { ListPage, type Column } from '../../parts/lists/list-page.tsx';
import { StateLabel } from '../../parts/lists/state-label.tsx';
import { Time } from '../../parts/text/time.tsx';
import { suppressionWords } from '../../words/pages/sending.ts';
import { stateWords } from '../../words/states.ts';
import { words } from '../../words/words.ts';
import { RecipientLookUp, SuppressionDetails } from './suppression-details.tsx';
import { complaintsOf, lastOccurrence, levelOf, reasonOf, type Suppression } from './suppression-state.ts';

export const page: PageDefinition = {
  path: '/suppression', title: words.pages.suppression, navigation: { group: 'sending', position: 2 },
  methods: { suppression: ['ListSuppressions', 'GetSuppression', 'ClearBounceSuppression', 'ClearComplaintSuppression'] },
};

const complaintCount = (suppression: Suppression): number => complaintsOf(suppression).reduce((sum, { count }) => sum + count, 0);

const { columns: titles } = suppressionWords;

const levelLabel = (suppression: Suppression): string => stateWords('suppression', levelOf(suppression))?.label ?? levelOf(suppression);

const columns: readonly Column<Suppression>[] = [
  { id: 'recipient', header: titles.recipient, cell: ({ recipient }) => recipient, text: ({ recipient }) => recipient },
  { id: 'level', header: titles.level, cell: (one) => <StateLabel kind="suppression" state={levelOf(one)} />, text: levelLabel },
  { id: 'reason', header: titles.reason, cell: reasonOf, text: reasonOf, maxWidth: 300 },
  {
    id: 'until', header: titles.until, text: ({ bounce }) => bounce.reenable_after ?? '',
    cell: (one) => (levelOf(one) === 'SOFT' && one.bounce.reenable_after ? <Time at={one.bounce.reenable_after} /> : suppressionWords.until[levelOf(one)]),
  },
  {
    id: 'last', header: titles.last, text: (one) => lastOccurrence(one) ?? '',
    cell: (one) => { const at = lastOccurrence(one); return at && <Time at={at} />; },
  },
  {
    id: 'bounces', header: titles.bounce, cell: ({ bounce }) => bounce.count.toLocaleString(), text: ({ bounce }) => String(bounce.count), isVisible: false,
  },
  {
    id: 'complaints', header: titles.complaint, cell: (one) => complaintCount(one).toLocaleString(), text: (one) => String(complaintCount(one)), isVisible: false,
  },
];

/** Recipients to whom mail bounced, or who complained. */
export const SuppressionPage = () => {
  const source = usePagedList('suppression', 'ListSuppressions', {}, ({ suppressions }) => suppressions);
  return (
    <ListPage
      name="suppression" title={words.pages.suppression} columns={columns} idOf={({ recipient }) => recipient} source={source}
      empty={suppressionWords.empty}
      details={{
        title: ({ recipient }) => recipient, content: (suppression) => <SuppressionDetails suppression={suppression} />,
        missing: (recipient) => <RecipientLookUp recipient={recipient} />, lookUp: suppressionWords.find,
      }}
    />
  );
};
