import { adminApi } from '../../../support/admin-api.ts';

const now = new Date('2026-11-21T12:30:20.000Z');
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);
const deliverLog = '/aws/lambda/Postrider-deliver';
const jmapLog = '/aws/lambda/Postrider-jmap';
const requestLog = '/aws/vendedlogs/apis/Postrider-admin';
const record = (level: string, message: string, more: object = {}) => JSON.stringify({ level, message, service: 'deliver', ...more });

let api: Awaited<ReturnType<typeof adminApi>>;
beforeEach(async () => {
  api = await adminApi({ now: () => now });
});

describe('GetOverview', () => {
  const measured = (namespace: string, dimensions: Record<string, string>, metric: string, ...values: readonly [secondsAgo: number, value: number][]) =>
    api.metrics.measure(values.map(([seconds, value]) => ({ namespace, dimensions, metric, at: ago(seconds), value })));

  test('is one question for all metrics of the deployment', async () => {
    await api.ok('/monitoring/GetOverview');
    expect(api.metrics.calls).toHaveLength(1);
    expect(api.metrics.calls[0]).toHaveLength(2 * 3 + 2 * 4 + 2 * 3);
    expect(api.logs.searches).toEqual([]);
  });

  test('names everything that belongs to the deployment, measured or not', async () => {
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
        { name: 'InboundMail/Waiting', queue_name: 'waiting-1', approx_messages_visible: 0, approx_age_oldest_seconds: 0 },
        { name: 'InboundMail/Waiting/DeadLetters', queue_name: 'dead-1', approx_messages_visible: 0, approx_age_oldest_seconds: 0 },
      ],
    });
  });

  test('counts add up, the slowest period’s 95th percentile stands for all, and a queue is as it is now', async () => {
    await measured('AWS/ApiGateway', { ApiId: 'a1', Stage: '$default' }, 'Count', [3500, 10], [60, 5]);
    await measured('AWS/ApiGateway', { ApiId: 'a1', Stage: '$default' }, '5xx', [60, 1]);
    await measured('AWS/ApiGateway', { ApiId: 'a1', Stage: '$default' }, 'Latency', [3500, 812.3456], [60, 20]);
    await measured('AWS/ApiGateway', { ApiId: 'w1', Stage: 'jmap' }, 'MessageCount', [60, 7]);
    await measured('AWS/ApiGateway', { ApiId: 'w1', Stage: 'jmap' }, 'ExecutionError', [60, 2]);
    await measured('AWS/Lambda', { FunctionName: 'Postrider-jmap' }, 'Invocations', [100, 3], [50, 4]);
    await measured('AWS/Lambda', { FunctionName: 'Postrider-jmap' }, 'Throttles', [100, 1]);
    await measured('AWS/SQS', { QueueName: 'dead-1' }, 'ApproximateNumberOfMessagesVisible', [3000, 9], [120, 2]);
    await measured('AWS/SQS', { QueueName: 'dead-1' }, 'ApproximateAgeOfOldestMessage', [120, 340]);
    const { api_gateways: apis, functions, queues } = await api.ok('/monitoring/GetOverview');
    expect(apis).toMatchObject([{ request_count: 15, error_5xx: 1, latency_p95_ms: 812.35 }, { request_count: 7, error_5xx: 2 }]);
    expect(functions).toMatchObject([{}, { invocations: 7, errors: 0, throttles: 1 }]);
    expect(queues).toMatchObject([{}, { approx_messages_visible: 2, approx_age_oldest_seconds: 340 }]);
  });

  test('a queue that was emptied has no oldest message any more, one whose messages are all being handled has', async () => {
    for (const QueueName of ['waiting-1', 'dead-1']) {
      await measured('AWS/SQS', { QueueName }, 'ApproximateNumberOfMessagesVisible', [600, 3], [60, 0]);
      await measured('AWS/SQS', { QueueName }, 'ApproximateAgeOfOldestMessage', [600, 340]);
    }
    await measured('AWS/SQS', { QueueName: 'dead-1' }, 'ApproximateNumberOfMessagesNotVisible', [60, 1]);
    expect((await api.ok('/monitoring/GetOverview'))['queues']).toMatchObject([
      { approx_messages_visible: 0, approx_age_oldest_seconds: 0 }, { approx_messages_visible: 0, approx_age_oldest_seconds: 340 },
    ]);
  });

  test('looks back as far as it is told, by periods of the length it is told', async () => {
    await measured('AWS/Lambda', { FunctionName: 'Postrider-jmap' }, 'Invocations', [30 * 60, 3], [60, 4]);
    expect((await api.ok('/monitoring/GetOverview', { lookback_minutes: 10, period_seconds: 300 }))['functions']).toMatchObject([{}, { invocations: 4 }]);
    expect(new Set(api.metrics.calls[0]?.map(({ statistic, period }) => `${statistic} ${period}`))).toEqual(new Set(['Sum 600', 'p95 300', 'Maximum 300']));
  });

  test('the longest look back by the shortest period stays within what one answer of AWS holds', async () => {
    await api.ok('/monitoring/GetOverview', { lookback_minutes: 1440, period_seconds: 60 });
    const numbers = (api.metrics.calls[0] ?? []).reduce((sum, { period }) => sum + (1440 * 60) / period, 0);
    // Ten of this deployment's size are more than the real one.
    expect(numbers * 10).toBeLessThan(100_800);
    expect(Math.max(...api.metrics.calls[0]!.filter(({ statistic }) => statistic === 'Sum').map(({ period }) => (1440 * 60) / period))).toBe(1);
  });

  test.each([[{ period_seconds: 90 }, 'a multiple of 60'], [{ period_seconds: 0 }, '60 to 3600'], [{ lookback_minutes: 1441 }, '1 to 1440'], [{ lookback_minutes: 0 }, '1 to 1440']])('%j is refused', async (request, words) => {
    const { status, body } = await api.call('/monitoring/GetOverview', request);
    expect([status, body.code]).toEqual([400, 'invalid_argument']);
    expect(body.message).toContain(words);
    expect(api.metrics.calls).toEqual([]);
  });
});

