import { CloudWatchClient, DescribeAlarmsCommand, GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import {
  CloudWatchLogsClient,
  CreateLogGroupCommand,
  CreateLogStreamCommand,
  FilterLogEventsCommand,
  PutLogEventsCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { CreateQueueCommand, GetQueueAttributesCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { apiUrl, eventually, httpApi, ref, withEmulator } from '../../support/test-emulator.ts';

const fixture = withEmulator();

type Metric = { readonly namespace: string; readonly name: string; readonly dimensions: Record<string, string>; readonly stat: string };

/**
 * The value of each metric in the last hour. Of maxima it is the newest minute, because the emulator measures again at
 * each request; of other metrics the sum. Undefined without data.
 */
const measured = async (metrics: readonly Metric[]): Promise<(number | undefined)[]> => {
  const { MetricDataResults: results = [] } = await new CloudWatchClient(fixture.clientConfig).send(
    new GetMetricDataCommand({
      StartTime: new Date(Date.now() - 3_600_000),
      EndTime: new Date(Date.now() + 60_000),
      MetricDataQueries: metrics.map(({ namespace, name, dimensions, stat }, index) => ({
        Id: `m${index}`,
        MetricStat: {
          Metric: { Namespace: namespace, MetricName: name, Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })) },
          Period: stat === 'Maximum' ? 60 : 3600,
          Stat: stat,
        },
      })),
    }),
  );
  return results.map(({ Values: values = [], Timestamps: times = [] }, index) => {
    if (values.length === 0) return undefined;
    if (metrics[index]!.stat !== 'Maximum') return values.reduce((sum, value) => sum + value, 0);
    const newest = Math.max(...times.map(Number));
    return values[times.findIndex((time) => Number(time) === newest)];
  });
};

const sumsOf =
  (namespace: string, dimensions: Record<string, string>) =>
  (...names: string[]) =>
    measured(names.map((name) => ({ namespace, name, dimensions, stat: 'Sum' })));

describe('metrics of an HTTP API and its Lambda', () => {
  const template = {
    Resources: httpApi(
      'exports.handler = async (event) => { if (event.rawPath === "/fail") throw new Error("no"); return event.rawPath === "/none" ? { statusCode: 404 } : "yes"; };',
    ),
    Outputs: { api: { Value: ref('Api') }, handler: { Value: ref('Handler') } },
  };
  let outputs: Record<string, string>;
  beforeAll(async () => {
    outputs = await fixture.deploy(template);
    for (const path of ['/one', '/two', '/none', '/fail']) await fetch(`${apiUrl(fixture, outputs['api']!)}${path}`);
  });

  test('every invocation of any caller is counted, and a failed one also as an error', async () => {
    const sums = sumsOf('AWS/Lambda', { FunctionName: outputs['handler']! });
    await eventually(async () => (await sums('Invocations'))[0] === 4);
    expect(await sums('Invocations', 'Errors')).toEqual([4, 1]);
  });

  test('requests, errors and latency are measured for the API and for its stage', async () => {
    const ofApi: Record<string, string> = { ApiId: outputs['api']! };
    for (const dimensions of [ofApi, { ...ofApi, Stage: '$default' }]) {
      expect(await sumsOf('AWS/ApiGateway', dimensions)('Count', '4xx', '5xx')).toEqual([4, 1, 1]);
      const [latency] = await measured([{ namespace: 'AWS/ApiGateway', name: 'Latency', dimensions, stat: 'p95' }]);
      expect(latency).toBeGreaterThan(0);
    }
  });
});

describe('metrics of a queue', () => {
  const ofQueue = (queue: string) =>
    measured(
      [
        'ApproximateNumberOfMessagesVisible',
        'ApproximateAgeOfOldestMessage',
        'ApproximateNumberOfMessagesNotVisible',
        'ApproximateNumberOfMessagesDelayed',
      ].map((name) => ({ namespace: 'AWS/SQS', name, dimensions: { QueueName: queue }, stat: 'Maximum' })),
    );

  test('show the number and the age of the messages', async () => {
    const sqs = new SQSClient(fixture.clientConfig);
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'waiting' }));
    expect(await ofQueue('waiting')).toEqual([0, 0, 0, 0]);
    for (const MessageBody of ['one', 'two']) await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
    await eventually(async () => (await ofQueue('waiting'))[1]! >= 1);
    expect(await ofQueue('waiting')).toEqual([2, expect.any(Number), 0, 0]);
    await sqs.send(new ReceiveMessageCommand({ QueueUrl }));
    expect(await ofQueue('waiting')).toEqual([1, expect.any(Number), 1, 0]);
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'later', DelaySeconds: 900 }));
    expect((await ofQueue('waiting'))[3]).toBe(1);
    expect(await ofQueue('another')).toEqual([undefined, undefined, undefined, undefined]);
  });

  test('count the age of a dead letter from its move to the dead-letter queue', async () => {
    const sqs = new SQSClient(fixture.clientConfig);
    const { QueueUrl: dead } = await sqs.send(new CreateQueueCommand({ QueueName: 'dead' }));
    const { Attributes: { QueueArn: deadLetterTargetArn } = {} } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: dead, AttributeNames: ['QueueArn'] }),
    );
    const Attributes = { VisibilityTimeout: '0', RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 1 }) };
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'failing', Attributes }));
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'one' }));
    await eventually(async () => (await ofQueue('failing'))[1]! >= 2);
    const movedAt = Date.now();
    for (let receive = 0; receive < 2; receive += 1) await sqs.send(new ReceiveMessageCommand({ QueueUrl }));
    expect(await ofQueue('dead')).toEqual([1, expect.any(Number), 0, 0]);
    // It was sent two seconds before the move at least.
    expect((await ofQueue('dead'))[1]).toBeLessThan((Date.now() - movedAt) / 1000 + 1.5);
  });
});

