import Button from '@cloudscape-design/components/button';
import { useNavigate } from 'react-router';
import type { ResponseOf } from '../../api/admin-api.tsx';
import { usePagedList } from '../../api/use-list.ts';
import type { PageDefinition } from '../../page/page-definition.ts';
import { PageLink } from '../../parts/text/link.tsx';
import { ListPage, type Column } from '../../parts/lists/list-page.tsx';
import { stateColumn } from '../../parts/lists/state-label.tsx';
import { Time } from '../../parts/text/time.tsx';
import { changeRequestWords } from '../../words/pages/operations.ts';
import { words } from '../../words/words.ts';

export const page: PageDefinition = {
  path: '/change-requests', title: words.pages.changeRequests, navigation: { group: 'operations', position: 2 },
  methods: { 'change-requests': ['ListChangeRequests'] },
};

export type ChangeRequest = ResponseOf<'change-requests', 'ListChangeRequests'>['requests'][number];

const { columns: titles } = changeRequestWords;

const columns: readonly Column<ChangeRequest>[] = [
  {
    id: 'type', header: titles.type, text: ({ type }) => changeRequestWords.types[type],
    cell: ({ request_id: id, type }) => <PageLink to={`/change-requests/${id}`}>{changeRequestWords.types[type]}</PageLink>,
  },
  stateColumn('changeRequest', { id: 'status', header: titles.status, stateOf: ({ status }) => status }),
  { id: 'summary', header: titles.summary, cell: ({ summary }) => summary ?? words.details.none, text: ({ summary }) => summary ?? '' },
  { id: 'created', header: titles.created, cell: ({ created_at: at }) => <Time at={at} />, text: ({ created_at: at }) => at },
  { id: 'updated', header: titles.updated, cell: ({ updated_at: at }) => <Time at={at} />, text: ({ updated_at: at }) => at },
];

export const ChangeRequestsPage = () => {
  const navigate = useNavigate();
  const source = usePagedList('change-requests', 'ListChangeRequests', {}, ({ requests }) => requests);
  const create = <Button variant="primary" onClick={() => void navigate('/change-requests/create')}>{changeRequestWords.create}</Button>;
  return (
    <ListPage
      name="change-requests" title={words.pages.changeRequests} columns={columns} idOf={({ request_id: id }) => id} source={source}
      empty={{ ...changeRequestWords.empty, action: create }} actions={create}
    />
  );
};
