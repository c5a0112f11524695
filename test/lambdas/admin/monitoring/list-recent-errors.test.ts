import { adminApiPerTest } from '../../../support/admin-api.ts';

const now = new Date('2026-11-21T12:30:20.000Z');
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);
const deliverLog = '/aws/lambda/Postrider-deliver';
const jmapLog = '/aws/lambda/Postrider-jmap';
const accessLog = '/aws/vendedlogs/apis/Postrider-admin';
const record = (level: string, message: string, fields: object = {}) => JSON.stringify({ level, message, service: 'deliver', ...fields });
const accessRecord = (requestId: string, status: string, integrationError = '-') =>
  JSON.stringify({ requestId, routeKey: 'POST /users/{proxy+}', status, integrationError });

const api = adminApiPerTest({ clock: () => now });

describe('ListRecentErrors', () => {
  test('lists the errors of all log groups of the deployment, newest first, with their ids', async () => {
    await api.logs.write(deliverLog, [
      { at: ago(300), message: record('ERROR', 'delivery failed', { correlation_id: 'corr-1', function_request_id: 'aws-1' }) },
      { at: ago(200), message: record('INFO', 'mentions ERROR') },
    ]);
    const requestId = '4f0c2c3e-0d0d-4c43-9a6a-8f2a3b5d6e7f';
    const exception = `2026-11-21T12:28:40.000Z\t${requestId}\tERROR\tUncaught Exception\t{"errorType":"TypeError"}`;
    await api.logs.write(jmapLog, [{ at: ago(100), message: exception }]);
    await api.logs.write(accessLog, [
      { at: ago(50), message: accessRecord('corr-2', '503', 'Service Unavailable') },
      { at: ago(40), message: accessRecord('corr-3', '500') },
      { at: ago(30), message: accessRecord('corr-500', '200') },
    ]);
    expect((await api.ok('/monitoring/ListRecentErrors'))['entries']).toEqual([
      expect.objectContaining({ timestamp: '2026-11-21T12:29:30.000Z', log_group: accessLog, msg: 'Service Unavailable', correlation_id: 'corr-2' }),
      expect.objectContaining({ log_group: jmapLog, level: 'ERROR', msg: 'Uncaught Exception', aws_request_id: requestId }),
      expect.objectContaining({
        log_group: deliverLog,
        level: 'ERROR',
        msg: 'delivery failed',
        correlation_id: 'corr-1',
        aws_request_id: 'aws-1',
        raw: expect.stringContaining('"level":"ERROR"'),
      }),
    ]);
  });

  test('returns the newest errors of all log groups together, up to the limit', async () => {
    await api.logs.write(
      deliverLog,
      [10, 30, 50].map((seconds) => ({ at: ago(seconds), message: record('ERROR', `deliver ${seconds}`) })),
    );
    await api.logs.write(
      jmapLog,
      [20, 40].map((seconds) => ({ at: ago(seconds), message: record('ERROR', `jmap ${seconds}`) })),
    );
    const { entries } = await api.ok('/monitoring/ListRecentErrors', { limit: 3 });
    expect((entries as { msg: string }[]).map(({ msg }) => msg)).toEqual(['deliver 10', 'jmap 20', 'deliver 30']);
  });

  test('leaves out errors that are older than lookback_minutes', async () => {
    await api.logs.write(deliverLog, [
      { at: ago(601), message: record('ERROR', 'old') },
      { at: ago(599), message: record('ERROR', 'new') },
    ]);
    expect((await api.ok('/monitoring/ListRecentErrors', { lookback_minutes: 10 }))['entries']).toMatchObject([{ msg: 'new' }]);
  });

  test('treats 0 as unset, as JSON writers of fields without presence send it', async () => {
    await api.logs.write(deliverLog, [{ at: ago(3599), message: record('ERROR', 'within the default lookback') }]);
    expect((await api.ok('/monitoring/ListRecentErrors', { lookback_minutes: 0, limit: 0 }))['entries']).toHaveLength(1);
  });

  test('redacts addresses and tokens in log lines of a library', async () => {
    const message = '2026-11-21T12:30:19.000Z\tid\tERROR\tbad key alice@example.com Bearer eyJhbGciOi.eyJzdWIi.c2ln';
    await api.logs.write(deliverLog, [{ at: ago(1), message }]);
    const text = JSON.stringify(await api.ok('/monitoring/ListRecentErrors'));
    expect(text).not.toMatch(/alice|example\.com|eyJ/);
    expect(text).toContain('bad key [redacted]');
  });

  test('fails with unavailable if a log group cannot be read', async () => {
    api.logs.search = async () => {
      throw Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
    };
    expect(await api.call('/monitoring/ListRecentErrors')).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  });
});
