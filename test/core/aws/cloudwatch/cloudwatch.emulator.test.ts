import { CloudWatchClient, PutMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient, CreateLogGroupCommand, CreateLogStreamCommand, PutLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { cloudWatchLogs } from '../../../../core/aws/cloudwatch/cloudwatch-logs.ts';
import { cloudWatchMetrics } from '../../../../core/aws/cloudwatch/cloudwatch-metrics.ts';
import { cloudWatchStatistics } from '../../../../core/aws/cloudwatch/cloudwatch-statistics.ts';
import { maxMetricQueries, type Metrics } from '../../../../core/aws/cloudwatch/metrics.ts';
import { logsSuite, type WritableLogs } from '../../../port-suites/logs-suite.ts';
import { metricsSuite, type MeasurableMetrics } from '../../../port-suites/metrics-suite.ts';
import { withEmulator } from '../../../support/test-emulator.ts';

const trial = withEmulator();

const metrics = async (adapter: (client: CloudWatchClient) => Metrics = cloudWatchMetrics): Promise<MeasurableMetrics> => {
  const client = new CloudWatchClient(trial.clientConfig);
  return {
    ...adapter(client),
    async measure(measured) {
      for (const { namespace, metric, dimensions, at, value } of measured) {
        await client.send(
          new PutMetricDataCommand({
            Namespace: namespace,
            MetricData: [{ MetricName: metric, Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })), Timestamp: at, Value: value }],
          }),
        );
      }
    },
  };
};

const logs = async (): Promise<WritableLogs> => {
  const client = new CloudWatchLogsClient(trial.clientConfig);
  return {
    ...cloudWatchLogs(client),
    async write(logGroupName, events) {
      await client.send(new CreateLogGroupCommand({ logGroupName }));
      await client.send(new CreateLogStreamCommand({ logGroupName, logStreamName: 'one' }));
      await client.send(
        new PutLogEventsCommand({ logGroupName, logStreamName: 'one', logEvents: events.map(({ at, message }) => ({ timestamp: at.getTime(), message })) }),
      );
    },
  };
};

describe('metrics in CloudWatch', () => {
  metricsSuite(() => metrics());

  test('refuses more queries than one call accepts, without calling AWS', async () => {
    const query = { namespace: 'Trial', metric: 'Many', dimensions: {}, statistic: 'Sum', period: 60 } as const;
    const time = { from: new Date(0), to: new Date() };
    await expect(
      (await metrics()).read(
        Array.from({ length: maxMetricQueries + 1 }, () => query),
        time,
      ),
    ).rejects.toThrow('501 metrics');
    expect(
      await (
        await metrics()
      ).read(
        Array.from({ length: maxMetricQueries }, () => query),
        { from: new Date(Date.now() - 60_000), to: new Date() },
      ),
    ).toHaveLength(maxMetricQueries);
  });
});

describe('statistics in CloudWatch', () => {
  metricsSuite(() => metrics(cloudWatchStatistics));
});

describe('logs in CloudWatch', () => {
  logsSuite(logs);

  test('takes quotes and operators of the filter language in a term literally', async () => {
    const opened = await logs();
    const now = new Date();
    await opened.write('/trial/quotes', [
      { at: now, message: 'a "b" ?c' },
      { at: now, message: 'a b c' },
    ]);
    const search = { logGroup: '/trial/quotes', from: now, to: now, order: 'oldest', limit: 9 } as const;
    expect(await opened.search({ ...search, includesAll: ['"b" ?c'] })).toMatchObject([{ message: 'a "b" ?c' }]);
    expect(await opened.search({ ...search, includesAll: ['-c'] })).toEqual([]);
  });
});
