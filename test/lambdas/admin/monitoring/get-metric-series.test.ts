import { metricNames, type MetricName } from '../../../../contract/admin/monitoring.ts';
import { adminApiPerTest } from '../../../support/admin-api.ts';

const now = new Date('2026-11-21T12:30:20.000Z');
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000);

const api = adminApiPerTest({ clock: () => now });

type Point = { readonly timestamp: string; readonly value: number };
type Series = { readonly metric: MetricName; readonly resource?: string; readonly unit: string; readonly points: readonly Point[] };

const read = async (request: object) => {
  const { period_seconds: period, series } = await api.ok('/monitoring/GetMetricSeries', request);
  return { period: period as number, series: series as Series[] };
};
/** The points of the only series of a metric. */
const pointsOf = async (metric: MetricName, lookback_minutes = 10) => {
  const { series } = await read({ metrics: [metric], lookback_minutes });
  expect(series).toHaveLength(1);
  return series[0]!.points;
};
const valuesOf = async (...request: Parameters<typeof pointsOf>) => (await pointsOf(...request)).map(({ value }) => value);

type Measurement = readonly [minutesAgo: number, value: number];
const measure = (namespace: string, dimensions: Record<string, string>, metric: string, ...values: readonly Measurement[]) =>
  api.metrics.measure(values.map(([minutes, value]) => ({ namespace, dimensions, metric, at: minutesAgo(minutes), value })));

