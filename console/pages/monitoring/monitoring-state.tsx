import { Container, Header, KeyValuePairs, StatusIndicator } from '@cloudscape-design/components';
import { metricTotal, newestOf, newestTotal, seriesOf, type SeriesResponse } from '../../parts/charts/metric-series.ts';
import { BlockSkeleton } from '../../parts/view/loading.tsx';
import { monitoringWords } from '../../words/pages/monitoring.ts';
import { words } from '../../words/words.ts';

const { charts, state } = monitoringWords;

/** The age of the oldest message of all queues; 0 when no queue has one. */
const oldest = (data: SeriesResponse): number => Math.max(0, ...seriesOf(data, 'QUEUE_AGE').map((series) => newestOf(series) ?? 0));

/** A figure that should be zero. An undefined value is unknown. */
const Figure = ({
  value,
  look,
  format = state.count,
}: {
  readonly value: number | undefined;
  readonly look: 'error' | 'warning' | 'in-progress';
  readonly format?: (value: number) => string;
}) => {
  if (value === undefined) return words.details.none;
  return <StatusIndicator type={value === 0 ? 'success' : look}>{value === 0 ? state.none : format(value)}</StatusIndicator>;
};

const figures = (data: SeriesResponse) => {
  const waiting = newestTotal(data, 'QUEUE_WAITING');
  return [
    { label: state.waiting, value: <Figure value={waiting} look="in-progress" /> },
    { label: charts.age, value: <Figure value={waiting && oldest(data)} look="in-progress" format={monitoringWords.age} /> },
    { label: charts.dead, value: <Figure value={newestTotal(data, 'DEAD_LETTERS')} look="error" /> },
    { label: charts.functionErrors, value: <Figure value={metricTotal(data, 'FUNCTION_ERRORS')} look="error" /> },
    { label: charts.apiErrors, value: <Figure value={metricTotal(data, 'API_ERRORS')} look="error" /> },
    { label: charts.throttled, value: <Figure value={metricTotal(data, 'FUNCTION_THROTTLES')} look="warning" /> },
  ];
};

/** The figures of waiting messages and failures. `data` is undefined until it is read. */
export const MonitoringState = ({ data }: { readonly data: SeriesResponse | undefined }) => (
  <Container header={<Header variant="h2">{state.title}</Header>}>
    {data ? <KeyValuePairs columns={3} items={figures(data)} /> : <BlockSkeleton height="104px" />}
  </Container>
);
