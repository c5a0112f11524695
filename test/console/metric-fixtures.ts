import type { SeriesResponse } from '../../console/parts/charts/metric-series.ts';
import type { MetricName } from '../../contract/admin/monitoring.ts';

/** A series with a value a minute. */
export const series = (metric: MetricName, values: readonly number[], resource?: string): SeriesResponse['series'][number] => ({
  metric,
  unit: 'COUNT',
  ...(resource !== undefined && { resource }),
  points: values.map((value, minute) => ({ timestamp: new Date(Date.UTC(2026, 10, 21, 12, minute)).toISOString(), value })),
});

export const response = (...all: SeriesResponse['series']): SeriesResponse => ({ period_seconds: 60, series: all });
