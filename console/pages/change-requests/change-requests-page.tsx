import type { ResponseOf } from '../../api/admin-api.tsx';
import { usePagedList } from '../../api/use-list.ts';
import type { PageDefinition } from '../../page/page-definition.ts';
import { linkColumn, stateColumn, textColumn, timeColumn, type Column } from '../../parts/lists/columns.tsx';
import { ListPage } from '../../parts/lists/list-page.tsx';
import { changeRequestWords } from '../../words/pages/operations.ts';
import { words } from '../../words/words.ts';

export const page: PageDefinition = {
  path: '/change-requests',
  title: words.pages.changeRequests,
  navigation: { group: 'operations', position: 3 },
  methods: { 'change-requests': ['ListChangeRequests'] },
};

export type ChangeRequest = ResponseOf<'change-requests', 'ListChangeRequests'>['requests'][number];

const { columns: titles } = changeRequestWords;

const columns: readonly Column<ChangeRequest>[] = [
  linkColumn(
    'type',
    titles.type,
    ({ type }) => changeRequestWords.types[type],
    ({ request_id: id }) => `/change-requests/${id}`,
  ),
  stateColumn('status', titles.status, 'changeRequest', ({ status }) => status),
  textColumn('summary', titles.summary, ({ summary = '' }) => summary),
  timeColumn('created', titles.created, ({ created_at: at }) => at),
  timeColumn('updated', titles.updated, ({ updated_at: at }) => at),
];

export const ChangeRequestsPage = () => {
  const source = usePagedList('change-requests', 'ListChangeRequests', {}, ({ requests }) => requests);
  return (
    <ListPage
      name="change-requests"
      title={words.pages.changeRequests}
      columns={columns}
      idOf={({ request_id: id }) => id}
      source={source}
      empty={changeRequestWords.empty}
      create={{ text: changeRequestWords.create, path: '/change-requests/create' }}
    />
  );
};
