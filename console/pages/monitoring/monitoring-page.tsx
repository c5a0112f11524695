import { Button, SpaceBetween } from '@cloudscape-design/components';
import { useEffect } from 'react';
import { useLocation } from 'react-router';
import { useAdminQuery } from '../../api/admin-api.tsx';
import type { PageDefinition } from '../../page/page-definition.ts';
import { useTimeRange } from '../../parts/charts/time-range.tsx';
import { FailedRead } from '../../parts/text/error-text.tsx';
import { Page } from '../../parts/view/page.tsx';
import { monitoringWords } from '../../words/pages/monitoring.ts';
import { words } from '../../words/words.ts';
import { MonitoringCharts, monitoringMetrics } from './monitoring-charts.tsx';
import { MonitoringState } from './monitoring-state.tsx';
import { RecentErrors } from './recent-errors.tsx';
import { ResourceLists } from './resource-lists.tsx';

export const page: PageDefinition = {
  path: '/monitoring',
  title: words.pages.monitoring,
  navigation: { group: 'operations', position: 1 },
  methods: { monitoring: ['GetMetricSeries', 'ListRecentErrors', 'GetLogContext', 'GetOverview'] },
};

/** The longest lookback for errors and for figures of single resources. */
const day = 1440;

/** Scrolls to the section in the URL after the section was rendered. */
const useScrollToHash = (isReady: boolean): void => {
  const { hash } = useLocation();
  useEffect(() => {
    if (isReady && hash) document.getElementById(hash.slice(1))?.scrollIntoView();
  }, [isReady, hash]);
};

export const MonitoringPage = () => {
  const { lookback, control } = useTimeRange();
  const series = useAdminQuery('monitoring', 'GetMetricSeries', { metrics: [...monitoringMetrics], lookback_minutes: lookback }, { keepsPrevious: true });
  const refresh = () => void series.refetch();
  const failure = series.error && <FailedRead error={series.error} onRetry={refresh} />;
  const isShown = !failure || series.data !== undefined;
  useScrollToHash(series.data !== undefined);
  return (
    <Page
      title={words.pages.monitoring}
      actions={
        <SpaceBetween direction="horizontal" size="xs" alignItems="end">
          <Button iconName="refresh" ariaLabel={monitoringWords.refresh} loading={series.isFetching} onClick={refresh} />
          {control}
        </SpaceBetween>
      }
    >
      {failure}
      {isShown && (
        <div id="queues">
          <MonitoringState data={series.data} />
        </div>
      )}
      <div id="errors">
        <RecentErrors minutes={Math.min(lookback, day)} />
      </div>
      {isShown && <MonitoringCharts data={series.data} readAt={series.dataUpdatedAt} lookback={lookback} />}
      <ResourceLists lookback={Math.min(lookback, day)} />
    </Page>
  );
};
