/** One metric over the time that is asked for: a number for each `period`. */
export type MetricQuery = {
  readonly namespace: string;
  readonly metric: string;
  readonly dimensions: { readonly [name: string]: string };
  readonly statistic: 'Sum' | 'Maximum' | 'Average' | 'p95';
  /** Seconds, a multiple of 60. */
  readonly period: number;
};

/** Most queries of one call. */
export const maxMetricQueries = 500;

/** What AWS measured. Adapter: `cloudwatch-metrics.ts`; the fake in `test/fakes/` passes the same suite. */
export type Metrics = {
  /**
   * The numbers of each query in the order of the queries, newest first, in one call. A period in which nothing was measured has no number.
   * @param queries at most {@link maxMetricQueries}
   */
  read(queries: readonly MetricQuery[], time: { readonly from: Date; readonly to: Date }): Promise<readonly (readonly number[])[]>;
};