describe('ListRecentErrors', () => {
  test('finds what went wrong in any log of the deployment, newest first, with the ids that lead on', async () => {
    await api.logs.write(deliverLog, [
      { at: ago(300), message: record('ERROR', 'a delivery failed', { correlation_id: 'corr-1', function_request_id: 'aws-1' }) },
      { at: ago(200), message: record('INFO', 'said ERROR but is none') },
    ]);
    await api.logs.write(jmapLog, [{ at: ago(100), message: '2026-11-21T12:28:40.000Z\t4f0c2c3e-0d0d-4c43-9a6a-8f2a3b5d6e7f\tERROR\tUncaught Exception\t{"errorType":"TypeError"}' }]);
    await api.logs.write(requestLog, [
      { at: ago(50), message: JSON.stringify({ requestId: 'corr-2', routeKey: 'POST /users/{proxy+}', status: '503', integrationError: 'Service Unavailable' }) },
      { at: ago(40), message: JSON.stringify({ requestId: 'corr-3', routeKey: 'POST /users/{proxy+}', status: '500', integrationError: '-' }) },
      { at: ago(30), message: JSON.stringify({ requestId: 'corr-500', routeKey: 'POST /users/{proxy+}', status: '200', integrationError: '-' }) },
    ]);
    expect((await api.ok('/monitoring/ListRecentErrors'))['entries']).toEqual([
      expect.objectContaining({ timestamp: '2026-11-21T12:29:30.000Z', log_group: requestLog, msg: 'Service Unavailable', correlation_id: 'corr-2' }),
      expect.objectContaining({ log_group: jmapLog, level: 'ERROR', msg: 'Uncaught Exception', aws_request_id: '4f0c2c3e-0d0d-4c43-9a6a-8f2a3b5d6e7f' }),
      expect.objectContaining({ log_group: deliverLog, level: 'ERROR', msg: 'a delivery failed', correlation_id: 'corr-1', aws_request_id: 'aws-1', raw: expect.stringContaining('"level":"ERROR"') }),
    ]);
  });

  test('the newest are kept when there are more than the limit, whichever log they are in', async () => {
    await api.logs.write(deliverLog, [10, 30, 50].map((seconds) => ({ at: ago(seconds), message: record('ERROR', `deliver ${seconds}`) })));
    await api.logs.write(jmapLog, [20, 40].map((seconds) => ({ at: ago(seconds), message: record('ERROR', `jmap ${seconds}`) })));
    const { entries } = await api.ok('/monitoring/ListRecentErrors', { limit: 3 });
    expect((entries as { msg: string }[]).map(({ msg }) => msg)).toEqual(['deliver 10', 'jmap 20', 'deliver 30']);
  });

  test('what is older than the time asked for is not told', async () => {
    await api.logs.write(deliverLog, [{ at: ago(601), message: record('ERROR', 'old') }, { at: ago(599), message: record('ERROR', 'new') }]);
    expect((await api.ok('/monitoring/ListRecentErrors', { lookback_minutes: 10 }))['entries']).toMatchObject([{ msg: 'new' }]);
  });

  test('addresses and tokens that a library wrote down are not handed on', async () => {
    await api.logs.write(deliverLog, [{ at: ago(1), message: `2026-11-21T12:30:19.000Z\tid\tERROR\tbad key alice@example.com Bearer eyJhbGciOi.eyJzdWIi.c2ln` }]);
    const text = JSON.stringify(await api.ok('/monitoring/ListRecentErrors'));
    expect(text).not.toMatch(/alice|example\.com|eyJ/);
    expect(text).toContain('bad key [redacted]');
  });

  test('a log that can’t be read fails the call instead of looking like a log without errors', async () => {
    api.logs.search = async () => {
      throw Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
    };
    expect(await api.call('/monitoring/ListRecentErrors')).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  });
});

