import { ColumnLayout } from '@cloudscape-design/components';
import type { MetricName } from '../../../contract/admin/monitoring.ts';
import { MetricChart } from '../../parts/charts/metric-chart.tsx';
import { chartLine, seriesOf, totalOf, type Series, type SeriesResponse } from '../../parts/charts/metric-series.ts';
import { chartWords, monitoringWords, queueName, resourceWords } from '../../words/pages/monitoring.ts';

/** The metrics of {@link MonitoringCharts} and of the state above them. */
export const monitoringMetrics = [
  'API_REQUESTS',
  'API_ERRORS',
  'API_LATENCY',
  'FUNCTION_ERRORS',
  'FUNCTION_THROTTLES',
  'QUEUE_WAITING',
  'QUEUE_AGE',
  'DEAD_LETTERS',
] as const satisfies readonly MetricName[];

const { charts } = monitoringWords;

type Chart = {
  readonly title: string;
  readonly metric: (typeof monitoringMetrics)[number];
  readonly format: (value: number) => string;
  readonly least: number;
  readonly nameOf: (resource: string) => string;
  /** A chart of failures is shown only when failures occurred, with a line for each affected resource. */
  readonly isProblem: boolean;
};

const descriptions: { readonly [metric in Chart['metric']]?: string } = { DEAD_LETTERS: monitoringWords.deadHelp, API_LATENCY: monitoringWords.latencyHelp };

const apiName = (name: string): string => (resourceWords.apis as { readonly [name: string]: string })[name] ?? name;
const counts = { format: chartWords.count, least: 1 } as const;

const all: readonly Chart[] = [
  { title: charts.waiting, metric: 'QUEUE_WAITING', nameOf: queueName, isProblem: true, ...counts },
  { title: charts.age, metric: 'QUEUE_AGE', nameOf: queueName, isProblem: true, format: chartWords.seconds, least: 10 },
  { title: charts.dead, metric: 'DEAD_LETTERS', nameOf: queueName, isProblem: true, ...counts },
  { title: charts.functionErrors, metric: 'FUNCTION_ERRORS', nameOf: (name) => name, isProblem: true, ...counts },
  { title: charts.apiErrors, metric: 'API_ERRORS', nameOf: apiName, isProblem: true, ...counts },
  { title: charts.throttled, metric: 'FUNCTION_THROTTLES', nameOf: () => charts.throttled, isProblem: true, ...counts },
  { title: charts.requests, metric: 'API_REQUESTS', nameOf: apiName, isProblem: false, ...counts },
  { title: charts.latency, metric: 'API_LATENCY', nameOf: apiName, isProblem: false, format: chartWords.milliseconds, least: 100 },
];

const shownSeries = (data: SeriesResponse, { metric, isProblem }: Chart): readonly Series[] =>
  seriesOf(data, metric).filter((series) => (isProblem ? totalOf(series) > 0 : series.points.length > 0));

/** Charts of failures that occurred, of requests and of latencies. `data` is undefined until it is read. */
export const MonitoringCharts = ({
  data,
  readAt,
  lookback,
}: {
  readonly data: SeriesResponse | undefined;
  readonly readAt: number;
  readonly lookback: number;
}) => (
  <ColumnLayout columns={2}>
    {all
      .filter((chart) => !chart.isProblem || (data && shownSeries(data, chart).length > 0))
      .map((chart) => {
        const { title, metric, nameOf, format, least } = chart;
        return (
          <MetricChart
            key={metric}
            title={title}
            lookback={lookback}
            readAt={readAt}
            height={150}
            format={format}
            least={least}
            lines={data && shownSeries(data, chart).map((series) => chartLine(nameOf(series.resource ?? ''), series, data.period_seconds))}
            description={descriptions[metric]}
          />
        );
      })}
  </ColumnLayout>
);
