import { useSearchParams } from 'react-router';
import { useAdminQuery, type RequestOf } from '../../api/admin-api.tsx';
import { usePagedList } from '../../api/use-list.ts';
import type { PageDefinition } from '../../page/page-definition.ts';
import { stateColumn, textColumn, timeColumn, type Column } from '../../parts/lists/columns.tsx';
import { ListFilter } from '../../parts/lists/list-filter.tsx';
import { ListPage } from '../../parts/lists/list-page.tsx';
import { ObjectLink } from '../../parts/text/link.tsx';
import { auditWords } from '../../words/pages/operations.ts';
import { words } from '../../words/words.ts';
import { actorName, AuditEntry, entityName, type AuditLog } from './audit-entry.tsx';

export const page: PageDefinition = {
  path: '/audit',
  title: words.pages.audit,
  navigation: { group: 'operations', position: 5 },
  methods: { audit: ['ListAuditLogs', 'ListActors', 'ListOperations'] },
};

type ActorType = RequestOf<'audit', 'ListActors'>['actor_type'];

const actorTypes: readonly ActorType[] = ['USER', 'SERVICE', 'SYSTEM', 'VENDOR'];
const isActorType = (value: string | null): value is ActorType => actorTypes.some((type) => type === value);

const columns: readonly Column<AuditLog>[] = [
  timeColumn('time', auditWords.columns.time, ({ timestamp }) => timestamp),
  textColumn('action', auditWords.columns.action, ({ action }) => action),
  {
    id: 'entity',
    header: auditWords.columns.entity,
    cell: ({ entity_name: name, entity_id: id }) => id && <ObjectLink id={id} name={entityName(name)} />,
    text: ({ entity_name: name, entity_id: id }) => `${entityName(name)} ${id}`,
    maxWidth: 300,
  },
  stateColumn('outcome', auditWords.columns.outcome, 'outcome', ({ status }) => status),
  textColumn('address', auditWords.address, ({ actor }) => actor.ip_address ?? '', { isVisible: false }),
  textColumn('actor', auditWords.columns.actor, ({ actor }) => actorName(actor)),
];

/** Every operation, after one entry for all operations of its service. The API filters by a prefix. */
const operationOptions = (operations: readonly string[]) => {
  const services = [...new Set(operations.map((name) => name.slice(0, name.indexOf('/') + 1)))];
  return services.flatMap((service) => [
    { value: service, label: auditWords.anyOf(service.slice(0, -1)) },
    ...operations.filter((name) => name.startsWith(service)).map((name) => ({ value: name, label: name })),
  ]);
};

/** Every change that an admin made, newest first. The filters are in the URL, so that a view can be shared. */
export const AuditPage = () => {
  const [search, setSearch] = useSearchParams();
  const operation = search.get('operation') ?? '';
  const actorId = search.get('actor') ?? '';
  const typeText = search.get('actor_type');
  const actorType = isActorType(typeText) ? typeText : undefined;
  const operations = useAdminQuery('audit', 'ListOperations', {});
  const actors = useAdminQuery('audit', 'ListActors', { actor_type: actorType ?? 'USER' }, { enabled: actorType !== undefined });
  const source = usePagedList(
    'audit',
    'ListAuditLogs',
    { ...(operation && { operation }), ...(actorType && { actor: { actor_type: actorType, ...(actorId && { actor_id: actorId }) } }) },
    ({ audit_logs: logs }) => logs,
  );
  const set = (changes: Record<string, string>): void => {
    const next = Object.entries({ operation, actor_type: actorType ?? '', actor: actorId, ...changes }).filter(([, value]) => value !== '');
    setSearch(Object.fromEntries(next), { replace: true });
  };
  const filters = (
    <>
      <ListFilter
        all={auditWords.all}
        label={auditWords.operation}
        value={operation}
        onChange={(value) => set({ operation: value })}
        options={operationOptions(operations.data?.operations ?? [])}
      />
      <ListFilter
        all={auditWords.all}
        label={auditWords.actorType}
        value={actorType ?? ''}
        onChange={(value) => set({ actor_type: value, actor: '' })}
        options={actorTypes.map((type) => ({ value: type, label: auditWords.actorTypes[type] }))}
      />
      {actorType && (
        <ListFilter
          all={auditWords.all}
          label={auditWords.actor}
          value={actorId}
          onChange={(value) => set({ actor: value })}
          options={(actors.data?.actors ?? []).map((actor) => ({ value: actor.actor_id, label: actorName(actor) }))}
        />
      )}
    </>
  );
  return (
    <ListPage
      name="audit"
      title={words.pages.audit}
      columns={columns}
      idOf={({ audit_id: id }) => id}
      source={source}
      empty={auditWords.empty}
      filters={filters}
      details={{ title: ({ action }) => action, content: (entry) => <AuditEntry entry={entry} /> }}
    />
  );
};
