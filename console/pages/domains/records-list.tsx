import { Box, Button } from '@cloudscape-design/components';
import { useState } from 'react';
import { useAdminMutation, type RequestOf } from '../../api/admin-api.tsx';
import { Confirm } from '../../parts/forms/confirm.tsx';
import { actionsColumn, stateColumn, textColumn, type Column } from '../../parts/lists/columns.tsx';
import { List } from '../../parts/lists/list-page.tsx';
import { Copyable } from '../../parts/text/values.tsx';
import { useNotifications } from '../../parts/view/notifications.tsx';
import { domainWords } from '../../words/pages/domains.ts';
import { recordPlan, recordsOf, recordState, zoneFile, type Domain, type NeededRecord } from './domain-records.ts';
import type { DomainQuery } from './domain-status.tsx';

const { records: texts } = domainWords;
type DeletableType = RequestOf<'domains', 'DeleteDomainRecord'>['record_type'];

/** The column with the result of applying each record. */
const planColumn = (domain: Domain): Column<NeededRecord> => ({
  id: 'plan',
  header: texts.plan,
  text: (record) => texts.plans[recordPlan(record, domain)],
  cell: (record) => {
    const plan = recordPlan(record, domain);
    return plan === 'conflict' ? <Box color="text-status-error">{texts.plans[plan]}</Box> : texts.plans[plan];
  },
});

const removeColumn = (remove: (record: NeededRecord) => void) =>
  actionsColumn<NeededRecord>(
    '',
    (record) =>
      record.exists && record.record_type !== 'A'
        ? [{ needs: ['domains', 'DeleteDomainRecord'], text: texts.remove, label: `${texts.remove}: ${record.name}`, onClick: () => remove(record) }]
        : [],
    { isVisible: false },
  );

const purposeOf = ({ group, requirement }: NeededRecord): string => `${group}, ${texts[requirement]}`;

/** The value to publish. If DNS has another value, both are shown, with a note for the owner. */
const RecordValue = ({ record }: { readonly record: NeededRecord }) => {
  const value = <Copyable value={record.value} name={texts.value} />;
  if (recordState(record) !== 'different') return <div>{value}</div>;
  return (
    <>
      {record.found_values.map((found) => (
        <div key={found}>
          <b>{texts.found}</b> {found}
        </div>
      ))}
      {record.problem && <Box color="text-status-error">{record.problem}</Box>}
      {!record.found_values.includes(record.value) && (
        <div>
          <b>{texts.publish}</b> {value}
        </div>
      )}
    </>
  );
};

const columns: readonly Column<NeededRecord>[] = [
  stateColumn('state', texts.state, 'dnsRecord', recordState),
  {
    id: 'record',
    header: texts.record,
    text: (record) => `${record.name} ${record.value} ${record.found_values.join(' ')} ${purposeOf(record)}`,
    cell: (record) => (
      <div className="dns-record">
        <Box color="text-body-secondary" fontSize="body-s">
          <b>{record.record_type}</b> {purposeOf(record)}
        </Box>
        <div>
          <Copyable value={record.name} name={texts.name} />
        </div>
        <RecordValue record={record} />
      </div>
    ),
  },
  textColumn('type', texts.type, ({ record_type: type }) => type, { isVisible: false }),
  textColumn('ttl', texts.ttl, ({ ttl }) => String(ttl), { isVisible: false }),
];

/** Saves a text as a file, as a download. */
const download = (name: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
};

/** The DNS records that a domain needs, with the current values in DNS. */
export const RecordsList = ({
  query,
  canRemove = false,
  hasPlan = false,
}: {
  readonly query: DomainQuery;
  readonly canRemove?: boolean;
  /** Whether the list shows the result of applying the records. */
  readonly hasPlan?: boolean;
}) => {
  const [removed, setRemoved] = useState<NeededRecord>();
  const { notify } = useNotifications();
  const remove = useAdminMutation('domains', 'DeleteDomainRecord');
  const domain = query.data?.domain;
  const save = (): void => {
    if (domain) download(`${domain.domain}.zone`, zoneFile(recordsOf(domain)));
  };
  return (
    <>
      <List
        name="dns-records"
        variant="part"
        title={texts.title}
        empty={texts.empty}
        idOf={({ name, record_type: type, value }) => `${name} ${type} ${value}`}
        columns={[columns[0]!, ...(hasPlan && domain ? [planColumn(domain)] : []), ...columns.slice(1), ...(canRemove ? [removeColumn(setRemoved)] : [])]}
        // The list is read again every few seconds: only the first time shows.
        source={{ items: domain && recordsOf(domain), error: query.error, isReading: query.isLoading, refresh: () => void query.refetch() }}
        actions={
          <Button iconName="download" onClick={save}>
            {texts.download}
          </Button>
        }
      />
      {removed && domain && (
        <Confirm
          title={texts.remove}
          consequences={texts.removeText}
          name={removed.name}
          actionText={texts.remove}
          onClose={() => setRemoved(undefined)}
          onConfirm={async () => {
            // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the button is shown for these types only, and the API refuses others
            const type = removed.record_type as DeletableType;
            const { deleted } = await remove.mutateAsync({ id: domain.id, record_name: removed.name, record_type: type });
            notify({ type: deleted ? 'success' : 'info', title: deleted ? texts.removed : texts.absent });
          }}
        />
      )}
    </>
  );
};
