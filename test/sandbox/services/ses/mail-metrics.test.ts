import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { SendEmailCommand } from '@aws-sdk/client-sesv2';
import { cloudWatchMetrics } from '../../../../core/aws/cloudwatch/cloudwatch-metrics.ts';
import type { Metrics } from '../../../../core/aws/cloudwatch/metrics.ts';
import { eventually } from '../../../support/test-emulator.ts';
import { receiptRule, startNetwork, type Network } from './test-mail-network.ts';

let network: Network;
let metrics: Metrics;
beforeAll(async () => {
  network = await startNetwork({ Rule: receiptRule({ Name: 'people', Recipients: ['alice@example.test', 'bob@example.test'] }) });
  metrics = cloudWatchMetrics(new CloudWatchClient(network.fixture.clientConfig));
  await network.verify('example.test');
});
afterAll(() => network.end());

const day = 86_400;
const midnight = Math.floor(Date.now() / 1000 / day) * day;
/** The period of the query. It is correct around midnight, too. */
const time = { from: new Date((midnight - day) * 1000), to: new Date((midnight + 2 * day) * 1000) };

const sums = async (names: readonly string[], dimensions: Record<string, string> = {}): Promise<number[]> =>
  (
    await metrics.read(
      names.map((metric) => ({ namespace: 'AWS/SES', metric, dimensions, statistic: 'Sum', period: day })),
      time,
    )
  ).map((points) => points.reduce((sum, { value }) => sum + value, 0));

/** The highest rates so far; undefined when none was published. */
const highestRates = async (): Promise<(number | undefined)[]> =>
  (
    await metrics.read(
      ['Reputation.BounceRate', 'Reputation.ComplaintRate'].map((metric) => ({
        namespace: 'AWS/SES',
        metric,
        dimensions: {},
        statistic: 'Maximum',
        period: day,
      })),
      time,
    )
  ).map(([newest]) => newest?.value);

const send = (...to: string[]) =>
  network.sesv2.send(
    new SendEmailCommand({
      FromEmailAddress: 'alice@example.test',
      Destination: { ToAddresses: to },
      Content: { Simple: { Subject: { Data: 'Hello' }, Body: { Text: { Data: 'How are you?' } } } },
    }),
  );

test('no rate is published before a message was sent', async () => {
  expect(await highestRates()).toEqual([undefined, undefined]);
});

test('each received message is counted once, for the active receipt rule set', async () => {
  for (const to of ['alice@example.test', ['alice@example.test', 'bob@example.test']]) await network.smtp({ from: 'carol@elsewhere.test', to, text: 'Hi' });
  const ruleSet = { RuleSetName: network.outputs.RuleSet };
  await eventually(async () => (await sums(['Received'], ruleSet))[0] === 2);
  expect(await sums(['Received'], { RuleSetName: 'another' })).toEqual([0]);
});

test('each event of a sent message is counted, with or without a configuration set', async () => {
  await send('dave@elsewhere.test', 'erin@elsewhere.test');
  await send('bounce@simulator.amazonses.com');
  await send('complaint@simulator.amazonses.com');
  const names = ['Send', 'Delivery', 'Bounce', 'Complaint'];
  await eventually(async () => (await sums(names)).join() === '3,2,1,1');
});

test('the mailbox simulator changes no rate', async () => {
  expect(await highestRates()).toEqual([0, 0]);
});

test('the rates are shares of all recipients so far, also after a restart', async () => {
  await network.restart();
  await send('nobody@example.test', 'frank@elsewhere.test');
  await eventually(async () => (await highestRates())[0] === 0.25);
  expect((await highestRates())[1]).toBe(0);
});
