import type { MetricQuery, Metrics } from '../../core/aws/cloudwatch/metrics.ts';

type Measured = {
  readonly namespace: string;
  readonly metric: string;
  readonly dimensions: { readonly [name: string]: string };
  readonly at: Date;
  readonly value: number;
};

const sameDimensions = (a: Measured['dimensions'], b: Measured['dimensions']): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([name, value]) => b[name] === value);

const statistics: { readonly [Name in MetricQuery['statistic']]: (values: readonly number[]) => number } = {
  Sum: (values) => values.reduce((sum, value) => sum + value, 0),
  Maximum: (values) => Math.max(...values),
  Average: (values) => values.reduce((sum, value) => sum + value, 0) / values.length,
  SampleCount: (values) => values.length,
  p95: (values) => values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1] ?? 0,
};

/** {@link Metrics} in memory. */
export const memoryMetrics = () => {
  const measurements: Measured[] = [];
  const calls: (readonly MetricQuery[])[] = [];
  const read: Metrics['read'] = async (queries, { from, to }) => {
    calls.push(queries);
    return queries.map(({ namespace, metric, dimensions, statistic, period }) => {
      const matching = measurements.filter(
        (each) => each.namespace === namespace && each.metric === metric && sameDimensions(each.dimensions, dimensions) && each.at >= from && each.at < to,
      );
      // As CloudWatch: periods are counted from `from`.
      const periods = Map.groupBy(matching, ({ at }) => Math.floor((at.getTime() - from.getTime()) / 1000 / period));
      return [...periods]
        .sort(([a], [b]) => b - a)
        .map(([index, each]) => ({ at: new Date(from.getTime() + index * period * 1000), value: statistics[statistic](each.map(({ value }) => value)) }));
    });
  };
  return {
    read,
    /** The queries of each call so far. */
    calls,
    measure: async (measured: readonly Measured[]): Promise<void> => {
      measurements.push(...measured);
    },
  };
};
