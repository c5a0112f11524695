import { CloudWatchClient, GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient, CreateLogGroupCommand, CreateLogStreamCommand, FilterLogEventsCommand, PutLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { apiUrl, eventually, httpApi, ref, startTrial, type Trial } from './trial.ts';

let trial: Trial;
beforeAll(async () => { trial = await startTrial(); }, 120_000);
afterAll(() => trial.end());

test('a run of a Lambda is measured, whoever called it, and a failed one as an error', async () => {
  const template = {
    Resources: httpApi('exports.handler = async (event) => { if (event.rawPath === "/fail") throw new Error("no"); return "yes"; };'),
    Outputs: { api: { Value: ref('Api') }, handler: { Value: ref('Handler') } },
  };
  const { api, handler } = await trial.deploy(template);
  for (const path of ['/one', '/two', '/fail']) await fetch(`${apiUrl(trial, api!)}${path}`);
  const metric = (Id: string, MetricName: string) => ({
    Id, MetricStat: { Metric: { Namespace: 'AWS/Lambda', MetricName, Dimensions: [{ Name: 'FunctionName', Value: handler! }] }, Period: 3600, Stat: 'Sum' },
  });
  const sums = await eventually(async () => {
    const { MetricDataResults: results } = await new CloudWatchClient(trial.reach).send(new GetMetricDataCommand({
      StartTime: new Date(Date.now() - 3_600_000), EndTime: new Date(Date.now() + 60_000), MetricDataQueries: [metric('runs', 'Invocations'), metric('errors', 'Errors')],
    }));
    const totals = results?.map(({ Values }) => (Values ?? []).reduce((sum, value) => sum + value, 0));
    return totals?.[0] === 3 ? totals : undefined;
  });
  expect(sums).toEqual([3, 1]);
});

test('a search of logs takes one of several terms, begins at either end, and comes in pages', async () => {
  const logs = new CloudWatchLogsClient(trial.reach);
  const [logGroupName, begin] = ['/trial', Date.now() - 10_000];
  await logs.send(new CreateLogGroupCommand({ logGroupName }));
  await logs.send(new CreateLogStreamCommand({ logGroupName, logStreamName: 'one' }));
  await logs.send(new PutLogEventsCommand({
    logGroupName, logStreamName: 'one', logEvents: ['ERROR one', 'error two', 'timed out three', 'ERROR four'].map((message, index) => ({ timestamp: begin + index, message })),
  }));
  const search = { logGroupName, filterPattern: '?"ERROR" ?"timed out"', startTime: begin, startFromHead: false, limit: 2 };
  const first = await logs.send(new FilterLogEventsCommand(search));
  const second = await logs.send(new FilterLogEventsCommand({ ...search, nextToken: first.nextToken }));
  expect([first, second].map(({ events }) => events?.map(({ message }) => message))).toEqual([['ERROR four', 'timed out three'], ['ERROR one']]);
  expect(second.nextToken).toBeUndefined();
});