describe('GetLogContext', () => {
  const around = { log_group: deliverLog, center_timestamp: ago(60).toISOString() };
  const messages = async (request: object) => ((await api.ok('/monitoring/GetLogContext', { ...around, ...request }))['lines'] as { message: string }[]).map(({ message }) => message);

  test('lines that are more than a Lambda can answer are to be asked for in smaller parts', async () => {
    await api.logs.write(deliverLog, [40, 45, 50].map((seconds) => ({ at: ago(seconds), message: '"'.repeat(600_000) })));
    expect(await api.call('/monitoring/GetLogContext', around)).toMatchObject({
      status: 400, body: { code: 'invalid_argument', message: expect.stringContaining('ask for less at once, by a smaller page_size, limit or window') },
    });
    expect(await messages({ limit: 1 })).toHaveLength(1);
  });

  beforeEach(async () => {
    await api.logs.write(deliverLog, [
      { at: ago(95), message: 'long before' }, { at: ago(65), message: 'before corr-1' }, { at: ago(60), message: 'then corr-1 aws-1' },
      { at: ago(55), message: 'after aws-1' }, { at: ago(20), message: 'long after' },
    ]);
  });

  test('tells the lines around the moment, oldest first', async () => {
    expect(await messages({})).toEqual(['before corr-1', 'then corr-1 aws-1', 'after aws-1']);
    expect(await messages({ window_seconds: 5 })).toEqual(['then corr-1 aws-1']);
    expect(await messages({ window_seconds: 900 })).toHaveLength(5);
  });

  test('an offset in the moment is read', async () => {
    expect(await messages({ center_timestamp: '2026-11-21T14:29:20+02:00', window_seconds: 5 })).toEqual(['then corr-1 aws-1']);
  });

  test('of more lines than the limit those nearest to the moment are told', async () => {
    expect(await messages({ limit: 1 })).toEqual(['then corr-1 aws-1']);
    expect(await messages({ limit: 2, window_seconds: 900 })).toEqual(['before corr-1', 'then corr-1 aws-1']);
  });

  test('ids narrow it down, both at once too', async () => {
    expect(await messages({ correlation_id: 'corr-1' })).toEqual(['before corr-1', 'then corr-1 aws-1']);
    expect(await messages({ aws_request_id: 'aws-1' })).toEqual(['then corr-1 aws-1', 'after aws-1']);
    expect(await messages({ aws_request_id: 'aws-1', correlation_id: 'corr-1' })).toEqual(['then corr-1 aws-1']);
    expect(await messages({ correlation_id: '" ?x' })).toEqual([]);
  });

  test.each(['/aws/lambda/Other-deliver', '/aws/lambda/Postrider-', '/aws/lambda/Postrider-deliver/', '/aws/lambda/postrider-deliver', '/aws/vendedlogs/apis/Postrider-web-socket', '*'])(
    'the log group %s is not the deployment’s and is refused before AWS is asked', async (log_group) => {
      expect(await api.call('/monitoring/GetLogContext', { ...around, log_group })).toMatchObject({ status: 400, body: { code: 'invalid_argument', message: expect.stringContaining('log_group') } });
      expect(api.logs.searches).toEqual([]);
    });

  test('the log of requests is the deployment’s too', async () => {
    expect(await messages({ log_group: requestLog })).toEqual([]);
  });

  test('moments at the ends of time are answered', async () => {
    expect(await messages({ center_timestamp: '1970-01-01T00:00:00Z' })).toEqual([]);
    expect(await messages({ center_timestamp: '9999-12-31T23:59:59Z' })).toEqual([]);
  });
});
