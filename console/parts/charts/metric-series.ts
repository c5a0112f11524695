import type { MetricName } from '../../../contract/admin/monitoring.ts';
import type { ResponseOf } from '../../api/admin-api.tsx';

export type SeriesResponse = ResponseOf<'monitoring', 'GetMetricSeries'>;
export type Series = SeriesResponse['series'][number];

/** The series of a metric: one, or one for each API, Lambda or queue. */
export const seriesOf = ({ series }: SeriesResponse, metric: MetricName): readonly Series[] => series.filter((one) => one.metric === metric);

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export const totalOf = ({ points }: Series): number => sum(points.map(({ value }) => value));

/** The sum of all series of a metric. */
export const metricTotal = (response: SeriesResponse, metric: MetricName): number => sum(seriesOf(response, metric).map(totalOf));

/** The newest value of a series; undefined when nothing is known. */
export const newestOf = ({ points }: Series): number | undefined => points.at(-1)?.value;

/** The sum of the newest values of all series of a metric; undefined when one of the values is unknown. */
export const newestTotal = (response: SeriesResponse, metric: MetricName): number | undefined => {
  const newest = seriesOf(response, metric).map(newestOf);
  const known = newest.filter((value) => value !== undefined);
  return known.length < newest.length ? undefined : sum(known);
};

export type ChartLine = { readonly title: string; readonly points: readonly { readonly x: Date; readonly y: number }[] };

/**
 * The line of a series. A single value is drawn as long as its period, because a single point is invisible.
 * @param period seconds
 */
export const chartLine = (title: string, { points }: Series, period: number): ChartLine => {
  const drawn = points.map(({ timestamp, value }) => ({ x: new Date(timestamp), y: value }));
  const [only] = drawn;
  return { title, points: only && drawn.length === 1 ? [only, { x: new Date(only.x.getTime() + period * 1000), y: only.y }] : drawn };
};
