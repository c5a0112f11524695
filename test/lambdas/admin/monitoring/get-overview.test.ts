import { adminApi, type AdminApi } from '../../../support/admin-api.ts';

const now = new Date('2026-11-21T12:30:20.000Z');
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);

let api: AdminApi;
beforeEach(async () => {
  api = await adminApi({ clock: () => now });
});

describe('GetOverview', () => {
  type Measurement = readonly [secondsAgo: number, value: number];
  const measure = (namespace: string, dimensions: Record<string, string>, metric: string, ...values: readonly Measurement[]) =>
    api.metrics.measure(values.map(([seconds, value]) => ({ namespace, dimensions, metric, at: ago(seconds), value })));

  test('reads all metrics of the deployment in one call, and those of waiting mail concurrently in another', async () => {
    await api.ok('/monitoring/GetOverview');
    expect(api.metrics.calls.map((queries) => queries.length)).toEqual([2 * 3 + 2 * 4 + 4 + 3, 3]);
    expect(api.logs.searches).toEqual([]);
  });

  test('lists every resource of the deployment, with or without metrics', async () => {
    expect(await api.ok('/monitoring/GetOverview')).toEqual({
      api_gateways: [
        { name: 'admin', api_id: 'a1', stage: '$default', request_count: 0, error_5xx: 0, latency_p95_ms: 0 },
        { name: 'web-socket', api_id: 'w1', stage: 'jmap', request_count: 0, error_5xx: 0, latency_p95_ms: 0 },
      ],
      cdn_distributions: [],
      functions: [
        { name: 'deliver', function_name: 'Postrider-deliver', invocations: 0, errors: 0, throttles: 0, duration_p95_ms: 0 },
        { name: 'jmap', function_name: 'Postrider-jmap', invocations: 0, errors: 0, throttles: 0, duration_p95_ms: 0 },
      ],
      queues: [
        { name: 'InboundMail/Waiting', queue_name: 'waiting-1', approx_messages_visible: 0, approx_messages_delayed: 0, approx_age_oldest_seconds: 0 },
        { name: 'InboundMail/Waiting/DeadLetters', queue_name: 'dead-1', approx_messages_visible: 0, approx_age_oldest_seconds: 0 },
        { name: 'InboundMail/FullAccounts', queue_name: 'waiting-1', approx_messages_visible: 0, approx_messages_delayed: 0, approx_age_oldest_seconds: 0 },
      ],
    });
  });

  test('sums counts, takes the p95 of the slowest period, and takes the newest value of a queue', async () => {
    await measure('AWS/ApiGateway', { ApiId: 'a1', Stage: '$default' }, 'Count', [3500, 10], [60, 5]);
    await measure('AWS/ApiGateway', { ApiId: 'a1', Stage: '$default' }, '5xx', [60, 1]);
    await measure('AWS/ApiGateway', { ApiId: 'a1', Stage: '$default' }, 'Latency', [3500, 812.3456], [60, 20]);
    await measure('AWS/ApiGateway', { ApiId: 'w1', Stage: 'jmap' }, 'MessageCount', [60, 7]);
    await measure('AWS/ApiGateway', { ApiId: 'w1', Stage: 'jmap' }, 'ExecutionError', [60, 2]);
    await measure('AWS/Lambda', { FunctionName: 'Postrider-jmap' }, 'Invocations', [100, 3], [50, 4]);
    await measure('AWS/Lambda', { FunctionName: 'Postrider-jmap' }, 'Throttles', [100, 1]);
    await measure('AWS/SQS', { QueueName: 'dead-1' }, 'ApproximateNumberOfMessagesVisible', [3000, 9], [120, 2]);
    await measure('AWS/SQS', { QueueName: 'dead-1' }, 'ApproximateAgeOfOldestMessage', [120, 340]);
    const { api_gateways: apis, functions, queues } = await api.ok('/monitoring/GetOverview');
    expect(apis).toMatchObject([
      { request_count: 15, error_5xx: 1, latency_p95_ms: 812.35 },
      { request_count: 7, error_5xx: 2 },
    ]);
    expect(functions).toMatchObject([{}, { invocations: 7, errors: 0, throttles: 1 }]);
    expect(queues).toMatchObject([{}, { approx_messages_visible: 2, approx_age_oldest_seconds: 340 }, {}]);
  });

  test('reports no age for an empty queue, but an age for a queue whose messages are all in flight', async () => {
    for (const QueueName of ['waiting-1', 'dead-1']) {
      await measure('AWS/SQS', { QueueName }, 'ApproximateNumberOfMessagesVisible', [600, 3], [60, 0]);
      await measure('AWS/SQS', { QueueName }, 'ApproximateAgeOfOldestMessage', [600, 340]);
    }
    await measure('AWS/SQS', { QueueName: 'dead-1' }, 'ApproximateNumberOfMessagesNotVisible', [60, 1]);
    expect((await api.ok('/monitoring/GetOverview'))['queues']).toMatchObject([
      { approx_messages_visible: 0, approx_age_oldest_seconds: 0 },
      { approx_messages_visible: 0, approx_age_oldest_seconds: 340 },
      {},
    ]);
  });

  const delayed = (...values: readonly Measurement[]) => measure('AWS/SQS', { QueueName: 'waiting-1' }, 'ApproximateNumberOfMessagesDelayed', ...values);
  const attempts = (...values: readonly Measurement[]) => measure('Postrider/Postrider', {}, 'WaitingForRoomSeconds', ...values);
  const fullAccounts = async (request: object = {}) =>
    ((await api.ok('/monitoring/GetOverview', request))['queues'] as { name: string }[]).find(({ name }) => name === 'InboundMail/FullAccounts');

  test('shows the number and the true age of mail for full accounts, though it is not visible and each attempt is a new message', async () => {
    await delayed([120, 2], [60, 2]);
    await attempts([2000, 34_000], [1600, 1000], [1100, 35_000], [700, 1900]);
    expect(await fullAccounts({ lookback_minutes: 1 })).toMatchObject({
      approx_messages_visible: 0,
      approx_messages_delayed: 2,
      approx_age_oldest_seconds: 35_000,
    });
  });

  test('does not count bounces that wait for SES, or mail that has been delivered, as mail for full accounts', async () => {
    await delayed([60, 500]);
    expect(await fullAccounts()).toMatchObject({ approx_messages_delayed: 0, approx_age_oldest_seconds: 0 });
    await attempts([1100, 35_000], [200, 35_900]);
    expect(await fullAccounts()).toMatchObject({ approx_messages_delayed: 2, approx_age_oldest_seconds: 35_900 });
    api = await adminApi({ clock: () => now });
    await delayed([120, 1], [60, 0]);
    await attempts([200, 35_900]);
    expect(await fullAccounts()).toMatchObject({ approx_messages_delayed: 0, approx_age_oldest_seconds: 0 });
  });

  test('applies lookback_minutes and period_seconds', async () => {
    await measure('AWS/Lambda', { FunctionName: 'Postrider-jmap' }, 'Invocations', [30 * 60, 3], [60, 4]);
    const { functions } = await api.ok('/monitoring/GetOverview', { lookback_minutes: 10, period_seconds: 300 });
    expect(functions).toMatchObject([{}, { invocations: 4 }]);
    const queries = api.metrics.calls[0]?.map(({ statistic, period }) => `${statistic} ${period}`);
    expect(new Set(queries)).toEqual(new Set(['Sum 600', 'p95 300', 'Maximum 300']));
  });

  test('fits one CloudWatch response, also with the longest lookback and the shortest period', async () => {
    await api.ok('/monitoring/GetOverview', { lookback_minutes: 1440, period_seconds: 60 });
    const values = (api.metrics.calls[0] ?? []).reduce((sum, { period }) => sum + (1440 * 60) / period, 0);
    // The real deployment has fewer than ten times as many resources as this one.
    expect(values * 10).toBeLessThan(100_800);
    const valuesPerCount = api.metrics.calls[0]!.filter(({ statistic }) => statistic === 'Sum').map(({ period }) => (1440 * 60) / period);
    expect(Math.max(...valuesPerCount)).toBe(1);
  });

  test('treats 0 as unset, as JSON writers of fields without presence send it', async () => {
    await api.ok('/monitoring/GetOverview', { lookback_minutes: 0, period_seconds: '0' });
    await api.ok('/monitoring/GetOverview', {});
    const [zeros, , unset] = api.metrics.calls;
    expect(zeros).toEqual(unset);
  });

  test.each([
    [{ period_seconds: 90 }, 'a multiple of 60'],
    [{ period_seconds: -60 }, '60 to 3600'],
    [{ period_seconds: false }, 'must be a number'],
    [{ lookback_minutes: 1441 }, '1 to 1440'],
    [{ lookback_minutes: -1 }, '1 to 1440'],
    [{ lookback_minutes: null }, 'lookback_minutes'],
  ])('rejects %j', async (request, message) => {
    const { status, body } = await api.call('/monitoring/GetOverview', request);
    expect([status, body.code]).toEqual([400, 'invalid_argument']);
    expect(body.message).toContain(message);
    expect(api.metrics.calls).toEqual([]);
  });
});