describe('GetMetricSeries', () => {
  test('returns the sums of messages that SES received for the deployment, oldest first', async () => {
    await measure('AWS/SNS', { TopicName: 'received-1' }, 'NumberOfMessagesPublished', [2, 1], [2, 1], [1, 1]);
    await measure('AWS/SNS', { TopicName: 'another' }, 'NumberOfMessagesPublished', [1, 100]);
    expect((await pointsOf('MAIL_RECEIVED')).filter(({ value }) => value > 0)).toEqual([
      { timestamp: '2026-11-21T12:28:00.000Z', value: 2 },
      { timestamp: '2026-11-21T12:29:00.000Z', value: 1 },
    ]);
  });

  test('returns SES’s counts of sent mail', async () => {
    await measure('AWS/SES', {}, 'Send', [1, 1], [1, 1], [1, 1], [1, 1]);
    await measure('AWS/SES', {}, 'Delivery', [1, 1], [1, 1]);
    await measure('AWS/SES', {}, 'Bounce', [1, 1]);
    await measure('AWS/SES', {}, 'Complaint', [1, 1], [1, 1], [1, 1]);
    const { series } = await read({ metrics: ['MAIL_SENT', 'MAIL_DELIVERED', 'MAIL_BOUNCED', 'MAIL_COMPLAINED'], lookback_minutes: 10 });
    expect(series.map(({ metric, unit, points }) => [metric, unit, points.find(({ timestamp }) => timestamp.includes('12:29'))?.value])).toEqual([
      ['MAIL_SENT', 'COUNT', 4],
      ['MAIL_DELIVERED', 'COUNT', 2],
      ['MAIL_BOUNCED', 'COUNT', 1],
      ['MAIL_COMPLAINED', 'COUNT', 3],
    ]);
  });

  test('shows zero for a count without data in CloudWatch, except for the last minutes, which may be late', async () => {
    await measure('AWS/SES', {}, 'Send', [1, 3]);
    // 12:21 to 12:24 are over for five minutes, and 12:29 was measured.
    expect(await pointsOf('MAIL_SENT')).toEqual([
      ...[21, 22, 23, 24].map((minute) => ({ timestamp: `2026-11-21T12:${minute}:00.000Z`, value: 0 })),
      { timestamp: '2026-11-21T12:29:00.000Z', value: 3 },
    ]);
  });

  test('leaves out rates, latencies and ages without data in CloudWatch', async () => {
    await measure('AWS/SES', {}, 'Reputation.BounceRate', [3, 0.0123456]);
    await measure('AWS/ApiGateway', { ApiId: 'a1', Stage: '$default' }, 'Latency', [2, 120]);
    const { series } = await read({ metrics: ['BOUNCE_RATE', 'COMPLAINT_RATE', 'API_LATENCY', 'QUEUE_AGE'], lookback_minutes: 10 });
    expect(series).toEqual([
      { metric: 'BOUNCE_RATE', unit: 'FRACTION', points: [{ timestamp: '2026-11-21T12:27:00.000Z', value: 0.012346 }] },
      { metric: 'COMPLAINT_RATE', unit: 'FRACTION', points: [] },
      { metric: 'API_LATENCY', resource: 'admin', unit: 'MILLISECONDS', points: [{ timestamp: '2026-11-21T12:28:00.000Z', value: 120 }] },
      { metric: 'API_LATENCY', resource: 'web-socket', unit: 'MILLISECONDS', points: [] },
      { metric: 'QUEUE_AGE', resource: 'InboundMail/Waiting', unit: 'SECONDS', points: [] },
      { metric: 'QUEUE_AGE', resource: 'InboundMail/FullAccounts', unit: 'SECONDS', points: [] },
    ]);
  });

  test('reads the metrics of each API by the names for its kind', async () => {
    await measure('AWS/ApiGateway', { ApiId: 'a1', Stage: '$default' }, 'Count', [1, 5]);
    await measure('AWS/ApiGateway', { ApiId: 'w1', Stage: 'jmap' }, 'MessageCount', [1, 7]);
    await measure('AWS/ApiGateway', { ApiId: 'w1', Stage: 'jmap' }, 'ExecutionError', [1, 2]);
    const { series } = await read({ metrics: ['API_REQUESTS', 'API_ERRORS'], lookback_minutes: 1 });
    expect(series.map(({ metric, resource }) => `${metric} ${resource}`)).toEqual([
      'API_REQUESTS admin',
      'API_REQUESTS web-socket',
      'API_ERRORS admin',
      'API_ERRORS web-socket',
    ]);
    const newest = async (lookback_minutes: number) =>
      (await read({ metrics: ['API_REQUESTS', 'API_ERRORS'], lookback_minutes })).series.map(({ points }) => points.at(-1)?.value);
    expect(await newest(2)).toEqual([5, 7, undefined, 2]);
  });

  test('lists only the Lambdas with errors', async () => {
    await measure('AWS/Lambda', { FunctionName: 'Postrider-jmap' }, 'Errors', [1, 0], [2, 1]);
    await measure('AWS/Lambda', { FunctionName: 'Postrider-deliver' }, 'Errors', [1, 0]);
    const { series } = await read({ metrics: ['FUNCTION_ERRORS'], lookback_minutes: 10 });
    expect(series.map(({ resource }) => resource)).toEqual(['jmap']);
    expect(series[0]!.points.slice(-2)).toMatchObject([{ value: 1 }, { value: 0 }]);
  });

  test('separates work queues from dead-letter queues, and waits longer for their metrics', async () => {
    await measure('AWS/SQS', { QueueName: 'waiting-1' }, 'ApproximateNumberOfMessagesVisible', [1, 4]);
    await measure('AWS/SQS', { QueueName: 'dead-1' }, 'ApproximateNumberOfMessagesVisible', [1, 2]);
    const { series } = await read({ metrics: ['QUEUE_WAITING', 'DEAD_LETTERS'], lookback_minutes: 20 });
    expect(series).toMatchObject([
      { metric: 'QUEUE_WAITING', resource: 'InboundMail/Waiting' },
      { metric: 'QUEUE_WAITING', resource: 'InboundMail/FullAccounts' },
      { metric: 'DEAD_LETTERS', resource: 'InboundMail/Waiting/DeadLetters' },
    ]);
    expect(series.map(({ points }) => points.map(({ value }) => value))).toEqual([
      [0, 0, 0, 0, 4],
      [0, 0, 0, 0],
      [0, 0, 0, 0, 2],
    ]);
  });

  describe('of mail that waits for room in full accounts', () => {
    /**
     * Simulates two messages that are delayed for a quarter of an hour after each attempt. The older one arrived ten
     * hours ago.
     */
    const wait = async (minutes: number) => {
      const each = Array.from({ length: minutes }, (_, ago) => ago + 1);
      await measure('AWS/SQS', { QueueName: 'waiting-1' }, 'ApproximateNumberOfMessagesDelayed', ...each.map((ago) => [ago, 2] as const));
      await measure('AWS/SQS', { QueueName: 'waiting-1' }, 'ApproximateAgeOfOldestMessage', ...each.map((ago) => [ago, 840] as const));
      const attempts = each
        .filter((ago) => ago % 15 === 7)
        .flatMap(
          (ago) =>
            [
              [ago, 36_000 - 60 * ago],
              [ago - 4, 3600 - 60 * ago],
            ] as const,
        );
      await measure('Postrider/Postrider', {}, 'WaitingForRoomSeconds', ...attempts);
    };
    const newest = async (lookback_minutes: number) => {
      const { series } = await read({ metrics: ['QUEUE_WAITING', 'QUEUE_AGE'], lookback_minutes });
      return series.filter(({ resource }) => resource === 'InboundMail/FullAccounts').map(({ points }) => points.at(-1)?.value);
    };

    test.each([10, 60, 300, 1440, 7 * 1440])('shows the number of messages and the true age of the oldest, with a lookback of %i minutes', async (lookback) => {
      await wait(2000);
      const [waiting, age] = await newest(lookback);
      expect(waiting).toBe(2);
      expect(age).toBeGreaterThan(36_000 - 900);
    });

    test('shows the mail in every period between two attempts as well', async () => {
      await wait(200);
      const { series } = await read({ metrics: ['QUEUE_WAITING', 'QUEUE_AGE'], lookback_minutes: 100 });
      const [waiting, age] = series.filter(({ resource }) => resource === 'InboundMail/FullAccounts').map(({ points }) => points.map(({ value }) => value));
      expect(new Set(waiting)).toEqual(new Set([2]));
      expect(Math.min(...age!)).toBeGreaterThan(36_000 - 60 * 140);
    });

    test('shows nothing as soon as no message is delayed', async () => {
      await wait(200);
      await measure('AWS/SQS', { QueueName: 'waiting-1' }, 'ApproximateNumberOfMessagesDelayed', [0, 0]);
      expect(await newest(60)).toEqual([0, 0]);
    });
  });

  test.each([
    [60, 60],
    [120, 60],
    [121, 300],
    [1440, 900],
    [7 * 1440, 7200],
    [14 * 1440, 10_800],
  ])('divides %d minutes into periods of %d seconds, at most 120 of them', async (lookback, expected) => {
    const { period } = await read({ metrics: ['MAIL_SENT'], lookback_minutes: lookback });
    expect(period).toBe(expected);
    expect((await valuesOf('MAIL_SENT', lookback)).length).toBeLessThanOrEqual(120);
  });

  test('begins periods at multiples of their length, so that every call has the same periods', async () => {
    const points = await pointsOf('MAIL_SENT', 14 * 1440);
    expect(points.every(({ timestamp }) => Date.parse(timestamp) % (3 * 3_600_000) === 0)).toBe(true);
  });

  test('reads all metrics in one call when the request names none, and each named metric once', async () => {
    const { series } = await read({});
    expect(new Set(series.map(({ metric }) => metric))).toEqual(new Set(metricNames.filter((name) => name !== 'FUNCTION_ERRORS')));
    await read({ metrics: ['MAIL_SENT', 'METRIC_NAME_MAIL_SENT'] });
    expect(api.metrics.calls.map((queries) => queries.length)).toEqual([8 + 3 * 2 + 2 + 3 + 2 * 3, 1]);
  });

  test.each([
    [{ lookback_minutes: 14 * 1440 + 1 }, '1 to 20160'],
    [{ lookback_minutes: -1 }, '1 to 20160'],
    [{ metrics: ['MAIL_LOST'] }, 'metrics'],
    [{ metrics: Array.from({ length: metricNames.length + 1 }, () => 'MAIL_SENT') }, 'at most'],
    [{ period_seconds: 60 }, 'period_seconds'],
  ])('rejects %j', async (request, message) => {
    const { status, body } = await api.call('/monitoring/GetMetricSeries', request);
    expect([status, body.code]).toEqual([400, 'invalid_argument']);
    expect(body.message).toContain(message);
    expect(api.metrics.calls).toEqual([]);
  });
});
