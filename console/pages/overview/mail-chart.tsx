import { SpaceBetween } from '@cloudscape-design/components';
import { useAdminQuery } from '../../api/admin-api.tsx';
import { MetricChart } from '../../parts/charts/metric-chart.tsx';
import { chartLine, metricTotal, seriesOf } from '../../parts/charts/metric-series.ts';
import { useTimeRange } from '../../parts/charts/time-range.tsx';
import { FailedRead } from '../../parts/text/error-text.tsx';
import { chartWords, overviewWords } from '../../words/pages/monitoring.ts';

const words = overviewWords.mail;

export const MailChart = ({ refetchInterval }: { readonly refetchInterval: number | false }) => {
  const { lookback, control } = useTimeRange();
  const query = useAdminQuery(
    'monitoring',
    'GetMetricSeries',
    { metrics: ['MAIL_RECEIVED', 'MAIL_SENT'], lookback_minutes: lookback },
    { refetchInterval, keepsPrevious: true },
  );
  const { data, dataUpdatedAt: readAt, isPlaceholderData } = query;
  const failure = query.error && <FailedRead error={query.error} onRetry={() => void query.refetch()} />;
  if (failure && !data) return failure;
  const line = (title: string, metric: 'MAIL_RECEIVED' | 'MAIL_SENT') =>
    seriesOf(data!, metric).map((series) => chartLine(title, series, data!.period_seconds));
  return (
    <SpaceBetween size="l">
      {failure}
      <MetricChart
        title={words.title}
        actions={control}
        lookback={lookback}
        readAt={readAt}
        height={220}
        least={1}
        format={chartWords.count}
        description={data && !isPlaceholderData ? words.totals(metricTotal(data, 'MAIL_RECEIVED'), metricTotal(data, 'MAIL_SENT')) : words.unknown}
        lines={data && [...line(words.in, 'MAIL_RECEIVED'), ...line(words.out, 'MAIL_SENT')]}
      />
    </SpaceBetween>
  );
};
