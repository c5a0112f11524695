import { adminApiPerTest } from '../../../support/admin-api.ts';

const now = new Date('2026-11-21T12:30:20.000Z');
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);
const deliverLog = '/aws/lambda/Postrider-deliver';
const accessLog = '/aws/vendedlogs/apis/Postrider-admin';

const api = adminApiPerTest({ clock: () => now });

describe('GetLogContext', () => {
  const request = { log_group: deliverLog, center_timestamp: ago(60).toISOString() };
  const messages = async (fields: object) => {
    const { lines } = await api.ok('/monitoring/GetLogContext', { ...request, ...fields });
    return (lines as { message: string }[]).map(({ message }) => message);
  };

  test('rejects a request whose response would be larger than a Lambda can return', async () => {
    await api.logs.write(
      deliverLog,
      [40, 45, 50].map((seconds) => ({ at: ago(seconds), message: '"'.repeat(600_000) })),
    );
    expect(await api.call('/monitoring/GetLogContext', request)).toMatchObject({
      status: 400,
      body: { code: 'invalid_argument', message: expect.stringContaining('ask for less, with a smaller page_size, limit or window') },
    });
    expect(await messages({ limit: 1 })).toHaveLength(1);
  });

  beforeEach(async () => {
    await api.logs.write(deliverLog, [
      { at: ago(95), message: 'long before' },
      { at: ago(65), message: 'before corr-1' },
      { at: ago(60), message: 'then corr-1 aws-1' },
      { at: ago(55), message: 'after aws-1' },
      { at: ago(20), message: 'long after' },
    ]);
  });

  test('lists the lines around center_timestamp, oldest first', async () => {
    expect(await messages({})).toEqual(['before corr-1', 'then corr-1 aws-1', 'after aws-1']);
    expect(await messages({ window_seconds: 5 })).toEqual(['then corr-1 aws-1']);
    expect(await messages({ window_seconds: 900 })).toHaveLength(5);
  });

  test('treats 0 as unset, as JSON writers of fields without presence send it', async () => {
    expect(await messages({ window_seconds: 0, limit: 0 })).toEqual(await messages({}));
  });

  test('accepts a center_timestamp with an offset', async () => {
    expect(await messages({ center_timestamp: '2026-11-21T14:29:20+02:00', window_seconds: 5 })).toEqual(['then corr-1 aws-1']);
  });

  test('returns the lines nearest to center_timestamp, up to the limit', async () => {
    expect(await messages({ limit: 1 })).toEqual(['then corr-1 aws-1']);
    expect(await messages({ limit: 2, window_seconds: 900 })).toEqual(['before corr-1', 'then corr-1 aws-1']);
  });

  test('filters by correlation_id and aws_request_id', async () => {
    expect(await messages({ correlation_id: 'corr-1' })).toEqual(['before corr-1', 'then corr-1 aws-1']);
    expect(await messages({ aws_request_id: 'aws-1' })).toEqual(['then corr-1 aws-1', 'after aws-1']);
    expect(await messages({ aws_request_id: 'aws-1', correlation_id: 'corr-1' })).toEqual(['then corr-1 aws-1']);
    expect(await messages({ correlation_id: '" ?x' })).toEqual([]);
  });

  test.each([
    '/aws/lambda/Other-deliver',
    '/aws/lambda/Postrider-',
    '/aws/lambda/Postrider-deliver/',
    '/aws/lambda/postrider-deliver',
    '/aws/vendedlogs/apis/Postrider-web-socket',
    '*',
  ])('rejects the log group %s, which is not the deployment’s, without a call to AWS', async (log_group) => {
    expect(await api.call('/monitoring/GetLogContext', { ...request, log_group })).toMatchObject({
      status: 400,
      body: { code: 'invalid_argument', message: expect.stringContaining('log_group') },
    });
    expect(api.logs.searches).toEqual([]);
  });

  test('accepts the access log of the admin API', async () => {
    expect(await messages({ log_group: accessLog })).toEqual([]);
  });

  test('accepts the earliest and the latest timestamp', async () => {
    expect(await messages({ center_timestamp: '1970-01-01T00:00:00Z' })).toEqual([]);
    expect(await messages({ center_timestamp: '9999-12-31T23:59:59Z' })).toEqual([]);
  });
});
