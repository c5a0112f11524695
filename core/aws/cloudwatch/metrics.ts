/** A query for one metric: one point for each `period`. */
export type MetricQuery = {
  readonly namespace: string;
  readonly metric: string;
  readonly dimensions: { readonly [name: string]: string };
  readonly statistic: 'Sum' | 'Maximum' | 'Average' | 'SampleCount' | 'p95';
  /** Seconds, a multiple of 60. */
  readonly period: number;
};

/** The value of a metric in one period. */
export type MetricPoint = {
  /** The start of the period. */
  readonly at: Date;
  readonly value: number;
};

/** Queries of one call, at most. */
export const maxMetricQueries = 500;

/** Reads metrics of AWS. Adapter: `cloudwatch-metrics.ts`; the fake in `test/fakes/` passes the same suite. */
export type Metrics = {
  /**
   * Returns the points of each query, newest first, in the order of the queries. A period without measurements has no
   * point. Periods begin at multiples of their length since 1970 if `from` does.
   * @param queries at most {@link maxMetricQueries}
   */
  read(
    queries: readonly MetricQuery[], time: { readonly from: Date; readonly to: Date },
  ): Promise<readonly (readonly MetricPoint[])[]>;
};
