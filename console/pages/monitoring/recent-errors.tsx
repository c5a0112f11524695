import { Box, Container, Header, Select } from '@cloudscape-design/components';
import { useState } from 'react';
import { maxRecentErrors } from '../../../contract/admin/monitoring.ts';
import { useAdminQuery, type ResponseOf } from '../../api/admin-api.tsx';
import { listSource } from '../../api/use-list.ts';
import { copyColumn, textColumn, timeColumn, type Column } from '../../parts/lists/columns.tsx';
import { List } from '../../parts/lists/list-page.tsx';
import { QueryView } from '../../parts/view/page.tsx';
import { monitoringWords } from '../../words/pages/monitoring.ts';

type Entry = ResponseOf<'monitoring', 'ListRecentErrors'>['entries'][number];

const requestOf = ({ correlation_id: correlation, aws_request_id: request }: Entry): string => correlation ?? request ?? '';
const messageOf = ({ msg, raw }: Entry): string => msg ?? raw;
const idOf = (entry: Entry): string => `${entry.timestamp} ${entry.log_group} ${requestOf(entry)} ${messageOf(entry)}`;

const columns: readonly Column<Entry>[] = [
  timeColumn('time', monitoringWords.time, ({ timestamp }) => timestamp),
  textColumn('group', monitoringWords.group, (entry) => entry.log_group),
  textColumn('message', monitoringWords.message, messageOf),
  copyColumn('request', monitoringWords.request, requestOf),
];

type LogPlace = Pick<Entry, 'log_group' | 'timestamp' | 'aws_request_id'> & { readonly correlation_id?: string | undefined };

/** The log around an error. */
export const LogContext = ({ entry }: { readonly entry: LogPlace }) => {
  const { log_group, timestamp: center_timestamp, correlation_id, aws_request_id } = entry;
  const query = useAdminQuery('monitoring', 'GetLogContext', { log_group, center_timestamp, correlation_id, aws_request_id });
  return (
    <Container
      header={
        <Header variant="h2" description={log_group}>
          {monitoringWords.context}
        </Header>
      }
    >
      <QueryView query={query}>
        {({ lines }) =>
          lines.length === 0 ? (
            <Box>{monitoringWords.noContext}</Box>
          ) : (
            <pre className="log-lines">{lines.map(({ timestamp, message }) => `${timestamp} ${message}`).join('\n')}</pre>
          )
        }
      </QueryView>
    </Container>
  );
};

const LogChoice = ({
  groups,
  chosen,
  onChoose,
}: {
  readonly groups: readonly string[];
  readonly chosen: string | undefined;
  readonly onChoose: (group: string | undefined) => void;
}) => {
  const all = { value: '', label: monitoringWords.allLogs };
  const options = [all, ...groups.map((value) => ({ value, label: value }))];
  return (
    <div className="list-filter">
      <Select
        ariaLabel={monitoringWords.group}
        options={options}
        selectedOption={options.find(({ value }) => value === (chosen ?? '')) ?? all}
        onChange={({ detail }) => onChoose(detail.selectedOption.value || undefined)}
      />
    </div>
  );
};

/** The newest errors of all logs or of one. The details of an error show its context. */
export const RecentErrors = ({ minutes }: { readonly minutes: number }) => {
  const [group, setGroup] = useState<string>();
  const errors = useAdminQuery('monitoring', 'ListRecentErrors', { lookback_minutes: minutes, limit: maxRecentErrors }, { keepsPrevious: true });
  const groups = [...new Set(errors.data?.entries.map(({ log_group: name }) => name))].sort((one, other) => one.localeCompare(other));
  // A log that no longer has errors is no choice, so that its errors would be missed.
  const chosen = groups.find((name) => name === group);
  return (
    <List
      name="recent-errors"
      variant="part"
      title={monitoringWords.errors}
      columns={columns}
      idOf={idOf}
      source={listSource(errors, ({ entries }) => entries.filter(({ log_group: name }) => chosen === undefined || name === chosen))}
      empty={monitoringWords.noErrors}
      details={{ title: (entry) => entry.log_group, content: (entry) => <LogContext entry={entry} /> }}
      {...(groups.length > 1 && { filters: <LogChoice groups={groups} chosen={chosen} onChoose={setGroup} /> })}
    />
  );
};
