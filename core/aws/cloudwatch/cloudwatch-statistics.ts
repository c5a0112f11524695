import { CloudWatchClient, GetMetricStatisticsCommand, type Datapoint, type Statistic } from '@aws-sdk/client-cloudwatch';
import { mapConcurrently } from '../../runtime/map-concurrently.ts';
import { namingErrors, clientTimeouts } from '../../runtime/sdk-client.ts';
import type { MetricPoint, MetricQuery, Metrics } from './metrics.ts';

/** Concurrent calls. CloudWatch accepts 400 a second. */
const callsAtOnce = 10;

type Percentile = Exclude<MetricQuery['statistic'], Statistic>;

const isPercentile = (statistic: MetricQuery['statistic']): statistic is Percentile => statistic.startsWith('p');

const valueOf = (point: Datapoint, statistic: MetricQuery['statistic']): number | undefined =>
  isPercentile(statistic) ? point.ExtendedStatistics?.[statistic] : point[statistic];

/**
 * {@link Metrics} in CloudWatch, by one GetMetricStatistics call for each query. A million of these calls are free each
 * month, but no metric that GetMetricData reads (Amazon CloudWatch pricing). For programs that read few metrics often.
 */
export const cloudWatchStatistics = (client = namingErrors(new CloudWatchClient(clientTimeouts))): Metrics => ({
  read: (queries, { from, to }) =>
    mapConcurrently(
      queries,
      async ({ namespace, metric, dimensions, statistic, period }) => {
        const { Datapoints: points = [] } = await client.send(
          new GetMetricStatisticsCommand({
            Namespace: namespace,
            MetricName: metric,
            Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
            StartTime: from,
            EndTime: to,
            Period: period,
            ...(isPercentile(statistic) ? { ExtendedStatistics: [statistic] } : { Statistics: [statistic] }),
          }),
        );
        return points
          .flatMap((point): MetricPoint[] => {
            const value = valueOf(point, statistic);
            return point.Timestamp === undefined || value === undefined ? [] : [{ at: point.Timestamp, value }];
          })
          .sort((a, b) => b.at.getTime() - a.at.getTime());
      },
      { atOnce: callsAtOnce },
    ),
});
