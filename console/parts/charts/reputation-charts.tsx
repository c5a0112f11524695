import { ColumnLayout, SpaceBetween } from '@cloudscape-design/components';
import { reputationLimits } from '../../../contract/admin/status.ts';
import { useAdminQuery } from '../../api/admin-api.tsx';
import { chartWords } from '../../words/pages/monitoring.ts';
import { FailedRead } from '../text/error-text.tsx';
import { MetricChart } from './metric-chart.tsx';
import { chartLine, seriesOf } from './metric-series.ts';

/** Two weeks: SES changes its rates a few times a day. */
const lookback = 20_160;

const charts = [
  { metric: 'BOUNCE_RATE', rate: 'bounce_rate', title: chartWords.bounceRate },
  { metric: 'COMPLAINT_RATE', rate: 'complaint_rate', title: chartWords.complaintRate },
] as const;

/** The bounce and complaint rates of two weeks beside the thresholds at which AWS acts. */
export const ReputationCharts = ({ refetchInterval = false }: { readonly refetchInterval?: number | false }) => {
  const query = useAdminQuery(
    'monitoring',
    'GetMetricSeries',
    { metrics: charts.map(({ metric }) => metric), lookback_minutes: lookback },
    { refetchInterval },
  );
  // The newest rates of all: a point of a chart is the mean of its period.
  const reputation = useAdminQuery('status', 'GetStatus', {}, { refetchInterval }).data?.status.ses.reputation;
  const { data, dataUpdatedAt: readAt } = query;
  const failure = query.error && <FailedRead error={query.error} onRetry={() => void query.refetch()} />;
  if (failure && !data) return failure;
  return (
    <SpaceBetween size="l">
      {failure}
      <ColumnLayout columns={2}>
        {charts.map(({ metric, rate, title }) => {
          const series = data && seriesOf(data, metric);
          const newest = reputation?.[rate];
          return (
            <MetricChart
              key={metric}
              title={title}
              lookback={lookback}
              readAt={readAt}
              height={160}
              least={reputationLimits[rate].pause}
              hasFractions
              format={chartWords.percent}
              empty={chartWords.ratesEmpty}
              description={newest === undefined ? undefined : chartWords.newest(chartWords.percent(newest))}
              lines={series?.map((one) => chartLine(title, one, data!.period_seconds))}
              limits={[
                { title: chartWords.review(rate), value: reputationLimits[rate].review },
                { title: chartWords.pause(rate), value: reputationLimits[rate].pause },
              ]}
            />
          );
        })}
      </ColumnLayout>
    </SpaceBetween>
  );
};
