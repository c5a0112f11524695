import type { ResponseOf } from '../../api/admin-api.tsx';
import { usePagedList } from '../../api/use-list.ts';
import type { PageDefinition } from '../../page/page-definition.ts';
import { copyColumn, linkColumn, textColumn, timeColumn, type Column } from '../../parts/lists/columns.tsx';
import { useListOrder } from '../../parts/lists/list-order.ts';
import { ListPage } from '../../parts/lists/list-page.tsx';
import { fieldWords } from '../../words/fields.ts';
import { groupWords } from '../../words/pages/groups.ts';
import { words } from '../../words/words.ts';

export const page: PageDefinition = {
  path: '/groups',
  title: words.pages.groups,
  navigation: { group: 'people', position: 4 },
  methods: { aliases: ['ListGroups'] },
};

export type Group = ResponseOf<'aliases', 'ListGroups'>['groups'][number];

const { columns: titles } = groupWords;

/** The columns of groups, wherever groups are listed. */
export const groupColumns: readonly Column<Group>[] = [
  linkColumn(
    'name',
    titles.name,
    ({ name }) => name,
    ({ group_id: id }) => `/groups/${id}`,
  ),
  copyColumn('email', titles.email, ({ email }) => email),
  textColumn('writers', fieldWords.of('writers').label, ({ writers }) => fieldWords.values[writers] ?? writers),
  textColumn('members', titles.members, ({ member_count: count }) => count.toLocaleString()),
  timeColumn('created', titles.created, ({ created_at: at }) => at),
];

export const GroupsPage = () => {
  const { order, request } = useListOrder({ email: 'EMAIL', name: 'NAME', created: 'CREATED_AT' });
  const source = usePagedList('aliases', 'ListGroups', { ...request, page_size: 100 }, ({ groups }) => groups, { keepsPrevious: true });
  return (
    <ListPage
      name="groups"
      title={words.pages.groups}
      columns={groupColumns}
      idOf={({ group_id: id }) => id}
      source={source}
      order={order}
      empty={groupWords.empty}
      create={{ text: groupWords.create, path: '/groups/create' }}
    />
  );
};
