/** A query for one metric: one number for each `period`. */
export type MetricQuery = {
  readonly namespace: string;
  readonly metric: string;
  readonly dimensions: { readonly [name: string]: string };
  readonly statistic: 'Sum' | 'Maximum' | 'Average' | 'p95';
  /** Seconds, a multiple of 60. */
  readonly period: number;
};

/** Queries of one call, at most. */
export const maxMetricQueries = 500;

/** Reads metrics of AWS. Adapter: `cloudwatch-metrics.ts`; the fake in `test/fakes/` passes the same suite. */
export type Metrics = {
  /**
   * Returns the numbers of each query, newest first, in the order of the queries. A period without measurements has no
   * number.
   * @param queries at most {@link maxMetricQueries}
   */
  read(queries: readonly MetricQuery[], time: { readonly from: Date; readonly to: Date }): Promise<readonly (readonly number[])[]>;
};