describe('a metric filter', () => {
  const [logGroupName, namespace] = ['/filtered', 'Trial/Filters'];
  const filter = (name: string, pattern: string, value: string) => ({
    Type: 'AWS::Logs::MetricFilter',
    DependsOn: 'Log',
    Properties: {
      LogGroupName: logGroupName,
      FilterPattern: pattern,
      MetricTransformations: [{ MetricNamespace: namespace, MetricName: name, MetricValue: value }],
    },
  });
  const template = {
    Resources: {
      Log: { Type: 'AWS::Logs::LogGroup', Properties: { LogGroupName: logGroupName } },
      Waited: filter('Waited', '{ $.message = "mail waits" }', '$.seconds'),
      Failures: filter('Failures', '?"timed out" ?"Runtime exited"', '1'),
      LongWait: {
        Type: 'AWS::CloudWatch::Alarm',
        Properties: {
          AlarmName: 'long-wait',
          Namespace: namespace,
          MetricName: 'Waited',
          Statistic: 'Maximum',
          Period: 3600,
          EvaluationPeriods: 1,
          Threshold: 100,
          ComparisonOperator: 'GreaterThanOrEqualToThreshold',
        },
      },
    },
  };

  test('measures the field of the lines that match, or counts them, and the alarm on its metric follows', async () => {
    await fixture.deploy(template);
    const logs = new CloudWatchLogsClient(fixture.clientConfig);
    const cloudWatch = new CloudWatchClient(fixture.clientConfig);
    await logs.send(new CreateLogStreamCommand({ logGroupName, logStreamName: 'one' }));
    const put = (...lines: readonly string[]) =>
      logs.send(new PutLogEventsCommand({ logGroupName, logStreamName: 'one', logEvents: lines.map((message) => ({ timestamp: Date.now(), message })) }));
    const metrics = () =>
      measured(
        [
          ['Waited', 'Maximum'],
          ['Waited', 'SampleCount'],
          ['Failures', 'Sum'],
        ].map(([name, stat]) => ({ namespace, name: name!, dimensions: {}, stat: stat! })),
      );
    const alarm = async () => (await cloudWatch.send(new DescribeAlarmsCommand({ AlarmNames: ['long-wait'] }))).MetricAlarms![0]!.StateValue;
    await put(
      JSON.stringify({ message: 'mail waits', seconds: 60 }),
      JSON.stringify({ message: 'mail waits', seconds: 90 }),
      'Task timed out',
      JSON.stringify({ message: 'mail waits no longer', seconds: 5000 }),
      JSON.stringify({ text: 'mail waits', seconds: 5000 }),
      'mail waits {',
    );
    expect(await metrics()).toEqual([90, 2, 1]);
    expect(await alarm()).not.toBe('ALARM');
    await put(JSON.stringify({ message: 'mail waits', seconds: 100 }));
    expect(await metrics()).toEqual([100, 3, 1]);
    expect(await alarm()).toBe('ALARM');
  });
});

test('FilterLogEvents matches one of several terms, starts at either end and returns pages', async () => {
  const logs = new CloudWatchLogsClient(fixture.clientConfig);
  const [logGroupName, begin] = ['/trial', Date.now() - 10_000];
  await logs.send(new CreateLogGroupCommand({ logGroupName }));
  await logs.send(new CreateLogStreamCommand({ logGroupName, logStreamName: 'one' }));
  await logs.send(
    new PutLogEventsCommand({
      logGroupName,
      logStreamName: 'one',
      logEvents: ['ERROR one', 'error two', 'timed out three', 'ERROR four'].map((message, index) => ({ timestamp: begin + index, message })),
    }),
  );
  const search = { logGroupName, filterPattern: '?"ERROR" ?"timed out"', startTime: begin, startFromHead: false, limit: 2 };
  const first = await logs.send(new FilterLogEventsCommand(search));
  const second = await logs.send(new FilterLogEventsCommand({ ...search, nextToken: first.nextToken }));
  expect([first, second].map(({ events }) => events?.map(({ message }) => message))).toEqual([['ERROR four', 'timed out three'], ['ERROR one']]);
  expect(second.nextToken).toBeUndefined();
});
