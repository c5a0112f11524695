import { ExpandableSection, SpaceBetween } from '@cloudscape-design/components';
import { useState } from 'react';
import { useAdminQuery, type ResponseOf } from '../../api/admin-api.tsx';
import { listSource } from '../../api/use-list.ts';
import { textColumn, type Column } from '../../parts/lists/columns.tsx';
import { List } from '../../parts/lists/list-page.tsx';
import { chartWords, monitoringWords } from '../../words/pages/monitoring.ts';

type Overview = ResponseOf<'monitoring', 'GetOverview'>;
type Api = Overview['api_gateways'][number];
type Lambda = Overview['functions'][number];
type Queue = Overview['queues'][number];

const figure = <Item,>(id: string, header: string, value: (item: Item) => number, format: (value: number) => string = chartWords.count): Column<Item> => ({
  id,
  header,
  cell: (item) => format(value(item)),
  text: (item) => String(value(item)),
});

const nameOf = ({ name }: { readonly name: string }): string => name;
const nameColumn = textColumn('name', monitoringWords.name, nameOf);

const apiColumns: readonly Column<Api>[] = [
  nameColumn,
  figure('requests', monitoringWords.requests, (api) => api.request_count),
  figure('errors', monitoringWords.failures, (api) => api.error_5xx),
  figure('latency', monitoringWords.latency, (api) => api.latency_p95_ms, chartWords.milliseconds),
];
const lambdaColumns: readonly Column<Lambda>[] = [
  nameColumn,
  figure('invocations', monitoringWords.invocations, ({ invocations }) => invocations),
  figure('errors', monitoringWords.functionErrors, ({ errors }) => errors),
  figure('throttles', monitoringWords.throttles, ({ throttles }) => throttles),
  figure('duration', monitoringWords.duration, (lambda) => lambda.duration_p95_ms, chartWords.milliseconds),
];
const queueColumns: readonly Column<Queue>[] = [
  nameColumn,
  figure('waiting', monitoringWords.waiting, (queue) => queue.approx_messages_visible),
  figure('delayed', monitoringWords.delayed, (queue) => queue.approx_messages_delayed ?? 0),
  figure('oldest', monitoringWords.oldest, (queue) => queue.approx_age_oldest_seconds, monitoringWords.age),
];

const common = { variant: 'part', idOf: nameOf, empty: monitoringWords.noData } as const;

/** Number of periods in the lookback. The latency shown is that of the slowest period. */
const periods = 60;

const Lists = ({ lookback }: { readonly lookback: number }) => {
  const overview = useAdminQuery('monitoring', 'GetOverview', { lookback_minutes: lookback, period_seconds: Math.max(60, (lookback * 60) / periods) });
  return (
    <SpaceBetween size="l">
      <List {...common} name="queues" title={monitoringWords.queues} columns={queueColumns} source={listSource(overview, ({ queues }) => queues)} />
      <List {...common} name="apis" title={monitoringWords.apis} columns={apiColumns} source={listSource(overview, ({ api_gateways: apis }) => apis)} />
      <List
        {...common}
        name="functions"
        title={monitoringWords.functions}
        columns={lambdaColumns}
        source={listSource(overview, ({ functions }) => functions)}
      />
    </SpaceBetween>
  );
};

/**
 * Figures of each queue, API and Lambda. They are read only when the section is opened, because CloudWatch bills about
 * 200 metrics for them.
 */
export const ResourceLists = ({ lookback }: { readonly lookback: number }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <ExpandableSection
      headerText={monitoringWords.details}
      headerDescription={monitoringWords.detailsOfDay}
      variant="stacked"
      expanded={isOpen}
      onChange={({ detail }) => setOpen(detail.expanded)}
    >
      {isOpen && <Lists lookback={lookback} />}
    </ExpandableSection>
  );
};
