import { CloudWatchClient, GetMetricDataCommand, type MetricDataQuery, type MetricDataResult } from '@aws-sdk/client-cloudwatch';
import { namingErrors, clientTimeouts } from '../../runtime/sdk-client.ts';
import { maxMetricQueries, type MetricPoint, type MetricQuery, type Metrics } from './metrics.ts';

const queryId = (index: number): string => `m${index}`;

const toMetricDataQuery = ({ namespace, metric, dimensions, statistic, period }: MetricQuery, index: number): MetricDataQuery => ({
  Id: queryId(index),
  MetricStat: {
    Metric: { Namespace: namespace, MetricName: metric, Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })) },
    Period: period,
    Stat: statistic,
  },
});

const newestFirst = (results: readonly MetricDataResult[]): MetricPoint[] =>
  results
    .flatMap(({ Timestamps: times = [], Values: values = [] }) =>
      times.flatMap((at, index) => {
        const value = values[index];
        return value === undefined ? [] : [{ at, value }];
      }),
    )
    .sort((a, b) => b.at.getTime() - a.at.getTime());

/** {@link Metrics} in CloudWatch, by GetMetricData. AWS returns more than 100,800 numbers in pages. */
export const cloudWatchMetrics = (client = namingErrors(new CloudWatchClient(clientTimeouts))): Metrics => ({
  async read(queries, { from, to }) {
    if (queries.length > maxMetricQueries) throw new Error(`${queries.length} metrics are more than GetMetricData takes`);
    if (queries.length === 0) return [];
    const results: MetricDataResult[] = [];
    let page: string | undefined;
    do {
      const answer = await client.send(
        new GetMetricDataCommand({
          MetricDataQueries: queries.map(toMetricDataQuery),
          StartTime: from,
          EndTime: to,
          ScanBy: 'TimestampDescending',
          NextToken: page,
        }),
      );
      results.push(...(answer.MetricDataResults ?? []));
      page = answer.NextToken;
    } while (page);
    const failed = results.find(({ StatusCode: status }) => status === 'InternalError' || status === 'Forbidden');
    if (failed) throw new Error(`CloudWatch could not read a metric: ${failed.StatusCode}`);
    const byId = Map.groupBy(results, ({ Id }) => Id);
    return queries.map((_, index) => newestFirst(byId.get(queryId(index)) ?? []));
  },
});
