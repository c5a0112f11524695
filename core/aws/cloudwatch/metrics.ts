import { nameInStack, type MonitoredApi } from '../../../contract/deployment/monitored-resources.ts';

/** A query for one metric. It returns one point for each `period`. */
export type MetricQuery = {
  readonly namespace: string;
  readonly metric: string;
  readonly dimensions: { readonly [name: string]: string };
  readonly statistic: 'Sum' | 'Maximum' | 'Average' | 'SampleCount' | 'p95';
  /** Length of a period in seconds, a multiple of 60. */
  readonly period: number;
};

/** The value of a metric in one period. */
export type MetricPoint = {
  /** The start of the period. */
  readonly at: Date;
  readonly value: number;
};

/** Maximum queries of one call. */
export const maxMetricQueries = 500;

/** Reads metrics of AWS. Adapter: `cloudwatch-metrics.ts`; the fake in `test/fakes/` passes the same suite. */
export type Metrics = {
  /**
   * Returns the points of each query, newest first, in the order of the queries. A period without measurements has no
   * point. Periods begin at multiples of their length since 1970 if `from` does.
   * @param queries at most {@link maxMetricQueries}
   */
  read(queries: readonly MetricQuery[], time: { readonly from: Date; readonly to: Date }): Promise<readonly (readonly MetricPoint[])[]>;
};

/** The dimensions of an API's metrics. Those of a REST API have its name, and are of all its stages. @param stack the deployment's name. */
export const apiDimensions = (stack: string, { kind, name, id, stage }: MonitoredApi): MetricQuery['dimensions'] =>
  kind === 'rest' ? { ApiName: nameInStack(stack, name) } : { ApiId: id, Stage: stage };

/** CloudWatch's names of the same metrics for each kind of API. */
export const apiMetrics = {
  http: { requests: 'Count', errors: '5xx', latency: 'Latency' },
  rest: { requests: 'Count', errors: '5XXError', latency: 'Latency' },
  'web-socket': { requests: 'MessageCount', errors: 'ExecutionError', latency: 'IntegrationLatency' },
} as const satisfies { [Kind in MonitoredApi['kind']]: object };
